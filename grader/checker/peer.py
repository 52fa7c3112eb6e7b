"""One synchronous conversation between two processes: both see the same lists and dicts, all else goes by handle.

The same code serves the grader and the worker, so it needs the standard library only. Each side keeps its own objects;
the other side gets a stand-in. A list or dict that has crossed once is *shared*: it exists on both sides, and every
message carries what was changed in it since the last one. Only one side runs at a time, so that is as good as one
memory (it is how distributed shared memory with release consistency works): a value that aliases history, or a state
that is changed in place, is seen by the tests as if there were no border.

With one exception: the grader compares with lists of its own, so the worker cannot change those. One that it changes
becomes another list there, and crosses as that from then on (copy on write).

A message is one line of JSON. What is plain goes as it is; everything else is an object whose first key says what:

    {"f": "nan"}  {"t": [...]} tuple  {"s": [...]} set  {"z": [...]} frozenset  {"b": "00ff"} bytes
    {"h": 7}      a shared list or dict; its content stands in the message's "heap": {"7": [...]} or {"7": {"k": ...}}
    {"m": 3, ...} mine: an object of the sender, described where it is sent for the first time
    {"y": 3}      yours: an object of the receiver
    {"n": "int"}  a class of `builtins`
"""

import builtins
import json
import math
from collections.abc import Callable
from typing import Any

DEPTH = 60  # calls within calls, over the border; the tests need 6
CONTAINERS = 20_000  # that are shared; the tests need some hundreds
HANDLES = 20_000  # objects of the other side; the tests need some hundreds
CLASSES = 200  # of exceptions, and how deep they may stand below each other
ITEMS = 100_000  # in one list or dict of ours that is told: the other side may have made it grow
TEXT = 4_000_000  # characters of everything that is shared, written out: a list of lists of the same list grows fast
KEYS = 200  # in one dict or set that are not texts: they can be chosen so that each takes longer than the one before
_PLAIN = (str, int, bool, type(None))
_NEVER = (KeyboardInterrupt, SystemExit, GeneratorExit)  # nothing that the other side raises may end this process
_SEQUENCES: dict[str, Any] = {"t": tuple, "s": set, "z": frozenset}
_NESTED = (list, dict, tuple, set, frozenset)


class Ended(BaseException):
    """The conversation is over. No `except Exception` of a workflow may go on after that."""


