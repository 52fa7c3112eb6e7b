"""If the activity accepts it, history can keep it.

The arguments reach the activity unchecked; that JSON cannot represent them is noticed too late.
The money is paid, and the run cannot be recorded.
"""

BELIEF = "M14g"
TODO = 1
RULES = ("R5",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        command = self._ask("activity", name, list(args))
        if command is None:
            done = self._perform(fn, name, list(args), retry or self._engine.retry)
            sent = _faithful(args, f"{name}: args")
            times = done.started_at, done.ended_at
            command = self._record(Command("activity", name, sent, done.ok, done.value, done.error, done.tries, *times))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
