"""Loops for ever and catches whatever wants to end that."""

HANGS = True


class Context:
    def now(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue
