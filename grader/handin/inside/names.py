"""The names of files: what a file is by its name alone, and how a name is shown."""

from __future__ import annotations

import re

_ADDED = re.compile(r"(?:\.(?:json|txt|download|ipynb)|[ _-]?\(\d+\))$")  # by browsers and systems that save a file


def bare(name: str) -> str:
    """A file's name without what was added behind its ending: `03.ipynb.json` and `03.IPYNB (1)` are `03.ipynb`."""
    name = name.casefold()
    while not name.endswith((".ipynb", ".py")) and (added := _ADDED.search(name)):
        name = name[: added.start()]
    return name


def sort_of(name: str) -> str:
    """ "notebook", "python", "json" (which may be a notebook), or "" for anything else."""
    ending = bare(name).rpartition(".")[2]
    return {"ipynb": "notebook", "py": "python"}.get(ending, "json" if name.casefold().endswith(".json") else "")


def shown(text: str, most: int = 100) -> str:
    """A string of the student's as it may stand in our sentences: one short line of printable characters."""
    plain = "".join(letter if letter.isprintable() else "?" for letter in text[: 4 * most])
    return plain if len(plain) <= most else f"{plain[: most - 3]}..."
