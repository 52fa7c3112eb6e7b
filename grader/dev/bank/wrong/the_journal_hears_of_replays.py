"""Everything that a run sees is an event, so it goes into the journal.

A replayed command is written to the journal again.
The history on disk grows with every replay, and no longer fits the workflow.
"""

BELIEF = "M14e"
TODO = 1
RULES = ("R2",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        else:
            self._engine.journal(command)
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
