"""Gives errors as values, each with a long text, a thousand times in one list of lists."""

error = {"m": 2, "is": {}, "class": {"n": "ValueError"}, "args": ["x" * 11_000], "text": "x" * 11_000}
heap = {"1": [{"t": [error]}], "3": [{"m": 2}] * 1000, "5": [{"h": 3}] * 1000, "7": [{"h": 5}] * 1000}
be(lambda: say(ok=[{"h": 7}], heap=heap))
