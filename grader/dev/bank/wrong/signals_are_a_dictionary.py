"""A name has one value.

The signals are put into a dictionary by their names.
Two orders were approved; one approval is left.
"""

BELIEF = "M9j"
TODO = 5
RULES = ("R8",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        new = state.copy()
        by_name = {signal.name: signal for signal in new.signals}
        by_name[name] = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        self.journal(by_name[name])
        new.signals[:] = by_name.values()
        return new
