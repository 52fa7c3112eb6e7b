"""A crash happens in the last step, so the last step is repeated.

call_activity takes a record only if another one follows it; the last one is performed and recorded again.
A report that is opened twice has sent its last letter twice.
"""

BELIEF = "M1b"
TODO = 1
RULES = ("R2",)


class Context:
    def call_activity(self, fn, *args, retry=None):
        fn, name, sent = _identify(fn, args, retry)
        last = self._position == len(self._history) - 1
        command = self._ask("activity", name, sent)
        if command is None or (last and command.ok and not hasattr(self, "_live")):
            if command is not None:
                self._history.pop()
                self._position -= 1
            self._live = True
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
