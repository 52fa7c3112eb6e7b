"""Sends dicts and sets whose keys are lists, errors, classes and NaN."""

import os

KEYS = [{"h": 1}, {"f": "nan"}, {"m": 7, "name": "E", "bases": []}, {"t": [{"h": 1}]}, {"s": [1]}, {"n": "dict"}]
key = KEYS[os.urandom(1)[0] % len(KEYS)]
be(lambda: say(ok=[{"z": [key]}], heap={"1": [], "3": {"k": [[key, 1]]}}))
