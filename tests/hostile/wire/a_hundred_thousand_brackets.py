"""Sends a hundred thousand brackets, so that a recursive parser exhausts its stack."""

begin()
raw(b'{"heap":{},"ok":[' + b"[" * 100_000 + b"]" * 100_000 + b"]}\n")
hear()
