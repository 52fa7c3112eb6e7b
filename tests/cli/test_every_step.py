"""Every step of the refund in every state of a run: the message, the exit code, and the command that it names next."""

import re

import pytest

from durable_lab.source import replace_function
from durable_lab.stores import SQLiteStore
from durable_lab.world import Model
from solution import engine as E
from solution.refund import ORDER


def started_by_a_process_that_died_at_once(lab):
    with SQLiteStore(lab.folder / "refund.db", engine=E) as store:
        store.start("refund-1", "refund", ORDER)


def failed(lab, monkeypatch):
    def busy(self, *given):
        raise ConnectionError("the model is busy")

    with monkeypatch.context() as m:
        m.setattr(Model, "_perform", busy)
        m.setattr(E.SystemClock, "sleep", staticmethod(lambda seconds: None))
        assert lab.refund("start").returncode == 1


@pytest.fixture(params=["none", "other", "new", "blocked", "approved", "killed", "completed", "declined", "failed"])
def state(request, lab, monkeypatch):
    """The name of the state that the run refund-1 is in."""
    match request.param:
        case "other":
            lab.refund("start", "--id", "refund-9")
        case "new":
            started_by_a_process_that_died_at_once(lab)
        case "failed":
            failed(lab, monkeypatch)
        case "blocked" | "approved" | "killed" | "completed" | "declined":
            lab.refund("start")
            if request.param != "blocked":
                lab.refund("approve", *(["--decline"] if request.param == "declined" else []))
            if request.param == "killed":
                assert lab.process("refund", "resume", "--kill-at", "pay_back.effect").returncode not in (0, 1, 2)
            if request.param in ("completed", "declined"):
                lab.refund("resume")
    return request.param


ABSENT = dict.fromkeys(("approve", "resume", "history", "replay"), (2, "has no run 'refund-1'", None))
OVER = {
    "start": (0, "is over: completed", "history"),
    "approve": (0, "is over, so this decision is not recorded. It ended as completed", "history"),
    "resume": (0, "is over: completed", "history"),
    "history": (0, "refund refund-1: completed", None),
    "replay": (0, "new effects in the world: 0", "history"),
}
# state -> step -> exit code, words of the message, the next step
TABLE = {
    "none": {"start": (0, "blocked: it waits for the signal approval", "approve")}
    | dict.fromkeys(ABSENT, (2, "there is no store 'refund.db'", None)),
    "other": {"start": (0, "blocked: it waits for the signal approval", "approve")} | ABSENT,
    "new": {
        "start": (0, "blocked: it waits for the signal approval", "approve"),
        "approve": (0, "is in the history; nothing has run", "resume"),
        "resume": (0, "blocked: it waits for the signal approval", "approve"),
        "history": (0, "refund refund-1: running", "resume"),
        "replay": (2, "no finished history to replay", "resume"),
    },
    "blocked": {
        "start": (0, "blocked: it waits for the signal approval", "approve"),
        "approve": (0, "is in the history; nothing has run", "resume"),
        "resume": (0, "blocked: it waits for the signal approval", "approve"),
        "history": (0, "refund refund-1: blocked", "approve"),
        "replay": (2, "no finished history to replay", "approve"),
    },
    "approved": {
        "start": (0, 'completed: {"status": "refunded"', "history"),
        "approve": (0, "a decision was recorded before, and that decision stays; this one is not recorded", "resume"),
        "resume": (0, 'completed: {"status": "refunded"', "history"),
        "history": (0, "refund refund-1: blocked", "resume"),
        "replay": (2, "no finished history to replay", "resume"),
    },
    "killed": {
        "start": (0, 'completed: {"status": "refunded"', "history"),
        "approve": (0, "a decision was recorded before, and that decision stays; this one is not recorded", "resume"),
        "resume": (0, "the key is known", "history"),
        "history": (0, "refund refund-1: running", "resume"),
        "replay": (2, "no finished history to replay", "resume"),
    },
    "completed": OVER,
    "declined": OVER,
    "failed": {
        "start": (1, "failed: ActivityError", "history"),
        "approve": (0, "is over, so this decision is not recorded. It ended as failed: ActivityError", "history"),
        "resume": (1, "is over: failed", "history"),
        "history": (0, "refund refund-1: failed", None),
        "replay": (1, "new effects in the world: 0", "history"),
    },
}


@pytest.mark.parametrize("step", ["start", "approve", "resume", "history", "replay"])
def test_every_step_in_every_state_reports_the_state_and_the_next_command(lab, state, step):
    code, words, following = TABLE[state][step]
    done = lab.refund(step)
    said = done.stdout + done.stderr
    assert done.returncode == code, said
    assert words in said
    assert re.findall(r"(?m)^next: durable-lab refund (\w+)$", said) == ([following] if following else [])
    if following:
        assert said.splitlines()[-1].startswith("next: ")
    if state in ("completed", "declined", "failed"):
        assert "refund resume" not in said
        assert "refund approve" not in said


