"""`demo`: the refund story with real processes, a real file, a real kill -9, and the bank's own books."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.panel import Panel

from durable_lab import processes, study
from durable_lab.cli.history import show_history
from durable_lab.cli.output import LOST, on_engine, say, styled
from durable_lab.cli.refund import KILL_AT
from durable_lab.faults import POINTS
from durable_lab.stores import SQLiteStore
from durable_lab.world import Ledger, books_of


def demo(
    context: typer.Context,
    naive: Annotated[bool, typer.Option("--naive", help="with a bank that does not deduplicate: two refunds")] = False,
    kill_at: Annotated[str, KILL_AT] = "pay_back.effect",
) -> int:
    """Tell the refund story: blocked, killed, resumed, one refund.

    The exit code is 0 if the bank paid as often as it should have.
    """
    with tempfile.TemporaryDirectory(prefix="durable-lab-") as folder:
        return _Story(context.obj, naive, kill_at, Path(folder)).tell()


OPENING = """\
A customer wants 30 back. A model looks at the order, a human must agree, the bank pays, a mail goes out.
Each step below is its own process. They share one SQLite file and nothing else."""
TWICE = (
    "The worker died after the bank had paid and before that was recorded. So the step ran again, with the same "
    "idempotency key, and this bank does not look at keys. The engine alone cannot prevent that."
)


class _Story:
    def __init__(self, console: Console, naive: bool, kill_at: str, folder: Path) -> None:
        self.console, self.naive, self.kill_at = console, naive, kill_at
        self.study = study.for_show()
        self.file = folder / "refund.db"
        self.number = 0

    def tell(self) -> int:
        self.console.print(Panel.fit(OPENING, title="the refund that would not die"))
        say(self.console, f"engine under study: {self.study.label}")
        dies_in = _step_that_passes(self.kill_at)
        if self.step("A worker starts the refund. It will need a human.", "start", kill=dies_in == "start"):
            self.step("Another worker finds the file and continues.", "resume")
        waited = "Hours later Ana says yes. Nothing ran in between, and nothing was held."
        self.step(waited, "approve", kill=dies_in == "approve")
        if dies_in == "resume":
            self.step(f"A worker continues. It is killed with kill -9 {POINTS[self.kill_at]}.", "resume", kill=True)
        self.step("A new worker, a new process. It replays what is recorded and continues from there.", "resume")
        paid = len(self.ledger().effects("pay_back"))
        self.step("The finished history again. What does a replay cause?", "replay")
        styled(self.console, "")
        styled(self.console, ("What is left", "bold"))
        with SQLiteStore(self.file, engine=self.study.module()) as store:
            show_history(self.console, store.run("refund-1"), store.records("refund-1"), self.ledger().effects())
        return self.moral(paid)

    def step(self, words: str, step: str, kill: bool = False) -> bool:
        """Run one step as a process. Returns whether it was killed; raises StudyError if it failed in another way."""
        self.number += 1
        styled(self.console, "")
        styled(self.console, (f"{self.number}. {words}", "bold"))
        options = ["--naive"] if self.naive else []
        options += ["--kill-at", self.kill_at] if kill else []
        variables = {"LAB_MODULE": self.study.name, "LAB_WORKSPACE": str(self.study.folder), "COLUMNS": "10000"}
        done = processes.run("durable_lab", "refund", step, "--store", str(self.file), *options, variables=variables)
        for line in done.stdout.splitlines():
            if not line.startswith(("next:", "engine:")):
                say(self.console, f"   {line}")
        if kill and done.returncode not in (0, 1, 2, LOST):
            styled(self.console, "   ", ("killed", "bold"), f" (exit code {done.returncode}). No clean-up ran.")
            return True
        if done.returncode:
            raise study.StudyError((done.stderr or done.stdout).strip().removeprefix("durable-lab: "))
        return False

    def ledger(self) -> Ledger:
        return Ledger(books_of(self.file), look=True)

    def moral(self, paid: int) -> int:
        """Say how many refunds were paid. Returns the exit code."""
        expected = 2 if self.naive and self.kill_at == "pay_back.effect" else 1
        styled(self.console, "")
        if paid == 1:
            styled(self.console, ("One refund.", "green"), " The process died; the log did not.")
        else:
            styled(self.console, (f"{paid} refunds.", "yellow"), f" {TWICE}")
        for words, command in (("by hand", "refund start"), ("with a naive bank", "demo --naive")):
            say(self.console, f"{words + ':':<19}{on_engine(self.study.name, f'durable-lab {command}')}", whole=True)
        return 0 if paid == expected else 1


def _step_that_passes(point: str) -> str:
    if point == "approval.delivered":
        return "approve"
    return "start" if point.startswith(("assess.", "now.")) else "resume"
