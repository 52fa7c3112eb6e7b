"""Every copy is made through JSON, both of what goes in and of what comes out."""


class Context:
    def call_activity(self, fn, *args, retry=None):
        name = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        sent = _faithful(args, f"{name}: args")
        command = self._ask("activity", name, sent)
        if not command:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return json.loads(json.dumps(command.value))

    def _attempt(self, fn, name, args, key):
        started_at, value, problem = self._engine.clock.now(), None, None
        mine = json.loads(json.dumps(args))
        try:
            value = _faithful(fn(*mine, idempotency_key=key) if _takes_key(fn) else fn(*mine), f"{name}: result")
        except Exception as error:
            problem = error
        except BaseException as crash:
            raise self._stop(crash, crashed=True)
        text = None if problem is None else f"{type(problem).__name__}: {problem}"
        return Attempt(started_at, self._engine.clock.now(), text), value, problem


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        self.journal(signal)
        new = WorkflowState.from_json(state.to_json())
        new.signals.append(signal)
        return new
