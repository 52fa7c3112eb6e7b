"""Sends a history of thousands of records with names of thousands of characters, all to be shown in the report."""

begin()
say(ok=[thing()])
while True:
    operation, _, *more = hear()["ask"]
    if operation == "list":
        say(ok=[{"h": 1}], heap={"1": [thing()] * 400})
    elif operation == "get":
        say(ok=["<img src=x onerror=alert(1)>" * 100])
    else:
        say(ok=[thing()])
