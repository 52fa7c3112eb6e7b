"""What was delivered was read.

The journal and the history get a record of the wait at once, as if the workflow had read it already.
The next replay finds an answer where no question was asked, and the run cannot continue.
"""

BELIEF = "M14o"
TODO = 5
RULES = ("R8", "R1")


class DurableEngine:
    def signal(self, state, name, payload=None):
        now, payload = self.clock.now(), _faithful(payload, f"signal {name}: payload")
        signal = Signal(name, payload, now)
        read = Command("signal", name, value=payload, started_at=now, ended_at=now)
        new = state.copy()
        for record, kept in ((signal, new.signals), (read, new.commands)):
            self.journal(record)
            kept.append(record)
        return new
