"""The rules that the engine keeps, one sentence each. Tests are named after them, messages cite them."""

RULES = {
    "R1": "Record before moving on: the journal has a result before the workflow sees it.",
    "R2": "A recorded command never runs again; not on replay, not after a crash.",
    "R3": "Same history, same decisions: the command issued at a position is the one recorded there.",
    "R4": "A workflow that ends while recorded commands are left unread has diverged too.",
    "R5": "What the workflow gets live is what it gets on replay; nobody can change history afterwards.",
    "R6": "One record per command: its final outcome, with its attempts. A failure is an outcome.",
    "R7": "Time reaches a workflow only through ctx.now(); it is recorded once and replayed ever after.",
    "R8": "Signals are buffered, per name first in first out; consuming one is a recorded command.",
    "R9": "Suspension passes through `except Exception`, and a suspended run is never reported as completed.",
    "R10": "`run` and `signal` never change the state that they are given.",
    "R11": "An activity in flight at a crash runs again with the same idempotency key.",
    "R12": "max_attempts counts every attempt; the waits grow by the policy, on the injected clock.",
    "R13": "ActivityError and RuntimeError end the run as failed; any other exception is a bug and comes out.",
    "R14": "A workflow id that is started again with another input is refused.",
}
