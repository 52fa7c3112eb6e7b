"""Values are copied as deeply as the 14 tests check."""
# ruff: noqa: F821 (the rest of the engine is the reference)


def two_deep(value, depth=2):
    if depth and isinstance(value, dict):
        return {key: two_deep(item, depth - 1) for key, item in value.items()}
    if depth and isinstance(value, list):
        return [two_deep(item, depth - 1) for item in value]
    return value


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(fn, "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return two_deep(command.value)

    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        inbox = self._inbox[name]
        if command is None:
            if not inbox:
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=inbox[0].payload, started_at=now, ended_at=now))
        if inbox:
            inbox.popleft()
        return two_deep(command.value)
