"""Multiple-choice questions, with an explanation for each choice."""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def all_questions() -> dict[str, Any]:
    """Return the questions by id: `text`, `choices` by letter, `answer` (a digest, so that the file does not give it
    away at a glance) and `why` by letter."""
    return tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))


def digest(name: str, letter: str) -> str:
    """Return the digest that the file has instead of the right letter."""
    return hashlib.sha256(f"{name}:{letter}".encode()).hexdigest()[:12]


def question(name: str, answer: Any = ...) -> None:
    """Ask a question, or check the answer to it: a letter instead of the three dots."""
    asked = all_questions().get(name) if isinstance(name, str) else None
    if asked is None:
        print(f"There is no question {name!r}. Questions have names such as {next(iter(all_questions()))!r}.")
        return
    print(asked["text"])
    for letter, choice in asked["choices"].items():
        print(f"  {letter}) {choice}")
    if answer is ...:
        print("Replace the three dots with the letter of your answer.")
    elif str(answer).lower() not in asked["choices"]:
        print(f"{answer!r} is none of the choices. Choose one of {', '.join(asked['choices'])}.")
    elif digest(name, str(answer).lower()) == asked["answer"]:
        print(f"{answer}: right. {asked['why'][str(answer).lower()]}")
    else:
        print(f"{answer}: wrong. {asked['why'][str(answer).lower()]}")
