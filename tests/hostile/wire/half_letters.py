"""Sends text that cannot be stored, in the name, the text and the place of an error."""

begin()
say(ok=[thing()])
while hear():
    place = {"line": -(10**300), "in": "\ud800\x1b[31m", "code": "\x00\u202e" * 10_000, "more": "x"}
    bad = {"m": 2, "name": "\ud800\n<b>", "bases": [{"n": "ValueError"}]}
    say(error=[{"m": 3, "is": place, "class": bad, "args": ["\udfff"], "text": "\ud800\x07" * 5000}])
