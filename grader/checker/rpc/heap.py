"""The shared heap: lists and dicts that exist on both sides.

A list or dict that has been sent once is *shared*. It has an id, even if the grader shared it first and odd if the
worker did, and each message carries the content of every shared container that has changed since the last message.
Only one side runs at a time, so both sides see one memory (distributed shared memory with release consistency): a value
that aliases history, or a state that is changed in place, is seen by the tests as if both sides were one process.

There is one exception, copy on write: the worker cannot change a container that the grader has shared, because the
grader compares with it. If the worker changes one, that becomes a new container of the worker's.

    {"0": [1, {"h": 3}], "3": {"k": [["name", "Ann"]]}}

says: list 0 now holds 1 and container 3, and dict 3 now holds "name": "Ann".
"""

from collections.abc import Callable
from itertools import chain
from operator import is_
from typing import Any

from .limits import CONTAINERS, ITEMS, Violation, check_keys, check_size, items_of

Convert = Callable[[Any], Any]


class Heap:
    """The shared containers as one side has them. `side` is 0 for the grader and 1 for the worker."""

    def __init__(self, side: int) -> None:
        self._side, self._next = side, side
        self._containers: dict[int, Any] = {}  # id -> list or dict
        self._ids: dict[int, int] = {}  # id() -> id
        self._sent: dict[int, list[Any]] = {}  # id -> the items at the last message

    def __getitem__(self, heap_id: int) -> Any:
        return self._containers[heap_id]

    def share(self, container: Any) -> int:
        """The id of a container, which is shared from now on."""
        heap_id = self._ids.get(id(container))
        if heap_id is None:
            heap_id, self._next = self._next, self._next + 2
            self._add(heap_id, container)
        return heap_id

    def _add(self, heap_id: int, container: Any) -> None:
        self._containers[heap_id], self._ids[id(container)] = container, heap_id

    # ------------------------------------------------------------ sending

    def changes(self, encode: Convert) -> dict[str, Any]:
        """The content of all containers that have changed since the last message. `encode` may share further ones."""
        changed = self._changed()
        if self._side == 1 and (theirs := {i for i in changed if i % 2 != self._side}):
            self._copy_on_write(theirs)
            changed = self._changed()
        content: dict[str, Any] = {}
        while changed:
            for heap_id in changed:
                container = self._containers[heap_id]
                if len(container) > ITEMS:
                    raise Violation(f"a list of more than {ITEMS:,} items")
                self._sent[heap_id] = items_of(container)
                if type(container) is list:
                    content[str(heap_id)] = [encode(item) for item in container]
                else:
                    content[str(heap_id)] = {"k": [[encode(k), encode(v)] for k, v in container.items()]}
            changed = self._changed()
        return content

    def _changed(self) -> list[int]:
        sent = self._sent
        return [i for i, container in self._containers.items() if i not in sent or not _same(sent[i], container)]

    def _copy_on_write(self, new: set[int]) -> None:
        """Share as new these containers of the grader, which the worker has changed, and the grader's around them."""
        theirs = {i: container for i, container in self._containers.items() if i % 2 != self._side}
        while True:
            ids = {id(theirs[i]) for i in new}
            around = {i for i, container in theirs.items() if i not in new and _holds(container, ids)}
            if not around:
                break
            new |= around
        for i in new:
            del self._containers[i], self._sent[i], self._ids[id(theirs[i])]
        for i, container in self._containers.items():
            if _holds(container, ids):  # it is sent again, with the ids of the new ones
                self._sent.pop(i, None)

    # ------------------------------------------------------------ receiving

    def update(self, content: dict[str, Any], decode: Convert) -> None:
        """Take over what the other side has changed. Raises Violation, LookupError, TypeError or ValueError."""
        for name, items in content.items():
            self._expect(int(name), list if type(items) is list else dict)
        for name, items in content.items():
            container = self._containers[int(name)]
            if type(container) is list:
                container[:] = [decode(item) for item in items]
            else:
                pairs = [(decode(key), decode(value)) for key, value in items["k"]]
                check_keys([key for key, _ in pairs])
                container.clear()
                container.update(pairs)
        for name in content:
            self._sent[int(name)] = items_of(self._containers[int(name)])
        if content:
            check_size(self._containers.values())

    def _expect(self, heap_id: int, kind: type) -> None:
        """Refuse the id of a container that the other side may not change or share; make one that is new."""
        own = heap_id % 2 == self._side
        if own and self._side == 0:
            raise Violation("a change of a container that is not its own")
        if heap_id not in self._containers:
            if own or not 0 <= heap_id < 2 * CONTAINERS:  # larger ids could be chosen so that their hashes collide
                raise Violation(f"a container that was never shared, or more than {CONTAINERS:,}")
            self._add(heap_id, kind())


def _same(sent: list[Any], container: Any) -> bool:
    if type(container) is list:
        return len(sent) == len(container) and all(map(is_, sent, container))
    return len(sent) == 2 * len(container) and all(map(is_, sent, chain.from_iterable(container.items())))


def _holds(container: Any, ids: set[int]) -> bool:
    """Whether a container holds an object with such an id(), itself or in a tuple or set."""
    return any(
        id(item) in ids or (type(item) in (tuple, frozenset, set) and _holds(item, ids)) for item in items_of(container)
    )
