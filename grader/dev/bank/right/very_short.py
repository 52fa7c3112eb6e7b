"""As few lines as it takes, and no types."""


class Context:
    def call_activity(s, fn, *args, retry=None):
        n = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)
        a = _faithful(args, f"{n}: args")
        c = s._ask("activity", n, a) or s._record(s._perform(fn, n, a, retry or s._engine.retry))
        if c.ok:
            return deepcopy(c.value)
        t, _, m = c.error.partition(": ")
        raise ActivityError(n, t, m, len(c.tries))

    def _ask(s, k, n, a):
        if s._stopped is not None:
            raise s._stopped
        c = next(iter(s._history[s._position :]), None)
        if c and ((c.kind, c.name) != (k, n) or s._engine.guard != "names" and _canonical(c.args) != _canonical(a)):
            raise s._stop(NonDeterminismError(s._position, c, Command(k, n, a)))
        s._position += c is not None
        return c

    def _perform(s, fn, n, a, p):
        t, e = [], True
        while e is not None and len(t) < p.max_attempts and (not t or p.retries(e)):
            t and s._engine.clock.sleep(p.interval(len(t) - 1))
            r, v, e = s._attempt(fn, n, a, f"{s.workflow_id}/{s._position}")
            t.append(r)
        return Command("activity", n, a, e is None, v, r.error, tuple(t), t[0].started_at, r.ended_at)

    def now(s):
        return (s._ask("now", "now", []) or s._record(Command("now", "now", value=s._engine.clock.now()))).value

    def wait_signal(s, n):
        c, q = s._ask("signal", n, []), s._inbox[n]
        if not (c or q):
            raise s._stop(WorkflowBlocked(n))
        c = c or s._record(Command("signal", n, value=q[0].payload))
        q and q.popleft()
        return deepcopy(c.value)
