"""Everything that happens is a command.

The signal is recorded in history when it arrives, at whatever position the run has reached.
The next replay finds an answer where no question was asked, and the run cannot continue.
"""

BELIEF = "M14o"
TODO = 5
RULES = ("R8",)


class DurableEngine:
    def signal(self, state, name, payload=None):
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        self.journal(signal)
        state = state.copy()
        state.signals.append(signal)
        state.commands.append(Command("signal", name, value=signal.payload))
        return state
