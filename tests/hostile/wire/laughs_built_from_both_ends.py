"""Builds lists of lists in three parts that are harmless, and then joins them, the innermost part last."""

steps = []
for low, high in ((31, 45), (16, 30), (1, 15)):
    part = {str(2 * k + 1): [{"h": 2 * k - 1}, {"h": 2 * k - 1}] for k in range(low + 1, high)}
    steps.append({**part, str(2 * low + 1): []})
steps += [{"63": [{"h": 59}] * 2}, {"33": [{"h": 29}] * 2}, {"3": ["ha"]}]
left = iter(steps)
be(lambda: say(ok=[{"h": 89}], heap=next(left, {})))
