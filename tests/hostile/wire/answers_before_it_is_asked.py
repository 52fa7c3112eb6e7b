"""Sends a thousand answers in advance, so that those to the next tests are there before they begin."""

say(ok=[None])
for _ in range(1000):
    say(ok=[thing()])
    say(ok=["completed"])
    say(ok=[True])
while hear():
    say(ok=["completed"])
