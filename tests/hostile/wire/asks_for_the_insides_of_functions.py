"""Asks the grader for attributes, classes, globals and texts of the functions that it was given."""

begin()
say(ok=[thing()])
told = []
while True:
    message = hear()
    if message.get("ask", [""])[0] == "call":
        for target in range(4):
            for name in ("__globals__", "__class__", "__code__", "__self__", "__closure__", "__dict__", "__init__"):
                for operation in (
                    "get",
                    "item",
                    "has",
                    "list",
                    "str",
                    "repr",
                    "len",
                    "true",
                    "isinstance",
                    "engine",
                    "load",
                ):
                    say(ask=[operation, {"y": target}, name])
                    told.append(_json.dumps(hear()))
        say(error=[{"m": 5, "is": {}, "class": {"n": "ValueError"}, "args": [], "text": "".join(told)[-9000:]}])
    else:
        say(ok=[thing(1)])
