"""A signal is a message that I read once.

It is taken out of the inbox and returned, but not recorded.
After a restart history and code disagree, or the next wait gets the same approval again.
"""

BELIEF = "M9a"
TODO = 3
RULES = ("R8",)


class Context:
    def wait_signal(self, name):
        if self._stopped is not None:
            raise self._stopped
        if not self._inbox[name]:
            raise self._stop(WorkflowBlocked(name))
        return deepcopy(self._inbox[name].popleft().payload)
