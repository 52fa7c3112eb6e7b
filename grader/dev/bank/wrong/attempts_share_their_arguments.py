"""One copy of the arguments is enough for all attempts.

The activity gets the arguments of the record itself, so each attempt sees what a failed one changed in them.
The first attempt took the pen out of the basket before it failed; the second one sends an empty parcel.
"""

BELIEF = "M11a"
TODO = 1
RULES = ("R5",)


class Context:
    def _attempt(self, fn, name, args, key):
        clock = self._engine.clock
        started_at, value, problem = clock.now(), None, None
        try:
            extra = {"idempotency_key": key} if _takes_key(fn) else {}
            value = _faithful(fn(*args, **extra), f"{name}: result")
        except Exception as error:
            problem = error
        except BaseException as crash:
            raise self._stop(crash, crashed=True)
        text = f"{type(problem).__name__}: {problem!s}" if problem is not None else None
        return Attempt(started_at, clock.now(), text), value, problem

    def _perform(self, fn, name, args, policy):
        key = f"{self.workflow_id}/{self._position}"
        tries, theirs = [], deepcopy(args)
        while True:
            attempt, value, problem = self._attempt(fn, name, theirs, key)
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._engine.clock.sleep(policy.interval(len(tries) - 1))
