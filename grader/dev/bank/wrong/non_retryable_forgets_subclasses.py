"""An error is non-retryable if its type is in the list.

`type(problem) in non_retryable` matches the exact type only, not its subclasses.
CardExpired is a Declined, but it is tried five times.
"""

BELIEF = "M12e"
TODO = 1
RULES = ("R12",)


class RetryPolicy:
    def retries(self, error):
        kind = type(error)
        return (
            kind is not UnrecordableError and kind not in self.non_retryable and kind.__name__ not in self.non_retryable
        )