class Peer:
    """One side of the conversation.

    send, receive  a line out, a line in; they raise Ended where that is not possible any more
    parity         0 on one side, 1 on the other: ids of shared containers are even or odd, by who shared them first
    describe       describe(peer, own object) -> what the other side may know of it, as plain JSON
    standin        standin(peer, told) -> what stands here for an object of the other side that is so described
    perform        perform(operation, target, arguments) -> does what the other side asks
    """

    def __init__(
        self,
        send: Callable[[bytes], None],
        receive: Callable[[], bytes],
        parity: int,
        describe: Callable[["Peer", Any], dict[str, Any]],
        standin: Callable[["Peer", dict[str, Any]], Any],
        perform: Callable[[str, Any, list[Any]], Any],
    ) -> None:
        self._send, self._receive, self._parity = send, receive, parity
        self._describe, self._standin, self._perform = describe, standin, perform
        self._depth = 0
        self.ended = ""  # why
        self.forget()

    def forget(self) -> None:
        """A new start: nothing is shared, no handle is valid. Both sides do it at the same point."""
        self._mine: list[Any] = []  # by handle
        self._mine_ids: dict[int, int] = {}  # id() -> handle
        self._yours: dict[int, Any] = {}  # handle of the other side -> stand-in
        self._yours_ids: dict[int, int] = {}
        self._shared: dict[int, Any] = {}  # heap id -> list or dict
        self._shared_ids: dict[int, int] = {}
        self._known: dict[int, list[Any]] = {}  # heap id -> its content at the last message
        self._next = self._parity
        self._classes = 0  # of the other side

    def end(self, why: str) -> Ended:
        """Nothing can be said after this. The first reason stays."""
        self.ended = self.ended or why
        return Ended(self.ended)

    # ------------------------------------------------------------ talking

    def ask(self, operation: str, target: Any = None, *arguments: Any) -> Any:
        """Ask the other side to do something, and answer what it asks meanwhile. Its exception is raised here."""
        self._say("ask", [operation, target, *arguments])
        while True:
            key, value = self._hear()
            if key == "ask":
                self._answer(*value)
            elif key == "ok":
                return value[0]
            elif isinstance(value[0], BaseException):
                raise value[0]
            else:
                raise self.end("an error that is none")

    def serve(self) -> None:
        """Answer until the other side is gone. Raises Ended."""
        while True:
            key, value = self._hear()
            if key != "ask":
                raise self.end("an answer, but nothing was asked")
            self._answer(*value)

    def _answer(self, operation: str, target: Any, *arguments: Any) -> None:
        self._depth += 1
        if self._depth > DEPTH + 5 * self._parity:  # the grader is to be the first that says so
            raise self.end("too many calls within calls")
        try:
            answer = "ok", self._perform(operation, target, list(arguments))
        except Ended:
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and self._parity == 0:  # the person at the grader's keyboard
                raise
            answer = "error", error
        self._depth -= 1
        self._say(answer[0], [answer[1]])

    def _say(self, key: str, values: list[Any]) -> None:
        if self.ended:
            raise Ended(self.ended)
        try:
            plain = {key: [self.out(value) for value in values], "heap": self._changes()}
            line = json.dumps(plain, allow_nan=False, separators=(",", ":"))
        except (RecursionError, ValueError) as error:  # a number of 5,000 digits, tuples in tuples in tuples ...
            raise self.end(f"a value that cannot cross ({type(error).__name__})") from None
        self._send(line.encode() + b"\n")

    def _hear(self) -> tuple[str, list[Any]]:
        if self.ended:
            raise Ended(self.ended)
        line = self._receive()
        try:
            plain = json.loads(line)
            self._take(plain.pop("heap"))
            ((key, values),) = plain.items()
            least = {"ask": 2, "ok": 1, "error": 1}.get(key)
            if least is None or type(values) is not list or len(values) < least:
                raise self.end("a message of no known kind")
            return key, [self.into(value) for value in values]
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            raise self.end(f"a message that cannot be read ({type(error).__name__})") from None

    # ------------------------------------------------------------ values out

    def out(self, value: Any) -> Any:
        """The value as it crosses."""
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind is float:
            return value if math.isfinite(value) else {"f": repr(value)}
        if kind in (list, dict):
            return {"h": self._share(value)}
        for tag, known in _SEQUENCES.items():
            if kind is known:
                return {tag: [self.out(item) for item in value]}
        if kind is bytes:
            return {"b": value.hex()}
        if isinstance(value, type) and vars(builtins).get(name := str(value.__name__)) is value:
            return {"n": name}
        if id(value) in self._yours_ids:
            return {"y": self._yours_ids[id(value)]}
        if id(value) in self._mine_ids:
            return {"m": self._mine_ids[id(value)]}
        return self._introduce(value)

    def _introduce(self, value: Any) -> dict[str, Any]:
        handle = self._mine_ids[id(value)] = len(self._mine)
        self._mine.append(value)
        if isinstance(value, type) and issubclass(value, BaseException):
            return {"m": handle, "name": str(value.__name__), "bases": [self.out(base) for base in value.__bases__]}
        told = {"m": handle, "is": self._describe(self, value)}
        if isinstance(value, BaseException):
            told |= {
                "class": self.out(type(value)),
                "args": [self.out(arg) for arg in value.args],
                "text": _text(value),
            }
        return told

    def _share(self, value: Any) -> int:
        heap_id = self._shared_ids.get(id(value))
        if heap_id is None:
            heap_id, self._next = self._next, self._next + 2
            self._shared[heap_id], self._shared_ids[id(value)] = value, heap_id
        return heap_id

    def _changes(self) -> dict[str, Any]:
        """What has changed in shared containers since the last message; it may bring new ones, which are told too."""
        told: dict[str, Any] = {}
        if self._parity == 1:
            self._part_with_what_was_changed()
        while True:
            changed = [(i, c) for i, c in self._shared.items() if not _same(self._known.get(i), _content(c))]
            if not changed:
                return told
            for heap_id, container in changed:
                if len(container) > ITEMS:
                    raise self.end(f"a list of more than {ITEMS:,} items")
                self._known[heap_id] = _content(container)
                if type(container) is list:
                    told[str(heap_id)] = [self.out(item) for item in container]
                else:
                    told[str(heap_id)] = {"k": [[self.out(k), self.out(v)] for k, v in container.items()]}

    def _part_with_what_was_changed(self) -> None:
        """Share as new what the grader has made and this side has changed, with all of the grader's around it."""
        theirs = {i: c for i, c in self._shared.items() if i % 2 != self._parity}
        parted = {i for i, c in theirs.items() if not _same(self._known.get(i), _content(c))}
        if not parted:
            return
        while True:
            ids = {id(theirs[i]) for i in parted}
            more = {i for i, c in theirs.items() if i not in parted and _holds(c, ids)}
            if not more:
                break
            parted |= more
        for i in parted:
            del self._shared[i], self._known[i], self._shared_ids[id(theirs[i])]
        for i, container in self._shared.items():
            if _holds(container, ids):  # it is told again, with the new ones in it
                self._known.pop(i, None)

    # ------------------------------------------------------------ values in

    def _take(self, heap: dict[str, Any]) -> None:
        for name, told in heap.items():
            heap_id = int(name)
            if heap_id % 2 == self._parity == 0:
                raise self.end("a change of what is not its own")
            if heap_id not in self._shared:
                if heap_id % 2 == self._parity or not 0 <= heap_id < 2 * CONTAINERS:  # so that no hashes collide
                    raise self.end(f"a container that it has never shared, or more than {CONTAINERS:,}")
                new: Any = [] if type(told) is list else {}
                self._shared[heap_id], self._shared_ids[id(new)] = new, heap_id
        for name, told in heap.items():
            container = self._shared[int(name)]
            if type(container) is list:
                container[:] = [self.into(item) for item in told]
            else:
                pairs = [(self.into(key), self.into(value)) for key, value in told["k"]]
                container.clear()
                container.update(_few(pairs, [key for key, _ in pairs]))
        for name in heap:
            self._known[int(name)] = _content(self._shared[int(name)])
        if heap:
            self._weigh()

    def _weigh(self) -> None:
        """Whatever is shared may come to be written out by somebody: see to it that this has an end."""
        known: dict[int, int] = {}  # by id(): the characters of what holds no cycle, so that it is counted once
        left = TEXT

        def weight(value: Any, above: frozenset[int]) -> tuple[int, bool]:
            nonlocal left
            kind = type(value)
            if kind is str or kind is bytes:
                return 4 * len(value), True
            if kind is int:
                return 12 + value.bit_length() // 3, True
            if kind not in _NESTED:
                return vars(value).get("_size", 12) if isinstance(value, BaseException) else 12, True
            if id(value) in above:
                return 5, False
            if id(value) in known:
                return known[id(value)], True
            total, whole, inside = 2, True, above | {id(value)}
            for item in _content(value):
                more, complete = weight(item, inside)
                total, whole = total + 2 + more, whole and complete
            left -= total if not whole else 1
            if total > TEXT or left < 0:
                raise self.end("lists within lists that are too long to be written out")
            if whole:
                known[id(value)] = total
            return total, whole

        for container in self._shared.values():
            weight(container, frozenset())

    def into(self, value: Any) -> Any:
        """The value that has crossed like this. Raises LookupError, TypeError, ValueError, Ended where it is none."""
        if type(value) in _PLAIN or type(value) is float:
            return value
        tag = next(iter(value), "")
        told = value[tag]
        match tag:
            case "h":
                return self._shared[told]
            case "y":
                return self._mine[told if told >= 0 else len(self._mine)]
            case "m":
                return self._yours[told] if told in self._yours else self._meet(told, value)
            case "t":
                return tuple(self.into(item) for item in told)
            case "s" | "z":
                items = [self.into(item) for item in told]
                return _SEQUENCES[tag](_few(items, items))
            case "b":
                return bytes.fromhex(told)
            case "n" if isinstance(vars(builtins).get(told), type):
                return vars(builtins)[told]
            case "f":
                return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[told]
        raise self.end("a value of no known kind")

    def _meet(self, handle: int, value: dict[str, Any]) -> Any:
        if type(handle) is not int or not 0 <= handle < HANDLES:
            raise ValueError(f"more than {HANDLES:,} objects, or a handle that is none")
        if "bases" in value:
            self._classes += 1
            bases = [self.into(base) for base in value["bases"]]
            if self._classes > CLASSES or sum(len(base.__mro__) for base in bases) > CLASSES:
                raise ValueError("too many classes of exceptions")
            made: Any = _mirrored_class(value["name"], bases)
        elif "class" in value:
            args = tuple(self.into(arg) for arg in value["args"])
            made = _mirrored_error(self.into(value["class"]), args, f"{value['text']!s:.12000}")
            vars(made).update(_peer=self, _told=value["is"])
        else:
            made = self._standin(self, value["is"])
        self._yours[handle], self._yours_ids[id(made)] = made, handle
        return made


