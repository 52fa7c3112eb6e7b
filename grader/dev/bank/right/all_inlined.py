"""All code is in the three public methods; `_ask` and `_perform` are left as they were handed out."""


class Context:
    def _ask(self, kind, name, args):
        raise NotImplementedError("not used")

    def _perform(self, fn, name, args, policy):
        raise NotImplementedError("not used")

    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        if self._stopped is not None:
            raise self._stopped
        if self._position < len(self._history):
            command = self._history[self._position]
            if (
                command.kind != "activity"
                or command.name != name
                or (self._engine.guard == "arguments" and _canonical(command.args) != _canonical(sent))
            ):
                raise self._stop(NonDeterminismError(self._position, command, Command("activity", name, sent)))
            self._position += 1
        else:
            policy = retry if retry is not None else self._engine.retry
            key = f"{self.workflow_id}/{self._position}"
            tries = []
            done = False
            while not done:
                attempt, value, problem = self._attempt(fn, name, sent, key)
                tries.append(attempt)
                done = problem is None or len(tries) == policy.max_attempts or not policy.retries(problem)
                if not done:
                    self._engine.clock.sleep(policy.interval(len(tries) - 1))
            start, end = tries[0].started_at, attempt.ended_at
            command = Command("activity", name, sent, problem is None, value, attempt.error, tuple(tries), start, end)
            self._record(command)
        if not command.ok:
            kind, _, text = command.error.partition(": ")
            raise ActivityError(name, kind, text, len(command.tries))
        return deepcopy(command.value)

    def now(self):
        if self._stopped is not None:
            raise self._stopped
        if self._position < len(self._history):
            command = self._history[self._position]
            if command.kind != "now":
                raise self._stop(NonDeterminismError(self._position, command, Command("now", "now")))
            self._position += 1
            return command.value
        return self._record(Command("now", "now", value=self._engine.clock.now())).value

    def wait_signal(self, name):
        if self._stopped is not None:
            raise self._stopped
        if self._position < len(self._history):
            command = self._history[self._position]
            if (command.kind, command.name) != ("signal", name):
                raise self._stop(NonDeterminismError(self._position, command, Command("signal", name)))
            self._position += 1
            self._inbox[name].popleft()
            return deepcopy(command.value)
        if not self._inbox[name]:
            raise self._stop(WorkflowBlocked(name))
        command = self._record(Command("signal", name, value=self._inbox[name].popleft().payload))
        return deepcopy(command.value)
