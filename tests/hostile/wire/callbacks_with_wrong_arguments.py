"""Calls everything that the grader has ever given it, with wrong arguments, wrong names and wrong operations."""

begin()
say(ok=[thing()])
while True:
    message = hear()
    if "ask" in message:
        for target in range(6):
            for args in ([], [1], [1, 2, 3], [{"y": 0}], [{"y": 1}] * 2, [None] * 50):
                say(ask=["call", {"y": target}, {"t": args}, {"t": [{"t": ["no_such_name", 1]}]}])
                hear()
                say(ask=["call", {"y": target}, {"t": args}, {"t": []}])
                hear()
            say(ask=["call", {"y": target}, 1, 2])
            hear()
        say(ok=[thing(1)])
