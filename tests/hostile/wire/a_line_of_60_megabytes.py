"""Sends a line of 60 MB."""

for _ in range(60):
    raw(b"x" * 1_000_000)
raw(b"\n")
