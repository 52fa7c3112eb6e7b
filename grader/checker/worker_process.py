"""The grader's end of a sandbox: it starts the processes there, one after the other, and talks to the running one."""

from __future__ import annotations

import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from durable_lab.checks.bench import NotStarted
from durable_lab.todos import SKELETON
from grader.checker import proxy
from grader.checker.rpc.peer import Ended, Peer
from grader.sandbox import bubblewrap

BYTES = 2_000_000  # that one process may send; the tests need some ten thousands
START = 30.0  # seconds for the sandbox and its Python to start
LIMITS = bubblewrap.Limits(memory_mb=256, processes=4)  # an engine is one process; each of the 4 may use this memory
_WORKER, _RPC, _GIVEN = Path(__file__).with_name("worker.py"), Path(__file__).with_name("rpc"), SKELETON / "engine.py"


class Worker:
    """One sandbox, as a context manager. `start` runs an engine in a new process, and ends the process before.

    seconds   the time limit of one process, as elapsed time
    messages  the limit of messages to one process: an engine that loops for ever ends at the same point each time

    If the process is lost, each use of its engine raises `Ended` with the reason, in words for the student. If it does
    not start at all, NotStarted is raised, which says nothing about the engine.
    """

    def __init__(self, *, isolated: bool = True, seconds: float = 5.0, messages: int = 5_000) -> None:
        self.seconds, self.messages = seconds, messages
        self._control, theirs = socket.socketpair()
        with theirs:
            command, given = _sandboxed() if isolated else (bubblewrap.unprotected([_WORKER, _GIVEN]), ())
            nowhere = subprocess.DEVNULL
            try:
                self._process = subprocess.Popen(
                    command, stdin=theirs.fileno(), stdout=nowhere, stderr=nowhere, pass_fds=given
                )
            except OSError as error:
                self._control.close()
                raise NotStarted(f"the sandbox did not start: {error}") from None
        self._socket: socket.socket | None = None
        self._ready = self.late = False  # late: the last process reached its time limit
        self.began = time.monotonic()  # when the last process had started
        self._compiled: tuple[str | None, Any] = (None, b"")
        self.peer: Peer

    # ------------------------------------------------------------ processes

    def start(self, source: str, shown: bool = True) -> proxy.Engine:
        """The engine of this source, in a new process. Raises what the import raises, Ended, or NotStarted.

        shown  False: tracebacks cannot quote the source, because parts of it are the reference implementation
        """
        if self._socket:
            self.peer.end("the process that it belonged to is over")
            self._socket.close()
        self._socket, theirs = socket.socketpair()
        self._buffer = bytearray()
        self._left, self._bytes = self.messages, BYTES
        self.peer = Peer(self._send, self._receive, 0, proxy.describe, proxy.make_proxy, proxy.perform)
        self._until = time.monotonic() + START
        with theirs:
            self._request_process(theirs)
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
        return self._engine(self.peer.ask("load", None, self._compiled[1], source if shown else ""))

    def again(self) -> proxy.Engine:
        """The engine in the running process, for another test: with new limits, and all handles are forgotten."""
        self._until = time.monotonic() + self.seconds
        self._left, self._bytes = self.messages, BYTES
        self.peer.forget()
        return self._engine(self.peer.ask("engine"))

    def _engine(self, module: Any) -> proxy.Engine:
        if not isinstance(module, proxy.Proxy):
            raise self.peer.end("no engine came")
        return proxy.Engine(module)

    @property
    def up(self) -> bool:
        """Whether a process is running that can be asked."""
        return self._socket is not None and not self.peer.ended

    @property
    def lost(self) -> str:
        """Why the process can no longer be asked; empty while it can."""
        return self.peer.ended

    def close(self) -> None:
        """Kill the sandbox and all its processes: they share a PID namespace, which ends with its first process."""
        self._process.kill()
        self._process.wait()
        self._control.close()
        if self._socket:
            self._socket.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # ------------------------------------------------------------ the line to the process

    def _request_process(self, its_end: socket.socket) -> None:
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
        """The line to the process, with the time that is left as its timeout."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise self._late()
        assert self._socket is not None
        self._socket.settimeout(left)
        return self._socket

    def _late(self) -> Ended:
        self.late = True
        return self._lose(f"it did not return within {self.seconds:g} seconds: a loop in it does not end, or it sleeps")

    def _death(self) -> str:
        return "its process ended: it was stopped at a limit (memory, CPU time, files), or ended itself"

    def _lose(self, why: str) -> Ended:
        if self._socket:
            self._socket.close()  # the process itself is killed before the next one starts, or with its sandbox
        return self.peer.end(why)


def _sandboxed() -> tuple[list[str], tuple[int, ...]]:
    """The command, and the file descriptors that it inherits."""
    files, library = (_WORKER, _RPC, _GIVEN), bubblewrap.library()
    argv = [bubblewrap.inside(_WORKER), bubblewrap.inside(_GIVEN)]
    return bubblewrap.command(argv, files=files, limits=LIMITS, library=library), (library,)
