"""The codec: values as JSON. Each side keeps its own objects; the other side gets a proxy, and names it by a handle.

A string, an integer, a finite float, a boolean or None is itself in JSON. Anything else is an object whose first key
says what it is:

    {"f": "nan"}  {"t": [...]} tuple  {"s": [...]} set  {"z": [...]} frozenset  {"b": "00ff"} bytes
    {"h": 7}      the shared list or dict with id 7; its content is in the message's "heap" (see heap.py)
    {"m": 3, ...} "mine": an object of the sender with handle 3; described when it is sent for the first time
    {"y": 3}      "yours": the object of the receiver with handle 3
    {"n": "int"}  a class of `builtins`
"""

import builtins
import math
from collections.abc import Callable
from typing import Any

from .errors import PLAIN, mirrored_class, mirrored_error, text_of
from .heap import Heap
from .limits import CLASSES, HANDLES, Violation, check_keys

Describe = Callable[[Any, Any], dict[str, Any]]
MakeProxy = Callable[[Any, dict[str, Any]], Any]
_SEQUENCES: dict[str, Any] = {"t": tuple, "s": set, "z": frozenset}
_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class Codec:
    """Encodes and decodes the values of one conversation. `describe` and `make_proxy` get `peer`; see Peer."""

    def __init__(self, peer: Any, heap: Heap, describe: Describe, make_proxy: MakeProxy) -> None:
        self._peer, self._heap, self._describe, self._make_proxy = peer, heap, describe, make_proxy
        self._mine: list[Any] = []  # by handle
        self._my_handles: dict[int, int] = {}  # id() -> handle
        self._proxies: dict[int, Any] = {}  # handle of the other side -> proxy
        self._proxy_handles: dict[int, int] = {}  # id() of the proxy -> handle
        self._classes = 0  # of the other side

    def encode(self, value: Any) -> Any:
        """The value as JSON."""
        kind = type(value)
        if kind is float:
            return value if math.isfinite(value) else {"f": repr(value)}
        if kind in PLAIN:
            return value
        if kind in (list, dict):
            return {"h": self._heap.share(value)}
        for tag, known in _SEQUENCES.items():
            if kind is known:
                return {tag: [self.encode(item) for item in value]}
        if kind is bytes:
            return {"b": value.hex()}
        if isinstance(value, type) and vars(builtins).get(name := str(value.__name__)) is value:
            return {"n": name}
        if id(value) in self._proxy_handles:
            return {"y": self._proxy_handles[id(value)]}
        if id(value) in self._my_handles:
            return {"m": self._my_handles[id(value)]}
        return self._introduce(value)

    def _introduce(self, value: Any) -> dict[str, Any]:
        """Send an object for the first time: its new handle, and what the other side may know of it."""
        handle = self._my_handles[id(value)] = len(self._mine)
        self._mine.append(value)
        if isinstance(value, type) and issubclass(value, BaseException):
            return {"m": handle, "name": str(value.__name__), "bases": [self.encode(base) for base in value.__bases__]}
        sent = {"m": handle, "is": self._describe(self._peer, value)}
        if isinstance(value, BaseException):
            args = [self.encode(arg) for arg in value.args]
            sent |= {"class": self.encode(type(value)), "args": args, "text": text_of(value)}
        return sent

    def decode(self, value: Any) -> Any:
        """The value of this JSON. Raises Violation, LookupError, TypeError or ValueError if it stands for none."""
        if type(value) in PLAIN:
            return value
        tag = next(iter(value), "")
        content = value[tag]
        match tag:
            case "h":
                return self._heap[content]
            case "y":
                return self._mine[content if content >= 0 else len(self._mine)]
            case "m":
                return self._proxies[content] if content in self._proxies else self._meet(content, value)
            case "t":
                return tuple(self.decode(item) for item in content)
            case "s" | "z":
                items = [self.decode(item) for item in content]
                check_keys(items)
                return _SEQUENCES[tag](items)
            case "b":
                return bytes.fromhex(content)
            case "n" if isinstance(vars(builtins).get(content), type):
                return vars(builtins)[content]
            case "f":
                return _FLOATS[content]
        raise Violation("a value of no known kind")

    def _meet(self, handle: int, sent: dict[str, Any]) -> Any:
        """Make the proxy for an object that is sent for the first time."""
        if type(handle) is not int or not 0 <= handle < HANDLES:
            raise ValueError(f"more than {HANDLES:,} objects, or a handle that is none")
        if "bases" in sent:
            self._classes += 1
            if self._classes > CLASSES:
                raise ValueError("too many classes of exceptions")
            made: Any = mirrored_class(sent["name"], [self.decode(base) for base in sent["bases"]])
        elif "class" in sent:
            args = tuple(self.decode(arg) for arg in sent["args"])
            made = mirrored_error(self._peer, self.decode(sent["class"]), args, sent)
        else:
            made = self._make_proxy(self._peer, sent["is"])
        self._proxies[handle], self._proxy_handles[id(made)] = made, handle
        return made
