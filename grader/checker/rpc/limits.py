"""The limits on what one side accepts. The worker runs a student's code, so its messages are untrusted.

A message beyond a limit raises Violation, and the peer ends the conversation. For example
`{"ok": [{"s": [1, 2, ..., 201]}], "heap": {}}` is refused: a set with more than KEYS integers.
"""

from collections.abc import Iterable, Sequence
from typing import Any

DEPTH = 60  # nested calls; the tests need 6
CONTAINERS = 20_000  # shared lists and dicts; the tests need some hundreds
HANDLES = 20_000  # objects of the other side; the tests need some hundreds
CLASSES = 200  # exception classes, and the length of their inheritance
ITEMS = 100_000  # in one shared list or dict when it is sent: the other side may have made it grow
SIZE = 4_000_000  # characters of all shared containers, written out: a list of lists of one list grows exponentially
KEYS = 200  # keys of one dict or set that are not strings: they can be chosen so that their hashes collide
_NESTED = (list, dict, tuple, set, frozenset)


class Violation(Exception):
    """A message that the protocol does not allow; the text says why."""


def items_of(container: Any) -> list[Any]:
    """The items of a list or set; the keys and values of a dict in one list."""
    return [x for pair in container.items() for x in pair] if type(container) is dict else list(container)


def check_keys(keys: Sequence[Any]) -> None:
    """Raise ValueError if too many keys are not strings. (The hashes of strings cannot be chosen.)"""
    if sum(type(key) is not str for key in keys) > KEYS:
        raise ValueError("too many keys that are not strings")


def check_size(containers: Iterable[Any]) -> None:
    """Raise Violation if these containers, written out as text, are longer than SIZE."""
    sizes = _Sizes()
    for container in containers:
        sizes.measure(container, frozenset())


class _Sizes:
    """Estimates how many characters values take when they are written out."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}  # id() -> size, for containers without a cycle: they are measured once
        self._left = SIZE

    def measure(self, value: Any, around: frozenset[int]) -> tuple[int, bool]:
        """The size of a value, and whether it holds none of the containers around it."""
        kind = type(value)
        if kind is str or kind is bytes:
            return 4 * len(value), True
        if kind is int:
            return 12 + value.bit_length() // 3, True
        if kind not in _NESTED:
            return vars(value).get("_size", 12) if isinstance(value, BaseException) else 12, True
        if id(value) in around:
            return 5, False
        if id(value) in self._known:
            return self._known[id(value)], True
        total, acyclic, inside = 2, True, around | {id(value)}
        for item in items_of(value):
            size, complete = self.measure(item, inside)
            total, acyclic = total + 2 + size, acyclic and complete
        self._left -= 1 if acyclic else total
        if total > SIZE or self._left < 0:
            raise Violation("lists within lists that are too long to be written out")
        if acyclic:
            self._known[id(value)] = total
        return total, acyclic
