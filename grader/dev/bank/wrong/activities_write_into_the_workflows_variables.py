"""What an activity changes in its arguments survives.

The activity gets the workflow's own objects and writes into them; on replay it does not run.
The total is right in the first run, and wrong after a restart.
"""

BELIEF = "M11a"
TODO = 1
RULES = ("R5",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is None:
            self._given = args
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)

    def _attempt(self, fn, name, args, key):
        clock = self._engine.clock
        started_at, value, problem = clock.now(), None, None
        try:
            extra = {"idempotency_key": key} if _takes_key(fn) else {}
            value = _faithful(fn(*self._given, **extra), f"{name}: result")
        except Exception as error:
            problem = error
        except BaseException as crash:
            raise self._stop(crash, crashed=True)
        text = f"{type(problem).__name__}: {problem!s}" if problem is not None else None
        return Attempt(started_at, clock.now(), text), value, problem
