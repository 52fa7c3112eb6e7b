"""Activity, time and signal are one helper with a function that does the work."""


class Context:
    def _once(self, kind, name, args, do):
        command = self._ask(kind, name, args)
        if command is None:
            command = self._record(do())
        return command

    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        policy = retry or self._engine.retry
        command = self._once("activity", name, sent, lambda: self._perform(fn, name, sent, policy))
        if command.ok:
            return deepcopy(command.value)
        error_type, message = command.error.split(": ", 1)
        raise ActivityError(name, error_type, message, len(command.tries))

    def now(self):
        return self._once("now", "now", [], lambda: Command("now", "now", value=self._engine.clock.now())).value

    def wait_signal(self, name):
        def take():
            if not self._inbox[name]:
                raise self._stop(WorkflowBlocked(name))
            return Command("signal", name, value=self._inbox[name][0].payload)

        command = self._once("signal", name, [], take)
        self._inbox[name].popleft()
        return deepcopy(command.value)
