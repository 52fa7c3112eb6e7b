"""Sends errors whose arguments are errors whose arguments are errors, each of them twice."""

begin()
say(ok=[thing()])
hear()


def error(handle, *args):
    return {
        "m": handle,
        "is": {"line": 1, "in": "x", "code": "y"},
        "class": {"n": "ValueError"},
        "args": [*args],
        "text": "x",
    }


say(error=[error(1, {"t": [error(2), *(error(k, {"m": k - 1}, {"m": k - 1}) for k in range(3, 60))]}, {"m": 59})])
hear()
