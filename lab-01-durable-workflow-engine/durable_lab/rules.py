"""The rules that the engine keeps, one sentence each. Tests and messages refer to them by number."""

RULES = {
    "R1": "Record before moving on: the journal has a result before the workflow sees it.",
    "R2": "A recorded command never runs again, neither on replay nor after a crash.",
    "R3": "Same history, same decisions: the command issued at a position is the one recorded there.",
    "R4": "A workflow that ends while recorded commands are unread has diverged, too.",
    "R5": "What the workflow gets live is what it gets on replay; history cannot be changed afterwards.",
    "R6": "One record per command: its final outcome, with its attempts. A failure is an outcome.",
    "R7": "A workflow gets the time only through ctx.now(); it is recorded once and replayed from then on.",
    "R8": "Signals are buffered, first in first out per name; consuming one is a recorded command.",
    "R9": "Suspension passes through `except Exception`, and a suspended run is never reported as completed.",
    "R10": "`run` and `signal` never change the state that they are given.",
    "R11": "An activity in flight at a crash runs again with the same idempotency key.",
    "R12": "max_attempts counts every attempt; the waits follow the policy, on the injected clock.",
    "R13": "ActivityError and RuntimeError end the run as failed; any other exception is a bug and propagates.",
    "R14": "Starting a workflow id again with another input is refused.",
}
