"""Planned crashes: the process kills itself at a named point of the refund."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

ACTIVITIES = ("assess", "pay_back", "send_email")
POINTS = {
    **{f"{name}.before": f"before {name} reaches the service" for name in ACTIVITIES},
    **{f"{name}.effect": f"after the effect of {name}, before it is recorded" for name in ACTIVITIES},
    **{f"{name}.recorded": f"after {name} is recorded" for name in (*ACTIVITIES, "now", "approval")},
    "approval.delivered": "after the approval is durable, before the command reports it",
}


def killer(point: str | None) -> Callable[[str], None]:
    """Return a function to call at each point; at `point` it kills the process as `kill -9` does."""

    def at(passed: str) -> None:
        if passed == point:
            if hasattr(signal, "SIGKILL"):
                os.kill(os.getpid(), signal.SIGKILL)
            os._exit(137)  # Windows has no SIGKILL; this skips all clean-up, too

    return at
