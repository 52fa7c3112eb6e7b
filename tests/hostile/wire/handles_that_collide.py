"""Names its objects with numbers that all have the same hash."""

HANGS = True

begin()
say(ok=[{"t": [{"m": 1 + k * (2**61 - 1), "is": {}} for k in range(50_000)]}])
hear()
