"""Every exception of an activity is its failure.

BaseException is caught as well, so the end of the process counts as a failed attempt.
The machine is shut down, and the customer is told that the bank refused.
"""

BELIEF = "M19a"
TODO = 1
RULES = ("R1",)


class Context:
    def _attempt(self, fn, name, args, key):
        clock = self._engine.clock
        started_at, value, problem = clock.now(), None, None
        try:
            extra = {"idempotency_key": key} if _takes_key(fn) else {}
            value = _faithful(fn(*deepcopy(args), **extra), f"{name}: result")
        except BaseException as error:
            problem = error
        text = f"{type(problem).__name__}: {problem!s}" if problem is not None else None
        return Attempt(started_at, clock.now(), text), value, problem
