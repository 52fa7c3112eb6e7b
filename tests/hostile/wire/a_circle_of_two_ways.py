"""Sends a ring of forty lists with two ways from each to the next and back: it unfolds only where a way is taken once."""

heap = {}
for k in range(40):
    here, there = 6 * k + 1, 6 * (k + 1) + 1 if k < 39 else 1
    heap[str(here)] = [{"h": here + 2}, {"h": here + 4}, {"h": 6 * (k - 1) + 3 if k else 1}]
    heap[str(here + 2)] = [{"h": there}, {"h": here}]
    heap[str(here + 4)] = [{"h": there}, {"h": here}]
be(lambda: say(ok=[{"h": 1}], heap=heap))
