"""Raises again, at the wrong time, every class of errors that it has ever been given by a test."""

SEEN = [RuntimeError]


class DurableEngine:
    def run(self, workflow, state):
        try:
            value = workflow(Context(self, state), state.input)
        except BaseException as error:
            SEEN.extend(type(error).__mro__[:-1])
            raise
        raise SEEN[len(SEEN) // 2]("again", "and again")

    def signal(self, state, name, payload=None):
        raise SEEN[-1]


class Context:
    def call_activity(self, fn, *args, retry=None):
        try:
            return fn(*args)
        except BaseException as error:
            SEEN.append(type(error))
            made = type("Mine", (type(error),), {})
            raise made("once more") from error
