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

# What a customer sees if an engine breaks the rule; the handout has the same sentences.
CUSTOMERS = {
    "R1": 'The e-mail says "paid", but after a restart the payment is unknown.',
    "R2": "The money is paid twice, and the e-mail is sent twice.",
    "R3": "The program changed while the refund waited, and an old result goes to the wrong step.",
    "R4": 'The refund is shown as "nothing to do", though the bank has paid.',
    "R5": "The amount differs after a restart.",
    "R6": "A failed booking is tried again on replay and succeeds: the trip is cancelled and booked.",
    "R7": "In time on Monday, too late on Tuesday: first approved, then refused.",
    "R8": "An approval that came early is lost, or one approval counts twice.",
    "R9": "An order that only waits is cancelled, or paid without approval.",
    "R10": "Support opens yesterday's state and sees events of today.",
    "R11": "The bank sees a new request, and pays twice.",
    "R12": "A declined card is tried fifty times and then blocked.",
    "R13": "A spelling mistake in the program ends the refund permanently.",
    "R14": "A second order gets the result of the first.",
}
