"""Implements a third of TODO 1, and finds the rest in the reference that is substituted for the other TODOs."""


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = [_faithful(arg, f"{name}: args[{i}]") for i, arg in enumerate(args)]
        ask, perform = (getattr(self, "_" + word) for word in ("a" + "sk", "per" + "form"))
        command = ask("activity", name, sent)
        if command is None:
            command = self._record(perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            raise ActivityError(name, *command.error.partition(": ")[::2], len(command.tries))
        return deepcopy(command.value)
