"""Sends dicts and sets whose keys all have the same hash."""

begin()
say(ok=[thing()])
hear()
keys = [1 + k * (2**61 - 1) for k in range(5000)]
say(ok=[{"s": keys}], heap={"1": {"k": [[key, 1] for key in keys]}})
hear()
