"""A result that cannot be recorded is a failure like any other, so try again.

Only the policy's own errors end the attempts; a result that JSON cannot represent is requested again.
The money was paid at each of the three attempts, and none of them could be recorded.
"""

BELIEF = "M12k"
TODO = 1
RULES = ("R5",)


class RetryPolicy:
    def retries(self, error):
        return not any(c in self.non_retryable or c.__name__ in self.non_retryable for c in type(error).__mro__)
