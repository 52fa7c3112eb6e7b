"""Makes classes of exceptions out of bool, type, its own handles and the same base twice, with names that are none."""

import os

begin()
BASES = [
    ["bool"],
    ["type"],
    ["ValueError", "ValueError"],
    ["OSError", "SystemExit"],
    ["BaseExceptionGroup", "KeyError"],
]
bases = [{"n": name} for name in BASES[os.urandom(1)[0] % len(BASES)]]
made = {"m": 1, "name": "a\0b" if os.urandom(1)[0] % 2 else 5, "bases": bases}
say(error=[{"m": 0, "is": None, "class": made, "args": [{"n": "exit"}], "text": {"a": 1}}])
hear()
