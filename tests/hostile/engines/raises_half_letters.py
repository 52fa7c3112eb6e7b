"""Raises text that no file, database or terminal accepts: lone surrogates, control characters, right-to-left marks."""


class DurableEngine:
    def run(self, workflow, state):
        raise ValueError("\ud800 \x1b]0;owned\x07 \x1b[2J \x00 \u202e \r\n \x9b31m")
