"""The refund in real processes and real files, killed at every point at which it can be."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from durable_lab.faults import POINTS
from durable_lab.todos import SKELETON
from durable_lab.world import Ledger
from solution.engine import WorkflowState

KILLED = -9 if os.name == "posix" else 137
EARLY = ("assess.", "now.")


def refund(folder: Path, *arguments: str, module: str = "solution") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "durable_lab", "refund", *arguments, "--store", "r.db"]
    env = {**os.environ, "LAB_MODULE": module, "LAB_WORKSPACE": str(folder), "COLUMNS": "200"}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False)


def history(folder: Path) -> list[tuple[str, str]]:
    """Return the records without their times, which differ from run to run."""
    with closing(sqlite3.connect(folder / "r.db")) as db:
        rows = db.execute("SELECT type, record FROM history ORDER BY seq").fetchall()
    made = []
    for kind, text in rows:
        record = json.loads(text)
        timeless = {k: v for k, v in record.items() if k not in ("tries", "started_at", "ended_at", "received_at")}
        if record["name"] == "now":
            del timeless["value"]
        made.append((kind, json.dumps(timeless, sort_keys=True)))
    return made


def effects(folder: Path) -> dict[str, int]:
    counts: dict[str, int] = {}
    for effect in Ledger(folder / "r.world.db").effects():
        counts[effect.operation] = counts.get(effect.operation, 0) + 1
    return counts


def killable(folder: Path, step: str, point: str, planned: bool, *options: str) -> None:
    """Run a step. If it is planned to be killed, check that it is, and let another process resume."""
    done = refund(folder, step, *options, *(("--kill-at", point) if planned else ()))
    assert done.returncode == (KILLED if planned else 0), done.stdout + done.stderr
    if planned and step != "approve":
        assert refund(folder, "resume", *options).returncode == 0


@pytest.fixture(scope="session")
def unkilled(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    folder = tmp_path_factory.mktemp("unkilled")
    for step in ("start", "approve", "resume"):
        assert refund(folder, step).returncode == 0
    return history(folder)


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.long(every=6)
def test_a_refund_killed_at_any_point_pays_once_and_has_the_history_of_an_unkilled_one(tmp_path, point, unkilled):
    early, delivery = point.startswith(EARLY), point == "approval.delivered"
    killable(tmp_path, "start", point, early)
    killable(tmp_path, "approve", point, delivery)
    killable(tmp_path, "resume", point, not early and not delivery)
    assert history(tmp_path) == unkilled
    # the model takes no key, so a call in flight at the kill is paid twice: R11 promises no more
    assert effects(tmp_path) == {"assess": 2 if point == "assess.effect" else 1, "pay_back": 1, "send_email": 1}
    replay = refund(tmp_path, "replay")
    assert replay.returncode == 0
    assert "new effects in the world: 0" in replay.stdout


def test_a_naive_bank_pays_twice_if_the_kill_is_between_effect_and_record(tmp_path):
    refund(tmp_path, "start")
    refund(tmp_path, "approve")
    assert refund(tmp_path, "resume", "--naive", "--kill-at", "pay_back.effect").returncode == KILLED
    assert refund(tmp_path, "resume", "--naive").returncode == 0
    assert effects(tmp_path)["pay_back"] == 2


def test_a_signal_delivered_twice_by_a_nervous_caller_arrives_once(tmp_path):
    refund(tmp_path, "start")
    for _ in range(2):
        assert refund(tmp_path, "approve").returncode == 0
    assert [kind for kind, _ in history(tmp_path)].count("signal") == 1


def test_a_second_decision_is_not_recorded_and_the_output_says_so(tmp_path):
    refund(tmp_path, "start")
    refund(tmp_path, "approve")
    second = refund(tmp_path, "approve", "--decline")
    assert "that decision stays; this one is not recorded" in second.stdout
    assert "is in the history" not in second.stdout
    assert '"status": "refunded"' in refund(tmp_path, "resume").stdout


def test_a_busy_bank_is_tried_again_and_the_history_shows_each_attempt(tmp_path):
    refund(tmp_path, "start")
    refund(tmp_path, "approve")
    assert refund(tmp_path, "resume", "--flaky", "2").returncode == 0
    shown = refund(tmp_path, "history").stdout
    assert "attempt 1 of pay_back" in shown
    assert re.search(r"back-off (of )?0\.20? s", shown)
    assert "replays 0 to 1" in shown
    assert "refunds paid by the bank: 1" in shown


def test_a_bank_that_stays_busy_leaves_a_mail_and_no_refund(tmp_path):
    refund(tmp_path, "start")
    refund(tmp_path, "approve")
    done = refund(tmp_path, "resume", "--flaky", "9")
    assert "not refunded" in done.stdout
    assert effects(tmp_path) == {"assess": 1, "send_email": 1}


def test_a_declined_refund_pays_nothing(tmp_path):
    refund(tmp_path, "start")
    refund(tmp_path, "approve", "--decline", "--by", "Bo")
    assert '"status": "declined"' in refund(tmp_path, "resume").stdout
    assert "pay_back" not in effects(tmp_path)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["start", "--amount", "31"], "was started before"),
        (["resume", "--id", "refund-9"], "refund-1"),
        (["replay"], "durable-lab refund approve --store r.db"),
    ],
)
def test_a_step_that_cannot_be_done_is_refused_with_a_reason_and_exit_code_2(tmp_path, given, words):
    refund(tmp_path, "start")
    done = refund(tmp_path, *given)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_store_that_is_no_store_is_named_and_left_as_it_was(tmp_path):
    (tmp_path / "r.db").write_text("my shopping list, and it is long enough to be looked at as a database header")
    done = refund(tmp_path, "start")
    assert done.returncode == 2
    assert "r.db" in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "r.db").read_text().startswith("my shopping list")


def test_a_fresh_lab_says_which_todo_the_refund_stops_at(tmp_path):
    shutil.copytree(SKELETON, tmp_path / "lab")
    done = refund(tmp_path, "start", module="lab")
    assert done.returncode == 2
    assert "TODO" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_approval_on_an_engine_without_todo_5_is_a_sentence(tmp_path):
    refund(tmp_path, "start")
    shutil.copytree(SKELETON, tmp_path / "lab")
    done = refund(tmp_path, "approve", module="lab")
    assert done.returncode == 2
    assert "TODO 5" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_engine_name_is_one_clear_line(tmp_path):
    done = refund(tmp_path, "start", module="nonsense")
    assert done.returncode == 2
    assert "LAB_MODULE is 'nonsense'" in done.stderr


def test_the_store_can_be_read_back_by_the_engine_alone(tmp_path):
    refund(tmp_path, "start")
    with closing(sqlite3.connect(tmp_path / "r.db")) as db:
        rows = [text for (text,) in db.execute("SELECT record FROM history ORDER BY seq")]
    text = f'{{"version":1,"workflow_id":"x","input":null,"commands":[{",".join(rows)}],"signals":[]}}'
    assert [c.name for c in WorkflowState.from_json(text).commands] == ["assess", "now"]
