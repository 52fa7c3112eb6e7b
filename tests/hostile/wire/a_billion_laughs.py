"""Sends sixty small lists, each with the one before it twice: written out they fill the universe."""

heap = {"1": ["ha"]}
for k in range(1, 60):
    heap[str(2 * k + 1)] = [{"h": 2 * k - 1}, {"h": 2 * k - 1}]
be(lambda: say(ok=[{"h": 119}], heap=heap))
