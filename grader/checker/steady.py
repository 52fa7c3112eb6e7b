"""Two gradings of the same files say the same: what is new in each run is taken out of what is shown."""

from __future__ import annotations

import re

_NEW = {
    r"\b[12][0-9]{9}(\.[0-9]+)?\b": "(a time of this machine)",
    r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[0-9a-f]*[a-f])[0-9a-f]{32}\b": "(a random key)",
    r"\bat 0x[0-9a-f]{6,}": "at (a place in memory)",
}


def steady(text: str) -> str:
    """The text without times, random keys and addresses of this very run."""
    for pattern, words in _NEW.items():
        text = re.sub(pattern, words, text)
    return text
