"""What json.dumps accepts, JSON can represent.

The result goes through dumps and loads, which silently turn the key 1 into "1".
`prices[1]` finds nothing, though the activity returned it.
"""

BELIEF = "M21e"
TODO = 1
RULES = ("R5",)


class Context:
    def _attempt(self, fn, name, args, key):
        clock = self._engine.clock
        started_at, value, problem = clock.now(), None, None
        try:
            extra = {"idempotency_key": key} if _takes_key(fn) else {}
            result = fn(*deepcopy(args), **extra)
            value = _faithful(json.loads(json.dumps(result)), f"{name}: result")
        except Exception as error:
            problem = error
        except BaseException as crash:
            raise self._stop(crash, crashed=True)
        text = f"{type(problem).__name__}: {problem!s}" if problem is not None else None
        return Attempt(started_at, clock.now(), text), value, problem
