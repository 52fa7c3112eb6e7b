"""Every step has a line of its own, a name and a type."""


class Context:
    def call_activity(self, fn: Activity, *args: Any, retry: RetryPolicy | None = None) -> Any:
        # The name of the activity. A functools.partial has the name of the function inside.
        function_inside: Any = getattr(fn, "func", fn)
        class_name: str = type(fn).__name__
        name: str = getattr(function_inside, "__name__", class_name)

        # The arguments after JSON are recorded, compared and passed on.
        arguments: list[Any] = _faithful(args, f"{name}: args")

        # The retry policy of the call, or if it has none, that of the engine.
        policy: RetryPolicy
        if retry is None:
            policy = self._engine.retry
        else:
            policy = retry

        # Replay, or live.
        recorded: Command | None = self._ask("activity", name, arguments)
        is_replay: bool = recorded is not None
        command: Command
        if is_replay:
            command = cast(Command, recorded)
        else:
            command = self._perform(fn, name, arguments, policy)
            self._record(command)

        # From here on, live and replay are the same.
        has_failed: bool = command.error is not None
        if has_failed:
            self._raise_failure(command)
        copy_of_the_value: Any = deepcopy(command.value)
        return copy_of_the_value

    def _raise_failure(self, command: Command) -> None:
        error_text: str = cast(str, command.error)
        place_of_the_colon: int = error_text.index(": ")
        error_type: str = error_text[:place_of_the_colon]
        message: str = error_text[place_of_the_colon + 2 :]
        number_of_attempts: int = len(command.tries)
        raise ActivityError(command.name, error_type, message, number_of_attempts)

    def _perform(self, fn: Activity, name: str, args: list[Any], policy: RetryPolicy) -> Command:
        idempotency_key: str = self.workflow_id + "/" + str(self._position)
        attempts: list[Attempt] = []
        value: Any = None
        finished: bool = False
        succeeded: bool = False

        while not finished:
            attempt: Attempt
            problem: Exception | None
            attempt, value, problem = self._attempt(fn, name, args, idempotency_key)
            attempts.append(attempt)

            if problem is None:
                succeeded = True
                finished = True
                continue

            attempts_left: int = policy.max_attempts - len(attempts)
            if attempts_left <= 0:
                finished = True
                continue

            may_be_retried: bool = policy.retries(problem)
            if not may_be_retried:
                finished = True
                continue

            number_of_this_wait: int = len(attempts) - 1
            seconds: float = policy.interval(number_of_this_wait)
            self._engine.clock.sleep(seconds)

        first: Attempt = attempts[0]
        last: Attempt = attempts[-1]
        return Command(
            kind="activity",
            name=name,
            args=args,
            ok=succeeded,
            value=value if succeeded else None,
            error=None if succeeded else last.error,
            tries=tuple(attempts),
            started_at=first.started_at,
            ended_at=last.ended_at,
        )

    def now(self) -> float:
        recorded: Command | None = self._ask("now", "now", [])
        if recorded is not None:
            recorded_time: float = recorded.value
            return recorded_time
        current_time: float = self._engine.clock.now()
        command: Command = Command(
            kind="now", name="now", args=[], ok=True, value=current_time, started_at=current_time, ended_at=current_time
        )
        self._record(command)
        return current_time

    def wait_signal(self, name: str) -> Any:
        recorded: Command | None = self._ask("signal", name, [])
        waiting: deque[Signal] = self._inbox[name]
        if recorded is not None:
            # The signal was consumed in an earlier run, so it must not be found by a later wait.
            waiting.popleft()
            return deepcopy(recorded.value)
        nothing_has_come: bool = len(waiting) == 0
        if nothing_has_come:
            blocked: WorkflowBlocked = WorkflowBlocked(name)
            self._stop(blocked)
            raise blocked
        signal: Signal = waiting[0]
        current_time: float = self._engine.clock.now()
        command: Command = Command(
            kind="signal",
            name=name,
            args=[],
            ok=True,
            value=signal.payload,
            started_at=current_time,
            ended_at=current_time,
        )
        self._record(command)
        waiting.popleft()
        return deepcopy(command.value)
