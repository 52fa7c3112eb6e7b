"""The engine runs each step exactly once, so no key is needed.

The activity is called with its arguments and nothing else.
A crash between the payment and its record means two payments, and the bank cannot tell.
"""

BELIEF = "M4c"
TODO = 1
RULES = ("R11",)


class Context:
    def _attempt(self, fn, name, args, key):
        clock = self._engine.clock
        started_at, value, problem = clock.now(), None, None
        try:
            value = _faithful(fn(*deepcopy(args)), f"{name}: result")
        except Exception as error:
            problem = error
        except BaseException as crash:
            raise self._stop(crash, crashed=True)
        text = f"{type(problem).__name__}: {problem!s}" if problem is not None else None
        return Attempt(started_at, clock.now(), text), value, problem
