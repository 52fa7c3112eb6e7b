"""Every activity takes an idempotency key.

The key is passed whether or not the activity declares it.
A plain function cannot be called, and the step fails three times with a TypeError.
"""

BELIEF = "M4d"
TODO = 1
RULES = ("R11",)


class Context:
    def _attempt(self, fn, name, args, key):
        clock = self._engine.clock
        started_at, value, problem = clock.now(), None, None
        try:
            value = _faithful(fn(*deepcopy(args), idempotency_key=key), f"{name}: result")
        except Exception as error:
            problem = error
        except BaseException as crash:
            raise self._stop(crash, crashed=True)
        text = f"{type(problem).__name__}: {problem!s}" if problem is not None else None
        return Attempt(started_at, clock.now(), text), value, problem
