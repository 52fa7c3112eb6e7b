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
        happened = json.dumps(actual, ensure_ascii=False, default=str)
        if self.guess is ...:
            print(f"No prediction yet. What happened: {happened}. Next time, predict first: that is how it sticks.")
        elif self.guess == actual and isinstance(self.guess, bool) == isinstance(actual, bool):
            print(f"As you predicted: {happened}.")
        else:
            guessed = json.dumps(self.guess, ensure_ascii=False, default=str)
            print(f"You predicted {guessed}; what happened is {happened}. Why? Say it in a sentence before you go on.")


def predict(guess: Any = ...) -> Prediction:
    """Keep a prediction for `compare`. Replace the three dots in the cell by your own value."""
    if guess is ...:
        print("Put your prediction in the place of the three dots, run this cell, and only then go on.")
    return Prediction(guess)
