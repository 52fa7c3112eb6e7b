"""The names, numbers and values of one variant, all drawn from a seed.

The order of the draws is part of what a seed means: with another order, engines would meet other variants.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from grader.checker.hidden.vocabulary import PEOPLE, PLACES, TEXTS, TROUBLES, WORDS

FALSY: tuple[Any, ...] = (None, 0, "", False, [], {}, 0.0)
ERRORS = (
    OSError,
    ValueError,
    TimeoutError,
    ConnectionError,
    LookupError,
    ArithmeticError,
    PermissionError,
    RuntimeError,
)


class Values:
    """Draws names, none of them twice, and values that JSON can carry. Times are exact: quarters of a second."""

    def __init__(self, seed: Random) -> None:
        self.seed = seed
        place = seed.choice(PLACES)
        self._steps, self._signals, self._things = (seed.sample(words, len(words)) for words in place)
        self._people = seed.sample(PEOPLE, len(PEOPLE))

    # ------------------------------------------------------------ names

    def steps(self, count: int) -> list[str]:
        """Names of activities."""
        return [self._steps.pop() for _ in range(count)]

    def step(self) -> str:
        return self._steps.pop()

    def signals(self, count: int) -> list[str]:
        return [self._signals.pop() for _ in range(count)]

    def signal(self) -> str:
        return self._signals.pop()

    def things(self, count: int) -> list[str]:
        """Keys of objects, sorted."""
        return sorted(self._things.pop() for _ in range(count))

    def thing(self) -> str:
        return self._things.pop()

    def person(self) -> str:
        return self._people.pop()

    def run_id(self) -> str:
        """The id of a workflow: a word, a sign, a number."""
        return f"{self.seed.choice(WORDS)}{self.seed.choice('-_/.:#')}{self.seed.randint(10, 99_999)}"

    # ------------------------------------------------------------ values

    def value(self, depth: int = 2) -> Any:
        """Any value that JSON can carry, of any kind and size; the keys of objects are sorted."""
        seed = self.seed
        kind = seed.randrange(8 if depth else 6)
        if kind == 0:
            return seed.choice((seed.randint(1, 99), -seed.randint(1, 99), 2 ** seed.randint(63, 90) + 1))
        if kind == 1:
            return seed.choice((seed.randint(1, 999) / 8, -0.1, 1e-9, 6.02e23, 1.0))
        if kind == 2:
            return seed.choice(TEXTS)
        if kind == 3:
            return f"{seed.choice(WORDS)} {seed.randint(2, 99)}"
        if kind == 4:
            return seed.choice((True, False, None))
        if kind == 5:
            return seed.choice(("", 0, 0.0, [], {}))
        inner = [self.value(depth - 1) for _ in range(seed.randint(1, 3))]
        return inner if kind == 6 else dict(zip(sorted(seed.sample(WORDS, len(inner))), inner, strict=True))

    def distinct(self, count: int, depth: int = 2) -> list[Any]:
        """Values that are all different as JSON, and none of them falsy."""
        found: dict[str, Any] = {}
        while len(found) < count:
            if value := self.value(depth):
                found[json.dumps(value, sort_keys=True)] = value
        return list(found.values())

    def falsy(self, count: int = len(FALSY)) -> list[Any]:
        """Falsy values, which an engine must treat as any other."""
        return [json.loads(json.dumps(value)) for value in self.seed.sample(FALSY, count)]

    def arguments(self, most: int = 3) -> list[Any]:
        """The arguments of one call: none, or a few."""
        return [self.value() for _ in range(self.seed.randint(0, most))]

    def mixed(self, *parts: list[Any]) -> list[Any]:
        """All items of these lists in one list, in random order."""
        whole = [item for part in parts for item in part]
        return self.seed.sample(whole, len(whole))

    # ------------------------------------------------------------ time

    def moment(self) -> float:
        """A time to start a clock at, in seconds; never an integer."""
        return self.seed.randint(5_000, 2_000_000_000) + self.seed.choice((0.25, 0.5, 0.75))

    def span(self, most: int = 100_000) -> float:
        """A positive number of seconds."""
        return self.seed.randint(1, 4 * most) / 4

    # ------------------------------------------------------------ failures and policies

    def errors(self, count: int) -> list[Exception]:
        """Exceptions for activities to raise; no two have the same message."""
        kinds = self.seed.choices(ERRORS, k=count)
        return [
            kind(f"{self.seed.choice(TROUBLES)}: no. {i}") for i, kind in enumerate(kinds, self.seed.randint(10, 90))
        ]

    def policy(self, attempts: int, non_retryable: tuple[type[BaseException] | str, ...] = ()) -> dict[str, Any]:
        """The fields of a RetryPolicy. From 4 attempts on the first wait is below its cap, and the last is above."""
        initial, backoff = self.seed.choice((0.25, 0.75, 1.5, 2.5, 4.0)), self.seed.choice((1.5, 2.5, 3.0, 5.0))
        last = self.seed.randint(1, max(1, attempts - 3))  # the last wait that is not capped
        cap = initial * backoff**last * (1 + backoff) / 2
        return {
            "max_attempts": attempts,
            "initial_interval": initial,
            "backoff": backoff,
            "max_interval": cap,
            "non_retryable": non_retryable,
        }


def waits(policy: dict[str, Any], attempts: int) -> list[float]:
    """The seconds between so many attempts, by rule R12."""
    grown = [policy["initial_interval"] * policy["backoff"] ** k for k in range(attempts - 1)]
    return [min(wait, policy["max_interval"]) for wait in grown]


DEFAULT = {"max_attempts": 3, "initial_interval": 1.0, "backoff": 2.0, "max_interval": 100.0}
