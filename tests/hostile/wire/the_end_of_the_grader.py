"""Raises what would end the grader, under other names: classes below them, groups of them, the grader's own."""

import os

begin()
say(ok=[thing()])
CLASSES = [
    {"n": "KeyboardInterrupt"}, {"m": 4, "name": "Ended", "bases": [{"n": "KeyboardInterrupt"}]}, {"n": "SystemExit"},
    {"m": 5, "name": "NotStarted", "bases": [{"n": "GeneratorExit"}, {"n": "Exception"}]}, {"n": "BaseExceptionGroup"},
    {"y": 0}, {"y": 1}, {"y": 2}, {"n": "StopIteration"}, {"n": "RecursionError"}, {"n": "SyntaxError"},
]  # fmt: skip
while hear():
    cls = CLASSES[os.urandom(1)[0] % len(CLASSES)]
    say(error=[{"m": 6, "is": {}, "class": cls, "args": ["x", {"t": [1, 2, 3, 4]}], "text": "bye"}])
