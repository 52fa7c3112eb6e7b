"""Sends errors whose arguments are errors whose arguments are errors, each of them twice."""


def error(handle, *args):
    place = {"line": 1, "in": "x", "code": "y"}
    return {"m": handle, "is": place, "class": {"n": "ValueError"}, "args": [*args], "text": "x"}


chain = [error(1), *(error(k, {"m": k - 1}, {"m": k - 1}) for k in range(2, 60))]
be(lambda: say(error=[error(60, {"t": chain}, {"m": 59})]))
