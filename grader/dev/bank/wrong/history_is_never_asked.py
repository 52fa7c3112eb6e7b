"""A run resumes where it died, so its history need not be read.

_ask says that nothing is recorded, whatever history holds.
After a restart the workflow begins at its first line: every step runs a second time.
"""

BELIEF = "M1a"
TODO = 1
RULES = ("R2",)


class Context:
    def _ask(self, kind, name, args):
        if self._stopped is not None:
            raise self._stopped
        return None
