"""Answers each question with a question, so that the grader is within itself as deep as it can go."""

begin()
say(ok=[thing()])
while True:
    if "ask" in hear():
        say(ask=["call", {"y": 2}, {"t": [thing(3), thing(4)]}, {"t": []}])
