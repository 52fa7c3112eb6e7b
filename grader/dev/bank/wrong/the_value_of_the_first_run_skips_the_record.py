"""The activity has just returned its value, so that is what the workflow gets.

Live, the workflow gets the activity's own object; on replay it gets a copy made through JSON.
A tuple in the first run is a list after a restart, and the workflow takes another branch.
"""

BELIEF = "M23b"
TODO = 1
RULES = ("R5",)


class Context:
    def _attempt(self, fn, name, args, key):
        clock = self._engine.clock
        started_at, value, problem = clock.now(), None, None
        try:
            extra = {"idempotency_key": key} if _takes_key(fn) else {}
            value = fn(*deepcopy(args), **extra)
            _check(value, f"{name}: result")
        except Exception as error:
            problem = error
        except BaseException as crash:
            raise self._stop(crash, crashed=True)
        text = f"{type(problem).__name__}: {problem!s}" if problem is not None else None
        return Attempt(started_at, clock.now(), text), value, problem
