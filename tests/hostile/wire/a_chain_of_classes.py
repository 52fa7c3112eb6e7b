"""Makes three thousand classes of exceptions, each below the one before: their tables fill the memory."""

begin()
chain = [{"m": 0, "name": "A", "bases": []}]
chain += [{"m": k, "name": "A", "bases": [{"m": k - 1}]} for k in range(1, 3_000)]
say(ok=[{"t": chain}])
hear()
