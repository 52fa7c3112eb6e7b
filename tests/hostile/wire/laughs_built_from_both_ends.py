"""Builds lists of lists in two halves that are both harmless, and joins them in the middle."""

begin()
say(ok=[thing()])
half = {str(2 * k + 1): [{"h": 2 * k - 1}, {"h": 2 * k - 1}] for k in range(31, 60)}
half |= {str(2 * k + 1): [{"h": 2 * k - 1}, {"h": 2 * k - 1}] for k in range(1, 30)}
hear()
say(ok=[{"h": 119}], heap={**half, "1": ["ha"], "61": []})
hear()
say(ok=[{"h": 119}], heap={"61": [{"h": 59}, {"h": 59}]})
hear()
