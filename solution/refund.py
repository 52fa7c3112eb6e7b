"""The story used everywhere: a customer wants money back, a human must agree, and the machine may die at any moment.

`world` is whatever offers the three activities: `assess(order)`, `pay_back(order_id, amount, *, idempotency_key)` and
`send_email(to, text, *, idempotency_key)`. Run `python -m solution.refund` to see the story on a world made of paper;
`durable-lab demo` tells it with a real file, a real kill and a bank that keeps its own books.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .engine import ActivityError, Context, DurableEngine, WorkflowState

ORDER = {"id": "A1", "customer": "kim@example.com", "amount": 30, "reason": "arrived broken"}
APPROVAL = {"approved": True, "by": "Ana"}


def refund_with(world: Any) -> Callable[[Context, Any], dict[str, Any]]:
    """The refund workflow, its activities bound to one outside world."""

    def refund(ctx: Context, order: dict[str, Any]) -> dict[str, Any]:
        advice = ctx.call_activity(world.assess, order)
        asked_at = ctx.now()
        decision = ctx.wait_signal("approval")  # may take two days; nothing is held meanwhile
        if not decision["approved"]:
            ctx.call_activity(world.send_email, order["customer"], f"No refund for order {order['id']}.")
            return {"status": "declined", "by": decision["by"], "advice": advice}
        try:
            receipt = ctx.call_activity(world.pay_back, order["id"], order["amount"])
        except ActivityError as error:
            ctx.call_activity(world.send_email, order["customer"], f"We could not refund order {order['id']} yet.")
            return {"status": "not refunded", "why": error.message, "asked_at": asked_at}
        ctx.call_activity(
            world.send_email, order["customer"], f"{order['amount']} for order {order['id']} is on its way."
        )
        return {"status": "refunded", "receipt": receipt, "by": decision["by"], "asked_at": asked_at}

    return refund


class PaperWorld:
    """The least that can be refunded from: effects are lines in a list. Its activities are plain functions, so that
    history calls them `assess`, not `PaperWorld.assess`: another world can go on with the same history."""

    def __init__(self) -> None:
        self.effects: list[str] = []

        def assess(order: dict[str, Any]) -> str:
            self.effects.append(f"model read order {order['id']}")
            return f"{order['reason']}: refund"

        def pay_back(order_id: str, amount: int, *, idempotency_key: str) -> str:
            self.effects.append(f"bank paid back {amount} (key {idempotency_key})")
            return f"receipt for {order_id}"

        def send_email(to: str, text: str, *, idempotency_key: str) -> None:
            self.effects.append(f"mailer wrote to {to}: {text}")

        self.assess, self.pay_back, self.send_email = assess, pay_back, send_email


# What `durable-lab crash` runs: the workflow, its input, and what it waits for.
WORKFLOW, INPUT, SIGNALS = refund_with(PaperWorld()), ORDER, {"approval": APPROVAL}


def main() -> None:
    world, engine = PaperWorld(), DurableEngine()
    refund = refund_with(world)

    blocked = engine.run(refund, WorkflowState("refund-1", ORDER))
    print(f"1. {blocked.status}: it waits for {blocked.waiting_for!r}; effects so far: {len(world.effects)}")

    saved = blocked.state.to_json()  # this text is all that is kept; the process may end here
    print(f"2. saved as {len(saved)} characters of JSON, and forgotten")

    approved = engine.signal(WorkflowState.from_json(saved), "approval", APPROVAL)
    done = engine.run(refund, approved)
    print(f"3. {done.status}: {json.dumps(done.value)}")
    print(*(f"   {effect}" for effect in world.effects), sep="\n")

    before = len(world.effects)
    again = engine.run(refund, done.state)
    print(f"4. replayed: same answer {again.value == done.value}, new effects: {len(world.effects) - before}")


if __name__ == "__main__":
    main()
