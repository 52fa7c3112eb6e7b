"""There is one way to do something in a durable way: call_activity.

now() calls the clock's function through call_activity.
History has an activity `now` with an attempt, where the contract has a reading of the clock.
"""

BELIEF = "M6f"
TODO = 2
RULES = ("R7", "R3")


class Context:
    def now(self):
        clock = self._engine.clock

        def now():
            return clock.now()

        return float(self.call_activity(now))
