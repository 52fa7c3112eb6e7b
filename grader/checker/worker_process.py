"""One sandbox for one student's engine, and the processes in it: one after the other, each with nothing of the last."""

from __future__ import annotations

import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from durable_lab.checks.bench import NotStarted
from grader.checker import remote
from grader.checker.peer import Ended, Peer
from grader.sandbox import bubblewrap

BYTES = 2_000_000  # that one process may send; the tests need some ten thousands
START = 30.0  # seconds for the sandbox and its Python to come up
LIMITS = bubblewrap.Limits(memory_mb=256, processes=4)  # an engine is one process; each of them may use this memory
_OURS = [Path(__file__).with_name(name) for name in ("worker.py", "peer.py")]


class Worker:
    """A context manager. `start` gives an engine in a new process, and ends the one before.

    seconds   how long one process may take, by the clock on the wall
    messages  how many messages it may cost: an engine that tries for ever ends at the same point each time
    shown     False: the engine's source cannot be quoted by its own tracebacks, as it has parts of the reference in it

    If the process is lost, every use of its engine raises `Ended`, with the reason in words for the student. If it
    does not even come up, that is NotStarted, and says nothing of the engine.
    """

    def __init__(
        self, *, isolated: bool = True, seconds: float = 5.0, messages: int = 5_000, shown: bool = True
    ) -> None:
        self.seconds, self.messages, self.shown = seconds, messages, shown
        self._control, theirs = socket.socketpair()
        with theirs:
            command, given = _sandboxed() if isolated else (bubblewrap.unprotected([_OURS[0]]), ())
            nowhere = subprocess.DEVNULL
            try:
                self._process = subprocess.Popen(
                    command, stdin=theirs.fileno(), stdout=nowhere, stderr=nowhere, pass_fds=given
                )
            except OSError as error:
                self._control.close()
                raise NotStarted(f"the sandbox did not start: {error}") from None
        self._socket: socket.socket | None = None
        self._ready = self.late = False  # late: the time of the last process ran out
        self.began = time.monotonic()  # the last process, once it was up
        self._compiled: tuple[str | None, Any] = (None, b"")
        self.peer: Peer

    # ------------------------------------------------------------ its life

    def start(self, source: str) -> remote.Engine:
        """The engine of this source, in a new process. Raises what the import raises, Ended, or NotStarted."""
        if self._socket:
            self.peer.end("the process that it belonged to is over")
            self._socket.close()
        self._socket, theirs = socket.socketpair()
        self._buffer = bytearray()
        self._left, self._bytes = self.messages, BYTES
        self.peer = Peer(self._send, self._receive, 0, remote.describe, remote.standin, remote.perform)
        self._until = time.monotonic() + START
        with theirs:
            self._ask_for_a_process(theirs)
        try:
            ready = self._receive()
        except Ended as why:
            raise NotStarted(f"a process in the sandbox did not start: {why}") from None
        if ready != b"ready":
            raise NotStarted("a process in the sandbox did not start as it should")
        self.late, self.began = False, time.monotonic()
        self._until = self.began + self.seconds
        if self._compiled[0] != source:  # once, by a process in which no line of it has run yet
            self._compiled = source, self.peer.ask("compile", None, source)
        return self._engine(self.peer.ask("load", None, self._compiled[1], source if self.shown else ""))

    def again(self) -> remote.Engine:
        """The engine in the process that is there, for another test: time and messages are counted anew, and no handle
        lives on.
        """
        self._until = time.monotonic() + self.seconds
        self._left, self._bytes = self.messages, BYTES
        self.peer.forget()
        return self._engine(self.peer.ask("engine"))

    def _engine(self, module: Any) -> remote.Engine:
        if not isinstance(module, remote.Remote):
            raise self.peer.end("no engine came")
        return remote.Engine(module)

    @property
    def up(self) -> bool:
        """Is there a process that can be asked?"""
        return self._socket is not None and not self.peer.ended

    @property
    def lost(self) -> str:
        """Why nothing can be asked of the engine any more; empty while all is well."""
        return self.peer.ended

    def close(self) -> None:
        """Kill it, with all that it has started: they share a namespace of processes that ends with its first one."""
        self._process.kill()
        self._process.wait()
        self._control.close()
        if self._socket:
            self._socket.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # ------------------------------------------------------------ the line to it

    def _ask_for_a_process(self, its_end: socket.socket) -> None:
        try:
            self._control.settimeout(START)
            if not self._ready and self._control.recv(6) != b"ready\n":
                raise NotStarted("the sandbox did not start as it should")
            self._ready = True
            socket.send_fds(self._control, [b"+"], [its_end.fileno()])
        except OSError as error:
            raise NotStarted(f"the sandbox did not start: {error}") from None

    def _send(self, line: bytes) -> None:
        self._left -= 1
        if self._left < 0:
            raise self._lose(f"it asked more than {self.messages:,} times: a loop in it does not end")
        try:
            self._channel().sendall(line)
        except TimeoutError:
            raise self._late() from None
        except OSError:
            raise self._lose(self._death()) from None

    def _receive(self) -> bytes:
        while (end := self._buffer.find(b"\n")) < 0:
            channel = self._channel()
            try:
                more = channel.recv(1 << 16)
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

    def _channel(self) -> socket.socket:
        """The line to the process, which may be waited on for as long as there is time left."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise self._late()
        assert self._socket is not None
        self._socket.settimeout(left)
        return self._socket

    def _late(self) -> Ended:
        self.late = True
        return self._lose(
            f"it did not come back within {self.seconds:g} seconds: a loop in it does not end, or it sleeps"
        )

    def _death(self) -> str:
        return "its process ended: it was stopped at a limit (memory, CPU time, files), or ended itself"

    def _lose(self, why: str) -> Ended:
        if self._socket:
            self._socket.close()  # the process itself is killed before the next one starts, or with its sandbox
        return self.peer.end(why)


def _sandboxed() -> tuple[list[str], tuple[int, ...]]:
    """The command, and the file descriptors that it is given."""
    library = bubblewrap.library()
    return bubblewrap.command([bubblewrap.inside(_OURS[0])], files=_OURS, limits=LIMITS, library=library), (library,)
