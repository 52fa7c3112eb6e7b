"""What a customer sees if an engine breaks a rule; the handout has the same sentences."""

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
