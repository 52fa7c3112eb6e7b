"""Two equal entries in history are one too many.

A record that is already in history is not added again.
Of two equal parcels that were sent, history has one: after a restart, a third is sent.
"""

BELIEF = "M14i"
TODO = 1
RULES = ("R2", "R6")


class Context:
    def _record(self, command):
        def same(a, b):
            return (a.kind, a.name, a.args, a.value, a.error) == (b.kind, b.name, b.args, b.value, b.error)

        if any(same(command, known) for known in self._history):
            return command
        try:
            self._engine.journal(command)
        except BaseException as error:
            raise self._stop(error, crashed=True)
        self._history.append(command)
        self._position += 1
        return command
