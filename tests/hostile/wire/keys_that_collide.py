"""Sends dicts and sets whose keys all have the same hash."""

keys = [1 + k * (2**61 - 1) for k in range(5000)]
be(lambda: say(ok=[{"s": keys}], heap={"1": {"k": [[key, 1] for key in keys]}}))
