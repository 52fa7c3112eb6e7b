"""The world outside the engine: a bank, a mailer and a model, with their own books."""

from durable_lab.world.ledger import BooksError, Effect, IdempotencyError, Ledger, books_of
from durable_lab.world.services import Bank, Mailer, Model, Service, World

__all__ = [
    "Bank",
    "BooksError",
    "Effect",
    "IdempotencyError",
    "Ledger",
    "Mailer",
    "Model",
    "Service",
    "World",
    "books_of",
]
