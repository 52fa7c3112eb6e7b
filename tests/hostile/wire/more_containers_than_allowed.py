"""Sends as many containers as the line takes, each with some others in it."""

HANGS = True

begin()
say(ok=[thing()])
hear()
say(ok=[thing(1)], heap={str(2 * k + 1): [{"h": 1}] for k in range(25_000)})
hear()
