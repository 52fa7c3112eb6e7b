"""Predict before you run: the prediction stands in the notebook, and the engine says whether it was right."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Prediction:
    """What a student expects. `guess` is `...` where nothing is filled in yet."""

    guess: Any

    def compare(self, actual: Any) -> None:
        """Print the prediction beside what really happened."""
        happened = _shown(actual)
        if self.guess is ...:
            print(f"No prediction yet. What happened: {happened}. Next time, predict first: that is how it sticks.")
        elif _is_same(self.guess, actual):
            print(f"As you predicted: {happened}.")
        else:
            print(
                f"You predicted {_shown(self.guess)}; what happened is {happened}. Why? Say it in a sentence before "
                "you go on."
            )


def _is_same(guess: Any, actual: Any) -> bool:
    try:
        return bool(guess == actual) and isinstance(guess, bool) == isinstance(actual, bool)
    except Exception:  # an array, say, is not simply equal
        return False


def _shown(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=repr)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def predict(guess: Any = ..., *more: Any) -> Prediction:
    """Keep a prediction for `compare`. Replace the three dots in the cell by your own value."""
    if more:
        print("A prediction is one value. For several, write a list in square brackets: predict([1, 2]).")
        return Prediction([guess, *more])
    if guess is ...:
        print("Put your prediction in the place of the three dots, run this cell, and only then go on.")
    return Prediction(guess)
