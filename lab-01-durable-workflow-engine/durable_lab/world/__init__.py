"""The world outside the engine: a bank, a mailer and a model, with books of their own."""

from durable_lab.world.ledger import Effect, Ledger
from durable_lab.world.services import Bank, Mailer, Model, Service, World

__all__ = ["Bank", "Effect", "Ledger", "Mailer", "Model", "Service", "World"]
