"""Reading a message changes nothing.

History is read first, as always; a signal that is taken from the inbox is not recorded.
After a restart history and code disagree, or the next wait gets the same approval again.
"""

BELIEF = "M9a"
TODO = 3
RULES = ("R8",)


class Context:
    def wait_signal(self, name):
        command = self._ask("signal", name, [])
        if command is not None:
            return deepcopy(command.value)
        try:
            return deepcopy(self._inbox[name].popleft().payload)
        except IndexError:
            raise self._stop(WorkflowBlocked(name)) from None
