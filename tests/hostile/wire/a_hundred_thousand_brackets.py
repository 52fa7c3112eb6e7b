"""Sends a hundred thousand brackets, so that whoever reads them recursively is at the end of the stack."""

begin()
raw(b'{"heap":{},"ok":[' + b"[" * 100_000 + b"]" * 100_000 + b"]}\n")
hear()
