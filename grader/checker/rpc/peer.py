"""The conversation: requests and responses, one at a time, as lines of JSON over a socket.

    grader  {"ask": ["call", {"y": 4}, {"t": ["A1"]}, {"t": []}], "heap": {}}     call your object 4 with "A1"
    worker  {"ask": ["call", {"y": 0}, {"t": [900]}, {"t": []}], "heap": {}}      a callback: call your object 0
    grader  {"ok": [true], "heap": {}}
    worker  {"error": [{"m": 6, "is": {}, "class": {"n": "ValueError"}, "args": ["no"], "text": "no"}], "heap": {}}

A request is `[operation, target, *arguments]`; while a side waits for the response, it answers callbacks. The values
are encoded by codec.py, and the changes of shared containers are in "heap".
"""

import json
from collections.abc import Callable
from typing import Any

from .codec import Codec, Describe, MakeProxy
from .heap import Heap
from .limits import DEPTH, Violation

_LEAST = {"ask": 2, "ok": 1, "error": 1}  # values of a message of each kind
_UNREADABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class Ended(BaseException):
    """The conversation is over. A BaseException, so that no `except Exception` of a workflow continues after it."""


class Peer:
    """One side of the conversation.

    send, receive  one line out, one line in; they raise Ended if that is no longer possible
    side           0 for the grader, 1 for the worker
    describe       describe(peer, own object) -> what the other side may know of it, as plain JSON
    make_proxy     make_proxy(peer, description) -> the proxy here for an object of the other side
    perform        perform(operation, target, arguments) -> the result of a request of the other side
    """

    def __init__(
        self,
        send: Callable[[bytes], None],
        receive: Callable[[], bytes],
        side: int,
        describe: Describe,
        make_proxy: MakeProxy,
        perform: Callable[[str, Any, list[Any]], Any],
    ) -> None:
        self._send, self._receive, self.side = send, receive, side
        self._describe, self._make_proxy, self._perform = describe, make_proxy, perform
        self._depth = 0  # of nested requests
        self.ended = ""  # the reason
        self.forget()

    def forget(self) -> None:
        """Share nothing and know no handle from now on. Both sides do so at the same point."""
        self._heap = Heap(self.side)
        self._codec = Codec(self, self._heap, self._describe, self._make_proxy)

    def encode(self, value: Any) -> Any:
        """The value as JSON, for a description that contains values."""
        return self._codec.encode(value)

    def decode(self, value: Any) -> Any:
        """The value of a part of a description."""
        return self._codec.decode(value)

    def end(self, reason: str) -> Ended:
        """End the conversation: every further use raises Ended. The first reason is kept."""
        self.ended = self.ended or reason
        return Ended(self.ended)

    def ask(self, operation: str, target: Any = None, *arguments: Any) -> Any:
        """Send a request and return its result; answer callbacks meanwhile. An error of the other side is raised."""
        self._send_message("ask", [operation, target, *arguments])
        while True:
            kind, values = self._receive_message()
            if kind == "ask":
                self._answer(*values)
            elif kind == "ok":
                return values[0]
            elif isinstance(values[0], BaseException):
                raise values[0]
            else:
                raise self.end("an error that is none")

    def serve(self) -> None:
        """Answer requests until the other side closes the line. Raises Ended."""
        while True:
            kind, values = self._receive_message()
            if kind != "ask":
                raise self.end("a response without a request")
            self._answer(*values)

    def _answer(self, operation: str, target: Any, *arguments: Any) -> None:
        self._depth += 1
        if self._depth > DEPTH + 5 * self.side:  # so that the grader is the first to refuse
            raise self.end("too many calls within calls")
        try:
            response = "ok", self._perform(operation, target, list(arguments))
        except Ended:
            raise
        except BaseException as error:
            if type(error) is KeyboardInterrupt and self.side == 0 and not error.args:  # from the keyboard
                raise
            response = "error", error
        self._depth -= 1
        self._send_message(response[0], [response[1]])

    def _send_message(self, kind: str, values: list[Any]) -> None:
        if self.ended:
            raise Ended(self.ended)
        try:
            encode = self._codec.encode
            message = {kind: [encode(value) for value in values], "heap": self._heap.changes(encode)}
            line = json.dumps(message, allow_nan=False, separators=(",", ":"))
        except Violation as why:
            raise self.end(str(why)) from None
        except (RecursionError, ValueError) as error:  # an integer of 5,000 digits, deeply nested tuples ...
            raise self.end(f"a value that cannot be sent ({type(error).__name__})") from None
        self._send(line.encode() + b"\n")

    def _receive_message(self) -> tuple[str, list[Any]]:
        if self.ended:
            raise Ended(self.ended)
        line = self._receive()
        try:
            message = json.loads(line)
            self._heap.update(message.pop("heap"), self._codec.decode)
            ((kind, values),) = message.items()
            if kind not in _LEAST or type(values) is not list or len(values) < _LEAST[kind]:
                raise Violation("a message of no known kind")
            return kind, [self._codec.decode(value) for value in values]
        except Violation as why:
            raise self.end(str(why)) from None
        except _UNREADABLE as error:
            raise self.end(f"a message that cannot be read ({type(error).__name__})") from None
