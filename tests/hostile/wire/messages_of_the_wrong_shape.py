"""Sends good JSON of the wrong shape, another one for each worker."""

import os

SHAPES = [
    {}, [], None, 1, "ok", {"ok": []}, {"heap": {}}, {"ok": [1], "heap": []}, {"ok": 1, "heap": {}},
    {"ask": "call", "heap": {}}, {"ask": ["call"], "heap": {}}, {"ask": [], "heap": {}}, {"error": [1], "heap": {}},
    {"ok": [{}], "heap": {}}, {"ok": [[]], "heap": {}}, {"ok": [{"m": None}], "heap": {}}, {"heap": {"x": []}, "ok": [1]},
    {"ok": [1], "error": [1], "heap": {}}, {"ok": [{"t": 5}], "heap": {}}, {"ok": [{"n": "exit"}], "heap": {"1": {}}},
]  # fmt: skip
say(ok=[None])
while hear():
    raw(_json.dumps(SHAPES[os.urandom(1)[0] % len(SHAPES)]).encode() + b"\n")
