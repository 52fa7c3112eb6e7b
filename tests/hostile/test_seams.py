"""The interface between sandbox and grader, checked from outside: what no student's code may reach."""

import json
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from durable_lab.checks.bench import NotStarted
from grader.checker import worker_process
from grader.checker.rpc.errors import is_remote
from grader.checker.worker_process import Worker
from grader.marks import grade
from grader.sandbox import bubblewrap
from tests.hostile.attack import OPEN, SOLVED


def below(pid):
    """The processes that this one has started, and theirs."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(path.read_text(encoding="utf-8").rpartition(")")[2].split()[1]) == pid:
                found += [int(path.parent.name), *below(int(path.parent.name))]
    return found


def environ(pid):
    """The environment that a process began with; None where it has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/environ").read_bytes()


def test_no_process_in_the_sandbox_has_the_environment_of_the_grader(planted):
    """Process 1 in there is bubblewrap's own: where no other user is to be had, its environment can be read."""
    with Worker() as worker:
        worker.start(OPEN)
        environments = [environment for pid in below(worker._process.pid) if (environment := environ(pid)) is not None]
    assert len(environments) >= 2
    assert not any(planted[0].encode() in environment or b"HOME" in environment for environment in environments)


def test_no_other_package_is_seen_in_there():
    """The lab itself may be installed beside Python: with the reference, the hidden tests and the grader."""
    places = [str(place) for place in bubblewrap._others()]
    assert places
    code = "import os, sys, json; print(json.dumps([os.listdir(place) for place in sys.argv[1:]]))"
    command = bubblewrap.command([bubblewrap.PYTHON, "-I", "-S", "-c", code, *places])
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert json.loads(done.stdout) == [[]] * len(places)


def test_one_engine_cannot_take_the_memory_of_the_machine():
    limits = worker_process.LIMITS
    assert limits.memory_mb * limits.processes <= 1024


@pytest.mark.parametrize("command", [["/bin/false"], ["/no/such/bwrap"], ["/bin/echo", "not ready"]])
def test_a_sandbox_that_does_not_start_gives_no_student_a_zero(command, monkeypatch, tmp_path):
    """A fault of the machine is raised and gives no mark; the rest of the class is graded."""
    monkeypatch.setattr(worker_process, "_sandboxed", lambda: (command, ()))
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "engine.py").write_text(SOLVED, encoding="utf-8")
    with pytest.raises(NotStarted):
        grade(tmp_path, "ann")


def test_a_class_of_the_graders_own_that_a_worker_has_met_is_not_believed():
    """An error from a worker is marked as the worker's, even if its class is one of the tests'."""

    class OfTheTests(AssertionError):
        pass

    def activity():
        raise OfTheTests("ours")

    again = "def again(fn):\n    try:\n        fn()\n    except BaseException as e:\n        raise type(e)('mine')"
    with Worker() as worker:
        m = worker.start(f"{SOLVED}\n\n{again}")
        with pytest.raises(OfTheTests) as caught:
            m.again(activity)
        assert str(caught.value) == "mine"
        assert is_remote(caught.value)
