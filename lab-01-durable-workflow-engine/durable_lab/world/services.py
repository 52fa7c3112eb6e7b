"""The three services of the refund story. Each can be slow, flaky or naive by choice, and always in the same way."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from durable_lab.stores import SQLiteStore
from durable_lab.world.ledger import Effect, Ledger

S = TypeVar("S")
P = ParamSpec("P")
R = TypeVar("R")


class activity(Generic[S, P, R]):
    """A method that is accessed as a plain function, so that history has "pay_back", not "Bank.pay_back"."""

    def __init__(self, method: Callable[Concatenate[S, P], R]) -> None:
        self._method = method

    def __get__(self, service: S, owner: type[S] | None = None) -> Callable[P, R]:
        method = self._method

        @functools.wraps(method)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            return method(service, *args, **kwargs)

        return call


def _nowhere(point: str) -> None:
    """No fault is planned at any point."""


class Service:
    """A service in the outside world.

    deduplicates  whether a key has one effect only; a naive service has an effect at every call
    fails         the number of first calls of an operation that are refused, without an effect
    loses         the number of calls after those that have their effect, but whose answer is lost
    slow          seconds that a call takes
    at            called with each point that a call passes ("pay_back.before", "pay_back.effect"), to inject faults
    """

    name = "service"

    def __init__(
        self,
        ledger: Ledger,
        *,
        deduplicates: bool = True,
        fails: int = 0,
        loses: int = 0,
        slow: float = 0.0,
        sleep: Callable[[float], None] = time.sleep,
        at: Callable[[str], None] = _nowhere,
    ) -> None:
        self.ledger, self.deduplicates = ledger, deduplicates
        self.fails, self.loses, self.slow, self._sleep, self._at = fails, loses, slow, sleep, at

    def _perform(self, operation: str, key: str | None, body: Any) -> Effect:
        self._at(f"{operation}.before")
        number = self.ledger.call(self.name, operation, key)
        if self.slow:
            self._sleep(self.slow)
        if number <= self.fails:
            raise ConnectionError(f"the {self.name} is busy (call {number})")
        effect = self.ledger.effect(self.name, operation, key, body, self.deduplicates)
        self._at(f"{operation}.effect")
        if number <= self.fails + self.loses:
            raise TimeoutError(f"the answer of the {self.name} was lost (call {number})")
        return effect


class Bank(Service):
    """Pays back. A second effect is most costly here."""

    name = "bank"

    @activity
    def pay_back(self, order_id: str, amount: int, *, idempotency_key: str) -> str:
        """Pay `amount` back. Returns the number of the receipt."""
        effect = self._perform("pay_back", idempotency_key, {"order": order_id, "amount": amount})
        return f"receipt-{self.ledger.number(effect)}"


class Mailer(Service):
    """Sends e-mail. An e-mail cannot be called back."""

    name = "mailer"

    @activity
    def send_email(self, to: str, text: str, *, idempotency_key: str) -> None:
        """Send `text`."""
        self._perform("send_email", idempotency_key, {"to": to, "text": text})


class Model(Service):
    """A language model. It takes no key, so a call in flight at a crash is paid twice."""

    name = "model"

    @activity
    def assess(self, order: dict[str, Any]) -> str:
        """What the model advises for this order."""
        self._perform("assess", None, {"order": order["id"], "tokens": 250})
        return f"{order['reason']}: refund"


class World:
    """Bank, mailer and model on one ledger (`of`, `look`: see Ledger). Its attributes are the refund's activities."""

    def __init__(
        self,
        path: str | Path,
        *,
        deduplicates: bool = True,
        fails: int = 0,
        slow: float = 0.0,
        at: Callable[[str], None] = _nowhere,
        of: SQLiteStore | None = None,
        look: bool = False,
    ) -> None:
        self.ledger = Ledger(path, of=of, look=look)
        self.model = Model(self.ledger, slow=slow, at=at)
        self.bank = Bank(self.ledger, deduplicates=deduplicates, fails=fails, slow=slow, at=at)
        self.mailer = Mailer(self.ledger, deduplicates=deduplicates, slow=slow, at=at)
        self.assess, self.pay_back, self.send_email = self.model.assess, self.bank.pay_back, self.mailer.send_email
