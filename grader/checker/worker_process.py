"""One worker: a sandboxed process that holds one student's engine, until it is done, lost, or out of time."""

from __future__ import annotations

import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType

from grader.checker import remote, sandbox
from grader.checker.peer import Ended, NotStarted, Peer

BYTES = 2_000_000  # that a worker may send in one test; the tests need some ten thousands
START = 30.0  # seconds for the sandbox and its Python to come up
LIMITS = sandbox.Limits(memory_mb=256, processes=4)  # an engine is one process; each of them may use this memory
_OURS = [Path(__file__).with_name(name) for name in ("worker.py", "peer.py")]


class Worker:
    """A context manager. `load` gives it an engine; `engine` gives what the tests run on.

    seconds   how long one test may take, by the clock on the wall
    messages  how many messages one test may cost: an engine that tries for ever ends at the same point each time

    Where the worker is lost, every use of its engine raises `Ended`, with the reason in words for the student. Where it
    does not even come up, that is NotStarted, and says nothing of the engine.
    """

    def __init__(self, *, isolated: bool = True, seconds: float = 5.0, messages: int = 5_000) -> None:
        self.seconds, self.messages = seconds, messages
        ours, theirs = socket.socketpair()
        with theirs:
            command = _sandboxed() if isolated else sandbox.unprotected([_OURS[0]])
            nowhere = subprocess.DEVNULL
            try:
                self._process = subprocess.Popen(command, stdin=theirs.fileno(), stdout=nowhere, stderr=nowhere)
            except OSError as error:
                ours.close()
                raise NotStarted(f"the sandbox did not start: {error}") from None
        self._socket = ours
        self._buffer = bytearray()
        self._until = time.monotonic() + START
        self._left, self._bytes = messages, BYTES
        self._ready = False
        self.peer = Peer(self._send, self._receive, 0, remote.describe, remote.standin, remote.perform)

    # ------------------------------------------------------------ its life

    def load(self, source: str) -> None:
        """Let it import an engine. Raises what the import raises, or Ended."""
        self._allow()
        self.peer.ask("load", None, source)

    def engine(self) -> remote.Engine:
        """The engine's module, for one test: time and messages are counted anew, and no handle lives on."""
        self._allow()
        self.peer.forget()
        module = self.peer.ask("engine")
        if not isinstance(module, remote.Remote):
            raise self.peer.end("no engine came")
        return remote.Engine(module)

    @property
    def lost(self) -> str:
        """Why nothing can be asked any more; empty while all is well."""
        return self.peer.ended

    def close(self) -> None:
        """Kill it, with all that it has started: they share a namespace of processes that ends with its first one."""
        self._process.kill()
        self._process.wait()
        self._socket.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # ------------------------------------------------------------ the line to it

    def _allow(self) -> None:
        if not self._ready:  # the sandbox may take its time to come up, the student's code not
            self._until = time.monotonic() + START
            try:
                self._ready = self._receive() == b"ready"
            except Ended as why:
                raise NotStarted(f"the sandbox did not start: {why}") from None
            if not self._ready:
                raise NotStarted("the sandbox did not start as it should")
        self._until = time.monotonic() + self.seconds
        self._left, self._bytes = self.messages, BYTES

    def _send(self, line: bytes) -> None:
        self._left -= 1
        if self._left < 0:
            raise self._lose(f"it asked more than {self.messages:,} times: a loop in it does not end")
        self._wait()
        try:
            self._socket.sendall(line)
        except TimeoutError:
            raise self._late() from None
        except OSError:
            raise self._lose(self._death()) from None

    def _receive(self) -> bytes:
        while (end := self._buffer.find(b"\n")) < 0:
            self._wait()
            try:
                more = self._socket.recv(1 << 16)
            except TimeoutError:
                raise self._late() from None
            except OSError:
                more = b""
            if not more:
                raise self._lose(self._death())
            self._buffer += more
            self._bytes -= len(more)
            if self._bytes < 0:
                raise self._lose(f"it sent more than {BYTES:,} bytes")
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def _wait(self) -> None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise self._late()
        self._socket.settimeout(left)

    def _late(self) -> Ended:
        return self._lose(
            f"it did not come back within {self.seconds:g} seconds: a loop in it does not end, or it sleeps"
        )

    def _death(self) -> str:
        return "its process ended: it was stopped at a limit (memory, CPU time, files), or ended itself"

    def _lose(self, why: str) -> Ended:
        self._process.kill()
        return self.peer.end(why)


def _sandboxed() -> list[str]:
    return sandbox.command([sandbox.inside(_OURS[0])], files=_OURS, limits=LIMITS)
