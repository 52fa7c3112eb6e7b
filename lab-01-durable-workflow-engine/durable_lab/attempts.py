"""Failed attempts are kept outside history, so that `max_attempts` counts every attempt over killed processes (R12).

History has one record for each command, its outcome (R6). A worker that is killed in a back-off leaves no record, and
the next one would start with attempt 1 again, forever. So each failure is kept in the store before the engine backs
off. The next worker's engine first gets the kept failures: they are raised again, without a call, with their times.
(Temporal also keeps them outside history.) An attempt that a kill interrupted has no outcome and runs again (R11).
This works with any engine, because it is done between the workflow and its `ctx`.
"""

from __future__ import annotations

import functools
import json
import sys
from collections import deque
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from durable_lab.stores import SQLiteStore, StoreError
from durable_lab.world import BooksError


class Stopped(BaseException):
    """The store or the books failed inside an activity. Not an Exception: for the engine, the process dies here."""

    def __init__(self, why: StoreError) -> None:
        super().__init__(str(why))
        self.why = why


class Attempts:
    """The attempts of one run in one session. It is also the engine's clock, see `now` and `sleep`."""

    def __init__(self, store: SQLiteStore, workflow_id: str, position: int, clock: Any) -> None:
        self.position = self.replayed = position  # the number of recorded commands
        self._store, self._workflow_id, self._clock = store, workflow_id, clock
        self._kept = deque(store.attempts(workflow_id, position))  # only the first live command can have some
        self._times: deque[float] = deque()
        self._failed_at: float | None = None  # the time of the failure that was raised again last

    def counting(self, journal: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """The journal, which also counts the position of the next command."""

        def record(entry: Any) -> Any:
            seq = journal(entry)
            self.position += 1
            return seq

        return record

    def counted(self, workflow: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """The workflow, with a `ctx` whose activities are counted."""

        @functools.wraps(workflow)
        def run(ctx: Any, given: Any) -> Any:
            return workflow(_Counting(ctx, self), given)

        return run

    def now(self) -> float:
        """The time. An attempt that is raised again has its original times."""
        return self._times.popleft() if self._times else float(self._clock.now())

    def sleep(self, seconds: float) -> None:
        """Wait. After an attempt that is raised again, only for the rest of its back-off."""
        if self._failed_at is not None:
            seconds = min(seconds, self._failed_at + seconds - self._clock.now())
        if not self._kept and seconds > 0:
            self._clock.sleep(seconds)

    def live(self, fn: Any, args: tuple[Any, ...]) -> Any:
        """The activity with its attempts counted. The engine sees the same name and parameters."""
        return put_around(fn, args, self._counting_calls)

    def _counting_calls(self, fn: Any, name: str, args: tuple[Any, ...]) -> Callable[..., Any]:
        if self._kept and (self.position != self.replayed or self._kept[0]["asked"] != _asked(name, args)):
            self._kept.clear()  # the workflow was changed, and asks for another command here

        def call(*args: Any, **key: Any) -> Any:
            if self._kept:
                attempt = self._kept.popleft()
                self._failed_at = attempt["ended_at"]
                self._times = deque([attempt["ended_at"], *self._next_start()])
                raise again(attempt["kinds"], attempt["message"])
            self._failed_at, started_at = None, self._clock.now()
            try:
                return fn(*args, **key)
            except BooksError as error:
                raise Stopped(error) from None
            except Exception as error:
                attempt = {"asked": _asked(name, args), "kinds": kinds(error), "message": message(error)}
                self._keep(attempt | {"started_at": started_at, "ended_at": self._clock.now()})
                raise

        self._times = deque(self._next_start())
        return call

    def _next_start(self) -> list[float]:
        return [self._kept[0]["started_at"]] if self._kept else []

    def _keep(self, attempt: Any) -> None:
        try:
            self._store.keep_attempt(self._workflow_id, self.position, attempt)
        except StoreError as error:
            raise Stopped(error) from None

    def ended(self) -> None:
        """The command has returned: the engine reads the clock for other commands from now on."""
        self._times.clear()


class _Counting:
    """A `ctx` that passes everything on, and counts the attempts of activities."""

    def __init__(self, ctx: Any, attempts: Attempts) -> None:
        self._ctx, self._attempts = ctx, attempts
        self._issued = 0

    def call_activity(self, fn: Any, *args: Any, **options: Any) -> Any:
        self._issued += 1
        if self._issued <= self._attempts.replayed:
            return self._ctx.call_activity(fn, *args, **options)
        try:
            return self._ctx.call_activity(self._attempts.live(fn, args), *args, **options)
        finally:
            self._attempts.ended()

    def now(self) -> Any:
        self._issued += 1
        return self._ctx.now()

    def wait_signal(self, name: Any) -> Any:
        self._issued += 1
        return self._ctx.wait_signal(name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ctx, name)


Make = Callable[[Any, str, tuple[Any, ...]], Callable[..., Any]]


def put_around(fn: Any, args: tuple[Any, ...], make: Make) -> Any:
    """`make(fn, name, args)` with the name and the parameters of the activity `fn`: the engine sees no difference.

    What is no activity is returned as it is: the engine refuses it.
    """
    if isinstance(fn, functools.partial):
        return functools.partial(put_around(fn.func, (*fn.args, *args), make), *fn.args, **fn.keywords)
    name = getattr(fn, "__name__", type(fn).__name__)
    if not callable(fn) or not isinstance(name, str):
        return fn
    call: Any = make(fn, name, args)
    functools.update_wrapper(call, fn)
    call.__name__ = name
    if hasattr(fn, "__self__"):  # a method: the engine records "Bank.pay_back"
        call.__self__ = fn.__self__
    return call


def _asked(name: str, args: tuple[Any, ...]) -> list[str] | None:
    try:
        return [name, json.dumps(args, sort_keys=True)]
    except (RecursionError, TypeError, ValueError):
        return None  # the engine refuses these arguments


def kinds(error: Exception) -> list[str]:
    """The classes of an error, each as "module:name", most specific first."""
    return [f"{cls.__module__}:{cls.__qualname__}" for cls in type(error).__mro__ if issubclass(cls, Exception)]


def message(error: BaseException) -> str:
    try:
        return f"{error!s:.10000}"
    except Exception:
        return ""


def again(kinds: list[str], message: str) -> Exception:
    """An error with this name and message. It is an instance of those of its classes that exist in this process."""
    names = [kind.rpartition(":")[2].rpartition(".")[2] for kind in kinds]
    for i, kind in enumerate(kinds):
        module, _, name = kind.partition(":")
        try:
            made = attrgetter(name)(sys.modules[module])
            for name in reversed(names[:i] or names[:1]):
                made = type(name, (made,), {"__init__": lambda self: None, "__str__": lambda self: message})
            error: Exception = made.__new__(made)
            return error
        except (AttributeError, KeyError, TypeError):  # it does not exist, or cannot be made without arguments
            continue
    return Exception(message)
