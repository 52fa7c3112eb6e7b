"""Writes into every container that the grader has shared with it, at each message, and into the same ones at the end."""

begin()
say(ok=[thing()])
known = {}
while True:
    message = hear()
    for name, told in message["heap"].items():
        known[name] = [thing(9), "spoilt", {"h": int(name)}] if isinstance(told, list) else {"k": [["spoilt", None]]}
    say(ok=[thing(1)], heap=known)
