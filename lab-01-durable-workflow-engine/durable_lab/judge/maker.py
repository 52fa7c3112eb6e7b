"""Random parts of programs: values, texts of every shape, steps and faults."""

from __future__ import annotations

from random import Random
from typing import Any

from durable_lab.judge.program import START, Activity, Program, Step

ACTIVITIES = ("reserve", "charge", "ship", "notify", "book", "assess", "pack", "refund", "cancel", "confirm")
SIGNALS = ("approval", "go", "stop", "note", "paid", "answer")
IDS = ("order-7", "w/1", "refund 12", "a:b", "Kim", "r-0001", "order/7/2")
FALSY: tuple[Any, ...] = (None, 0, "", False, [], {}, 0.0)
SHAPES: tuple[tuple[str, ...], ...] = (  # of texts; each is good for a mistake of its own
    ("two\nlines", "\n", "a\n\nb: c\n"),
    (" spaces ", "\ttab", "end ", "  "),
    ("UPPER lower", "Straße", "\u00c4rger", "camelCase"),
    ("",),
    ("\ud800", "emoji \U0001f600", "nul \x00"),
    ("x" * 300, "word " * 60),
    ("null", "1", "[]", "None", "true", '"quoted"', "back\\slash", "{}"),
    ("a: b", "Shop: closed: again", ": ", "Error: no", "code 17: see: manual"),
)
TEXTS = tuple(text for shape in SHAPES for text in shape)
VALUES: tuple[Any, ...] = (
    *("ok", 7, -1, 2.5, True, 1e300, 2**60, [1, [2, {"k": None}]], {"b": 1, "a": [True, 0]}, {"id": "A1", "n": 30}),
    *(1.0, 1, [], {"!": "tuple", "of": [1, {"!": "tuple", "of": []}]}, [None], {"x": {"y": {}}}),
)
INPUTS: tuple[Any, ...] = (*FALSY, "A1", 7, {"id": "A1", "items": [{"n": 1}]}, [[1], "x"], True)
UNRECORDABLE = tuple({"!": name} for name in ("nan", "inf", "bytes", "set", "number key", "object"))
ERRORS = ("OSError", "ValueError", "KeyError", "RuntimeError", "TimeoutError", "ZeroDivisionError")
BASES = {"OSError": "Exception", "ValueError": "Exception", "KeyError": "LookupError", "RuntimeError": "Exception"}
BASES |= {"TimeoutError": "OSError", "ZeroDivisionError": "ArithmeticError"}
CRASH = ["Crash", "the process is killed"]
INTERRUPTS = (CRASH, ["KeyboardInterrupt", "stopped by hand"])
FAILURES = (["OSError", "disk full"], ["RuntimeError", "disk: full"], ["ValueError", "no such disk"], *INTERRUPTS)
RUN: list[Any] = ["run"]
REPLAY = [["restart"], RUN]


def run(code: int = 1, fault: list[Any] | None = None) -> list[Any]:
    """Return the action of a run."""
    return ["run", {"code": code, "fault": fault}] if fault else ["run", {"code": code}] if code > 1 else ["run"]


class Maker:
    """Random parts of one program. Names do not repeat unless a theme repeats them."""

    def __init__(self, seed: str, turn: int) -> None:
        self.seed, self.turn, self.random = seed, turn, Random(seed)
        self.activities: dict[str, Activity] = {}
        self._names = iter(self.random.sample(ACTIVITIES, len(ACTIVITIES)))
        self.signals = self.random.sample(SIGNALS, len(SIGNALS))

    # ------------------------------------------------------------ values

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def in_turn(self, *options: Any) -> Any:
        """The first option in the first program of a theme, the second one in the second, and so on."""
        return options[self.turn % len(options)]

    def value(self, odd: float = 0.3) -> Any:
        pool = (TEXTS, FALSY) if self.chance(odd) else (VALUES,)
        return self.random.choice(self.random.choice(pool))

    def text(self) -> str:
        return self.random.choice(TEXTS)

    def seconds(self) -> float:
        return self.random.choice((0.0, 0.125, 3.75, 61.5, 0.001, 7e6))

    def policy(self, attempts: int | None = None) -> dict[str, Any]:
        return {
            "max_attempts": attempts or self.random.randint(1, 4),
            "initial_interval": self.random.choice((0.0, 0.5, 1.0, 3.0, 10.0)),
            "backoff": self.random.choice((1.0, 1.5, 2.0, 3.0, 10.0)),
            "max_interval": self.random.choice((1.25, 4.0, 50.0, 100.0)),
        }

    # ------------------------------------------------------------ steps

    def name(self, outcomes: list[list[Any]] | None = None, **fields: Any) -> str:
        """A new activity with these outcomes; one random result if none are given."""
        made = next(self._names, None) or f"step_{len(self.activities)}"
        fields.setdefault("takes_key", self.chance(0.5))
        fields.setdefault("seconds", self.seconds() if self.chance(0.3) else 0.0)
        self.activities[made] = Activity(outcomes or [["ok", self.value()]], **fields)
        return made

    def call(
        self, outcomes: list[list[Any]] | None = None, policy: dict[str, Any] | None = None, **fields: Any
    ) -> Step:
        arguments = [self.value() for _ in range(self.random.randint(0, 2))]
        return ["call", self.name(outcomes, **fields), arguments, policy or {}]

    def error(self) -> list[Any]:
        """An outcome that is an error. Half of its texts have a colon: an error is recorded as "Type: text"."""
        return [
            "raise",
            self.random.choice(ERRORS),
            self.random.choice(SHAPES[-1]) if self.chance(0.5) else self.text(),
        ]

    def flaky(self, failures: int, attempts: int | None = None) -> Step:
        """A call that fails so often, and then succeeds."""
        errors = [self.error() for _ in range(failures)]
        return self.call([*errors, ["ok", self.value()]], self.policy(attempts or failures + self.random.randint(1, 2)))

    def failing(self) -> Step:
        """A call that fails for good, and would succeed if it were tried again later."""
        policy = self.policy(self.random.randint(1, 3))
        errors = [self.error() for _ in range(policy["max_attempts"])]
        return self.call([*errors, ["ok", "too late"]], policy)

    def command(self) -> Step:
        kind = self.random.choice(("call", "call", "call", "now", "flaky"))
        return ["now"] if kind == "now" else self.flaky(1) if kind == "flaky" else self.call()

    def commands(self, least: int, most: int) -> list[Step]:
        return [self.command() for _ in range(self.random.randint(least, most))]

    def crash(self, most: int, who: list[Any] | None = None) -> list[Any]:
        """A fault at a random crossing."""
        return ["any", self.random.randrange(most), *(who or CRASH)]

    # ------------------------------------------------------------ programs

    def program(self, steps: list[Step], plan: list[list[Any]], **fields: Any) -> Program:
        fields.setdefault("workflow_id", self.random.choice(IDS))
        fields.setdefault("input", self.random.choice(INPUTS))
        fields.setdefault("start", START + self.random.choice((0.0, 0.0625, 1.7e9)))
        fields.setdefault("one_engine", self.chance(0.3))
        return Program(self.seed, steps, plan, activities=self.activities, **fields)
