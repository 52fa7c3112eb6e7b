"""Calls back for ever, from within the answer to one question."""

begin()
say(ok=[thing()])
while True:
    hear()
    for _ in range(100_000):
        say(ask=["call", {"y": 0}, {"t": [1000]}, {"t": []}])
        hear()