@pytest.mark.parametrize("step", ["approve", "resume", "history", "replay"])
def test_a_mistyped_store_is_named_with_similar_ones_and_nothing_is_made(lab, step):
    assert lab.refund(step, "--store", "typo.db").returncode == 2
    assert list(lab.folder.iterdir()) == []
    lab.refund("start", "--store", "tyop.db")
    before = sorted(lab.folder.iterdir())
    done = lab.refund(step, "--store", "typo.db")
    assert "there is no store 'typo.db'. Similar names there: 'tyop.db'." in done.stderr
    assert sorted(lab.folder.iterdir()) == before
    assert lab.refund(step, "--store", "no/such/folder/typo.db").returncode == 2


def bytes_of(folder):
    """Of all files but the -shm beside a log: that is an index of it, which readers lock."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}


def test_a_look_changes_no_byte_in_any_state(lab, state):
    before = bytes_of(lab.folder)
    lab.refund("history")
    lab.refund("history", "--id", "typo")
    assert bytes_of(lab.folder) == before


@pytest.mark.parametrize("step", ["approve", "resume", "history", "replay"])
def test_a_mistyped_id_makes_and_records_nothing(lab, step):
    lab.refund("start")
    (lab.folder / "refund.world.db").unlink()
    before = lab.refund("history").stdout
    assert "not found beside this store" in before
    done = lab.refund(step, "--id", "typo")
    assert done.returncode == 2
    assert "refund.db has no run 'typo'. It has 'refund-1'" in done.stderr
    assert [path.name for path in lab.folder.iterdir()] == ["refund.db"]
    assert lab.refund("history").stdout == before


@pytest.mark.parametrize("step", ["approve", "resume", "history", "replay"])
def test_an_empty_file_has_no_run_and_stays_empty(lab, step):
    (lab.folder / "refund.db").touch()
    done = lab.refund(step)
    assert done.returncode == 2
    assert "is an empty file, so it has no run" in done.stderr
    assert bytes_of(lab.folder) == {"refund.db": b""}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        *[
            (["--amount", amount], "is not a whole number from 1 to 1,000,000")
            for amount in ("-5", "0", "NaN", "inf", "1e3", "9" * 5000, "1_0", "\uff13", "", "1.5")
        ],
        *[(["--flaky", n], "is not a whole number from 0 to 1,000,000") for n in ("-1", "x", "9" * 20)],
        (["--id", ""], "the name is empty"),
        (["--id", "  "], "the name is empty"),
        (["--by", ""], "the name is empty"),
        (["--store", ""], "the name of the file is empty"),
        (["--store", "."], "is a folder"),
        (["--store", "no/such/folder/r.db"], "its folder is not there"),
        (["--kill-at", "lunch"], "'lunch' is not one of approval.delivered, "),
        (["--kill-at"], "requires an argument"),
        *[
            ([name, "--naive"], f"{name} needs a value, and --naive is an option")
            for name in ("--store", "--id", "--by")
        ],
        (["--store", "--id=x"], "--store needs a value, and --id=x is an option"),
        (["--amont", "3"], "(Possible options: --amount)"),
        (["again"], "unexpected extra argument(s) (again)"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused_with_a_sentence_and_nothing_is_made(lab, words, said):
    done = lab.refund("start", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert list(lab.folder.iterdir()) == []


@pytest.mark.parametrize("amount", ["1", "1000000", "0030"])
def test_an_amount_that_makes_sense_is_taken(lab, amount):
    assert lab.refund("start", "--amount", amount).returncode == 0
    assert f'"amount": {int(amount)}' in lab.refund("history").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check", "7"], "'7' is not a whole number from 1 to 5"),
        (["check", "nan"], "'nan' is not a whole number from 1 to 5"),
        (["check", "-1"], "No such option: -1"),
        (["hint"], "Missing argument 'TODO'"),
        (["hint", "0"], "'0' is not a whole number from 1 to 5"),
        (["hint", "1", "4"], "'4' is not a whole number from 1 to 3"),
        (["refund", "fly"], "'fly' is not one of start, approve, resume, history, replay"),
        (["x"], "No such command 'x'"),
        (["demp"], "Did you mean 'demo'?"),
    ],
)
def test_what_is_not_a_command_is_refused_in_words_after_how_it_is_used(lab, words, said):
    done = lab(*words)
    usage, *lines = done.stderr.splitlines()
    assert done.returncode == 2
    assert usage.startswith("Usage: durable-lab ")
    assert len(lines) == 1
    assert lines[0].startswith("durable-lab: ")
    assert said in lines[0]
    assert list(lab.folder.iterdir()) == []


@pytest.mark.parametrize("name", ["-x", "--naive", "--id=y", "--", "--help"])
def test_a_name_that_looks_like_an_option_is_a_name_after_an_equals_sign(lab, name):
    done = lab.refund("start", f"--id={name}", f"--store={name}.db")
    assert done.returncode == 0
    assert (lab.folder / f"{name}.db").exists()
    assert f"refund {name}: blocked" in lab.refund("history", f"--id={name}", f"--store={name}.db").stdout


@pytest.mark.parametrize("words", [["-h"], ["--help"]])
@pytest.mark.parametrize("command", ["", "check", "hint", "reset", "doctor", "demo", "refund"])
def test_help_is_shown_for_every_command_and_does_nothing(lab, command, words):
    done = lab(*filter(None, [command]), *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: durable-lab {command}")
    assert list(lab.folder.iterdir()) == []


def test_the_engine_of_a_students_own_is_in_the_next_command(lab):
    with lab.own_engine():
        assert lab.refund("start").stdout.splitlines()[-1] == "next: LAB_MODULE=lab durable-lab refund approve"


def test_the_bank_stays_naive_in_the_next_command(lab):
    assert lab.refund("start", "--naive").stdout.splitlines()[-1] == "next: durable-lab refund approve --naive"
    assert lab.refund("approve", "--naive").stdout.splitlines()[-1] == "next: durable-lab refund resume --naive"
    assert lab.refund("resume", "--naive").stdout.splitlines()[-1] == "next: durable-lab refund history"


# ------------------------------------------------------------ results, and long histories


@pytest.mark.parametrize(
    ("result", "why"),
    [
        ('{"refunded"}', "is {'refunded'} of type set"),
        ("ctx", "the result is <"),
        ('{"at": float("nan")}', "the result['at'] is nan"),
        ("{1: 2}", "the key 1"),
        ("b'x'", "of type bytes"),
        ("[[object()]]", "the result[0][0] is"),
    ],
)
def test_a_result_that_is_not_JSON_ends_with_a_sentence_and_the_run_is_not_completed(lab, result, why):
    with lab.own_engine(f"    return {result}\n"):
        done = lab.refund("start")
    assert done.returncode == 2
    assert why in done.stderr
    assert "recorded  0 now" in done.stdout
    assert len(done.stderr.splitlines()) == 1
    with SQLiteStore(lab.folder / "refund.db", engine=E) as store:
        assert store.run("refund-1").status != "completed"
    with lab.own_engine('    return "right"\n'):  # nothing is lost: with the result put right, the run completes
        assert 'completed: "right"' in lab.refund("resume").stdout


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("    raise SystemExit(7)\n", "the engine raised SystemExit: 7"),
        ('    raise ValueError("\\x1b[2J\\udc80")\n', r"the engine raised ValueError: \x1b[2J\udc80"),
        ('    raise RuntimeError("\\x1b[2J\\udc80")\n', r"failed: RuntimeError: \x1b[2J\udc80"),
        ('    return "\\x1b[2J\\udc80\\u202e"\n', r'completed: "\u001b[2J\udc80\u202e"'),
        ("    return 10**5000\n", "JSON cannot carry what it returned"),
        ('    return "x" * 1_000_001\n', "over 1,000,000 characters"),
        ("    yield\n", "Error: a workflow is a plain function"),
        (
            "    from lab.engine import WorkflowBlocked\n    raise WorkflowBlocked('tea')\n",
            "blocked: it waits for the signal tea",
        ),
    ],
)
def test_whatever_a_workflow_does_is_a_sentence(lab, body, said):
    with lab.own_engine(body):
        done = lab.refund("start")
        shown = lab.refund("history")
    assert said in done.stdout + done.stderr
    assert shown.returncode == 0
    assert not [line for line in (done.stdout + shown.stdout).splitlines() if not line.isprintable()]


def test_an_engine_that_raises_its_internal_signal_gets_a_message(lab):
    with lab.own_engine():
        path = lab.folder / "lab" / "engine.py"
        run = "    def run(self, workflow, state):\n        return workflow(Context(self, state), state.input)"
        path.write_text(replace_function(path.read_text(encoding="utf-8"), "DurableEngine.run", run), encoding="utf-8")
        done = lab.refund("start")
    assert done.returncode == 2
    assert (
        "the engine raised WorkflowBlocked: waits for the signal 'approval'. Look at lab/engine.py, line" in done.stderr
    )


def test_a_long_history_is_cut_in_the_middle_and_no_line_is_endless(lab):
    with SQLiteStore(lab.folder / "refund.db", synchronous="NORMAL", engine=E) as store:
        store.start("refund-1", "refund", {"note": "x" * 100_000})
        journal, state = store.journal("refund-1"), store.load("refund-1")
        E.DurableEngine(journal=journal).run(lambda ctx, _: [ctx.now() for _ in range(3000)] and None, state)
    said = lab.refund("history").stdout
    assert "2,801 rows are not shown" in said
    assert len(said) < 40_000
    said += lab.refund("resume").stdout
    assert "... (3,000 commands) ..., 2990 now" in said
    assert max(map(len, said.splitlines())) < 2000


def test_long_books_and_long_errors_are_cut(lab):
    with lab.own_engine('    raise RuntimeError("y" * 100_000)\n'):
        done = lab.refund("start")
    assert done.returncode == 1
    ledger_lines = lab.refund("history").stdout.splitlines() + done.stdout.splitlines()
    assert max(map(len, ledger_lines)) < 2000
