"""Ends its process in the middle of a command, when the test has already been asked for something."""

import os


class Context:
    def call_activity(self, fn, *args, retry=None):
        fn(*args)
        os._exit(0)