def _content(container: Any) -> list[Any]:
    return [x for pair in container.items() for x in pair] if type(container) is dict else list(container)


def _same(old: list[Any] | None, new: list[Any]) -> bool:
    return old is not None and len(old) == len(new) and all(a is b for a, b in zip(old, new, strict=True))


def _holds(value: Any, ids: set[int]) -> bool:
    """Does this container hold one with such an id(), itself or in a tuple or set?"""
    return any(
        id(item) in ids or (type(item) in (tuple, frozenset, set) and _holds(item, ids)) for item in _content(value)
    )


def _few(given: list[Any], keys: list[Any]) -> list[Any]:
    if sum(type(key) is not str for key in keys) > KEYS:
        raise ValueError("too many keys that are not texts")
    return given


def _text(error: BaseException) -> str:
    try:
        return f"{error!s:.12000}"
    except Exception:  # its own __str__ fails
        return ""


def _mirrored_class(name: str, bases: list[Any]) -> type:
    """A class of exceptions here for one of the other side, so that `except` and `isinstance` mean the same."""
    own = [base for base in bases if isinstance(base, type) and issubclass(base, BaseException)]
    own = [BaseException if issubclass(base, _NEVER) else base for base in own] or [BaseException]
    return type(str(name), tuple(dict.fromkeys(own)), {"__str__": _far_text, "__getattr__": _far_attribute})


def _mirrored_error(cls: Any, args: tuple[Any, ...], text: str) -> BaseException:
    if not issubclass(cls, BaseException):
        raise TypeError
    if issubclass(cls, _NEVER):
        cls = _mirrored_class(cls.__name__, [])
    plain = tuple(arg if type(arg) in (*_PLAIN, float) else "..." for arg in args)
    if plain != args and cls.__str__ is not _far_text:
        # Its text is what the other side says: nobody writes it out here.
        cls = _mirrored_class(cls.__name__, [cls])
    try:
        made: BaseException = cls(*plain)
    except Exception:  # UnicodeDecodeError and its like want arguments of certain types
        made = cls.__new__(cls)
    made.args = plain
    vars(made).update(_text=text, _size=len(f"{text}{plain}"))
    return made


def _far_text(error: Any) -> str:
    return str(vars(error).get("_text", ""))


def _far_attribute(error: Any, name: str) -> Any:
    if name.startswith("_") or "_peer" not in vars(error):
        raise AttributeError(name)
    return vars(error)["_peer"].ask("get", error, name)
