"""Predict before you run: the notebook holds the prediction, and the run shows whether it was right."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Prediction:
    """What a student expects. `guess` is `...` if nothing is filled in yet."""

    guess: Any

    def compare(self, actual: Any) -> None:
        """Print the prediction beside what really happened."""
        happened = _shown(actual)
        if self.guess is ...:
            print(f"No prediction yet. The result: {happened}. Next time, predict first; it helps you to remember.")
        elif _is_same(self.guess, actual):
            print(f"As you predicted: {happened}.")
        else:
            print(
                f"You predicted {_shown(self.guess)}; the result is {happened}. Why? Explain it in one sentence "
                "before you continue."
            )


def _is_same(guess: Any, actual: Any) -> bool:
    try:
        return bool(guess == actual) and isinstance(guess, bool) == isinstance(actual, bool)
    except Exception:  # arrays, for example, have no single truth value
        return False


def _shown(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=repr)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def predict(guess: Any = ..., *more: Any) -> Prediction:
    """Keep a prediction for `compare`. Replace the three dots in the cell with your own value."""
    if more:
        print("A prediction is one value. For several, write a list in square brackets: predict([1, 2]).")
        return Prediction([guess, *more])
    if guess is ...:
        print("Replace the three dots with your prediction, and run this cell before you continue.")
    return Prediction(guess)
