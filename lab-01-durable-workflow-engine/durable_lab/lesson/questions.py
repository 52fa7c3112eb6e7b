"""Questions that are answered, not read: each has its choices, and a word for each choice that is not right."""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def all_questions() -> dict[str, Any]:
    """The questions by id: `text`, `choices` by letter, `answer` (a digest, so that a glance does not give it away)
    and `why` by letter."""
    return tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))


def digest(name: str, letter: str) -> str:
    """What stands in the file in the place of the right letter."""
    return hashlib.sha256(f"{name}:{letter}".encode()).hexdigest()[:12]


def question(name: str, answer: Any = ...) -> None:
    """Ask a question, or check the answer to it: a letter in the place of the three dots."""
    asked = all_questions().get(name) if isinstance(name, str) else None
    if asked is None:
        print(f"There is no question {name!r}. The questions have names such as {next(iter(all_questions()))!r}.")
        return
    print(asked["text"])
    for letter, choice in asked["choices"].items():
        print(f"  {letter}) {choice}")
    if answer is ...:
        print("Put the letter of your answer in the place of the three dots.")
    elif str(answer).lower() not in asked["choices"]:
        print(f"{answer!r} is none of the choices; they are {', '.join(asked['choices'])}.")
    elif digest(name, str(answer).lower()) == asked["answer"]:
        print(f"{answer}: right. {asked['why'][str(answer).lower()]}")
    else:
        print(f"{answer}: not so. {asked['why'][str(answer).lower()]}")
