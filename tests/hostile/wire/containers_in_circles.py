"""Sends lists that hold themselves and each other, so that writing them out never ends."""

heap = {str(2 * k + 1): [{"h": 2 * j + 1} for j in range(14)] for k in range(14)}
be(lambda: say(ok=[{"h": 1}], heap=heap))
