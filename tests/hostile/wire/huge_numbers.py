"""Sends numbers of four thousand digits, NaN and infinities, as values, as handles and as names of containers."""

begin()
say(ok=[thing()])
while True:
    target = hear()["ask"][0]
    big = int("9" * 4000)
    if target == "get":
        raw(b'{"heap":{"1":[NaN,Infinity,-Infinity,1e999,' + str(big).encode() + b']},"ok":[{"h":1}]}\n')
    else:
        say(ok=[{"t": [big, -big, {"f": "nan"}, {"f": "inf"}]}], heap={str(10**4000): []})
