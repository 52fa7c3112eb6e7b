"""`durable-lab crash` on a student's file: which points survive, which one fails first, and bad files."""

import re

import pytest

from durable_lab.study import ROOT
from grader.dev.bank.entry import BANK, load

FLOW = """
INPUT = {"id": "A1", "amount": 30}
SIGNALS = {"approval": {"by": "Ana"}}


def pay(order, amount, *, idempotency_key):
    print("paying")
    return f"receipt {idempotency_key}"


def refund(ctx, order):
    decision = ctx.wait_signal("approval")
    return [decision["by"], ctx.call_activity(pay, order["id"], order["amount"])]
"""
CANNOT = {  # the file, and what is said of it
    "a syntax error": ("def refund(ctx, order)\n    pass", r"flow.py, line 1: SyntaxError: expected ':'"),
    "an import that fails": (
        "import nosuch",
        r"flow.py, line 1: ModuleNotFoundError: No module named 'nosuch'.*seed 0",
    ),
    "no workflow": ("def refund(order): ...", r"no workflow: no function of it has a first parameter `ctx`"),
    "two workflows": ("def a(ctx, o): ...\ndef b(ctx, o): ...", r"2 functions .*: a, b. Name the workflow: flow.py:a"),
    "one argument": ("def refund(ctx): ...", r"takes two arguments, `ctx` and its input, and refund does not"),
    "a bug": (
        "def refund(ctx, order):\n    return order['id']",
        r"flow.py, line 2: .* without a crash either: TypeError",
    ),
    "a generator": ("def refund(ctx, order):\n    yield 1", r"without a crash either: UnrecordableError"),
    "os._exit": ("import os\nos._exit(3)", r"the import of the file ended its process \(exit code 3\)"),
    "os._exit in an activity": (
        "import os\ndef pay(): os._exit(0)\ndef refund(ctx, order): ctx.call_activity(pay)",
        r"the run without a crash ended its process",
    ),
    "sys.exit": (
        "import sys\ndef refund(ctx, order): sys.exit(4)",
        r"line 2: .* without a crash either: SystemExit: 4",
    ),
    "a breakpoint": ("def refund(ctx, order):\n    breakpoint()", r"flow.py, line 2: A `breakpoint\(\)` is left"),
    "input()": (
        "def ask(): return input('? ')\ndef refund(ctx, order): ctx.call_activity(ask)",
        r"flow.py, line 1: the code asks for input\(\), and nothing can answer",
    ),
    "an endless loop": (
        "def refund(ctx, order):\n    while True: pass",
        r"line 2: the run .* did not end within 1 seconds",
    ),
    "endless commands": ("def refund(ctx, order):\n    while True: ctx.now()", r"does not end: after 10,000 steps"),
    "an input that is no JSON": ("INPUT = {1}\ndef refund(ctx, order): ...", r"INPUT and SIGNALS must be plain JSON"),
}
DIFFERS = {  # the body of a workflow, and what differs
    "random numbers": (
        "import random",
        "random.random()",
        r"at position 1 it asked for pay\(0\.\d+\), and on replay for",
    ),
    "the time": ("import time", "time.time()", r"at position 1 it asked for pay\(\d+\.\d+\), and on replay for pay\("),
    "the date": ("import datetime", "str(datetime.date.today())", r'at position 1 it asked for pay\("\d{4}-'),
    "a set": ("", "list({'a', 'b', 'c', 'd', 'e'})", r"at position 1 it asked for pay\(\[.*\]\), and on replay for"),
    "a variable of the activity": ("", "len(seen)", r"at position 1 it asked for pay\(1\), and on replay for pay\(0\)"),
}


@pytest.fixture
def crash(lab, tmp_path):
    """crash(text, ...) runs the command on a file with this text. A short time is enough for these."""

    def run(text, *words, name="flow.py", **env):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
        return lab("crash", name, *words, "--seconds", "4", **env)

    return run


def test_a_workflow_of_ones_own_survives_everywhere_and_the_engine_is_named(crash):
    done = crash(FLOW, name="my folder/my flow.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"engine +solution \(.*engine\.py\)", done.stdout)
    assert re.search(r"refund in my folder/my flow\.py +store memory +seed 0", done.stdout)
    assert 'completed: ["Ana","receipt crash-1/1"]' in done.stdout
    assert re.search(r"1 pay +●●●●●  survives all 5", done.stdout)
    assert re.search(r"signal approval +●●  survives all 2", done.stdout)
    assert "15 points, 15 runs with a crash: 15 survive" in done.stdout
    assert "paying" not in done.stdout
    assert len(done.stdout.splitlines()) <= 24


def test_pairs_of_crashes_on_sqlite(crash):
    done = crash("def refund(ctx, order): return ctx.now()", "--pairs", "--store", "sqlite")
    assert done.returncode == 0
    assert "6 points, 30 runs with a crash: 30 survive" in done.stdout


def test_input_and_signals_of_the_command_line_come_before_those_of_the_file(crash):
    words = ("--input", '{"id": "B2", "amount": 5}', "--signal", 'approval={"by": "Bo"}')
    done = crash(FLOW, *words)
    assert '{"id": "B2", "amount": 5}' in done.stdout
    assert 'completed: ["Bo",' in done.stdout


def test_a_run_that_waits_is_compared_too_and_the_missing_signal_is_named(crash):
    done = crash("def refund(ctx, order): return ctx.wait_signal('go')")
    assert done.returncode == 0
    assert "no crash  blocked: waits for the signal go" in done.stdout
    assert "--signal NAME=JSON delivers it" in done.stdout


@pytest.mark.parametrize("copied", [False, True], ids=["in solution/", "a copy in another folder"])
def test_the_refund_of_the_lab_survives_everywhere(copied, lab, tmp_path):
    path = ROOT / "solution" / "refund.py"
    if copied:
        (tmp_path / "a copy.py").write_bytes(path.read_bytes())
    done = lab("crash", "a copy.py" if copied else str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "28 points, 28 runs with a crash: 28 survive" in done.stdout


def test_a_workflow_may_be_an_expression(lab):
    name = f"{ROOT / 'solution' / 'refund.py'}:refund_with(PaperWorld())"
    assert lab("crash", name).returncode == 0


def test_the_first_failing_point_is_told_in_five_lines(crash, lab):
    with lab.own_engine():
        source = load(BANK / "wrong" / "random_key.py").source()
        (lab.folder / "lab" / "engine.py").write_text(source, encoding="utf-8")
        done = crash(FLOW, LAB_MODULE="lab")
    assert done.returncode == 1
    assert re.search(r"engine +lab \(lab/engine\.py\)", done.stdout)
    assert re.search(r"1 pay +●✖✖●●  FAILS at 2 of 5", done.stdout)
    first, rule, right, found, customer = done.stdout.split("\n\n")[1].splitlines()
    assert first == 'first     after the effect of pay("A1", 30) (point 10)'
    assert rule == "rule      R11  An activity in flight at a crash runs again with the same idempotency key."
    assert right.startswith('right     pay("A1", 30) gets the idempotency key')
    assert found.startswith("found     it got the key")
    assert customer == "customer  The bank sees a new request, and pays twice."


def test_an_engine_that_is_not_written_is_a_sentence(crash, lab, tmp_path):
    with lab.own_engine():
        handed_out = ROOT / "lab-01-durable-workflow-engine" / "durable_lab" / "skeleton" / "engine.py"
        (tmp_path / "lab" / "engine.py").write_bytes(handed_out.read_bytes())
        done = crash(FLOW, LAB_MODULE="lab")
    assert done.returncode == 2
    assert re.search(r"engine lab \(lab/engine.py\): the engine is not finished: TODO 4: .*\n$", done.stderr)


@pytest.mark.parametrize("what", CANNOT)
def test_a_file_that_cannot_be_run_is_one_sentence(what, crash):
    text, said = CANNOT[what]
    done = crash(text)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(said, done.stderr)
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("what", DIFFERS)
def test_a_workflow_that_differs_by_itself_is_told_with_the_position_and_the_seed(what, crash):
    line, value, said = DIFFERS[what]
    activities = f"{line}\nseen = []\ndef pay(x): seen.append(x)\n"
    done = crash(
        f"{activities}def refund(ctx, order):\n    ctx.call_activity(pay, 1)\n    ctx.call_activity(pay, {value})"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(rf"refund is not deterministic by itself: {said}.*\(seed 0\)\n$", done.stderr)


def test_a_seed_repeats_a_run(crash):
    text = "import random\ndef pay(x): ...\ndef refund(ctx, order): ctx.call_activity(pay, random.random())"
    one, same, other = (crash(text, "--seed", seed).stderr for seed in ("7", "7", "8"))
    assert one == same
    assert one != other


def test_a_file_that_does_not_exist_is_one_sentence(lab):
    done = lab("crash", "nosuch.py")
    assert done.returncode == 2
    assert re.search(r"nosuch.py cannot be read: No such file or directory\.\n$", done.stderr)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--input", "{x"), "is not JSON"),
        (("--signal", "go"), "is not NAME=JSON"),
        (("--store", "disk"), "is not one of memory, sqlite"),
        (("--seed", "x"), "is not a whole number"),
    ],
)
def test_nonsense_on_the_command_line_is_refused(words, said, crash):
    done = crash(FLOW, *words)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_long_workflow_is_drawn_on_one_screen(crash):
    text = "def step(x): return x\ndef refund(ctx, order):\n    for i in range(16): ctx.call_activity(step, i)"
    done = crash(text)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) <= 24
    assert re.search(r"\.\.\. \d+ more rows: survives all \d+", done.stdout)


@pytest.mark.long
def test_a_recovery_that_does_not_end_is_told_of_whoever_loops(crash, lab, tmp_path):
    text = "def pay(): ...\ndef refund(ctx, order): ctx.call_activity(pay)"
    with lab.own_engine():
        path = tmp_path / "lab" / "engine.py"
        loop, line = (
            "        while state.commands: pass\n",
            "        with closing(Context(self, state := state.copy())) as",
        )
        path.write_text(path.read_text(encoding="utf-8").replace(line, loop + line), encoding="utf-8")
        done = crash(text, LAB_MODULE="lab")
    assert done.returncode == 1
    assert re.search(
        r"found +it did not end within 2 seconds: lab \(lab/engine\.py\), line \d+, does not end", done.stdout
    )

    mark = f"import pathlib\nmark = pathlib.Path({str(tmp_path / 'mark')!r})\n"
    pay = "def pay():\n    while mark.exists() and mark.read_text() == 'xxx': pass\n"
    count = "    mark.write_text((mark.read_text() if mark.exists() else '') + 'x')\n"
    done = crash(f"{mark}{pay}{count}def refund(ctx, order): ctx.call_activity(pay)")
    assert done.returncode == 2
    assert re.search(r"flow.py, line 4: the run that was stopped .* did not end within 2 seconds", done.stderr)


@pytest.mark.long
def test_if_the_time_is_over_what_was_tried_is_drawn_and_the_rest_is_not_tried(crash):
    pay = "import time\ndef pay(): time.sleep(0.45)\n"
    text = f"{pay}def refund(ctx, order): return [ctx.call_activity(pay) for _ in '12']"
    done = crash(text)
    assert done.returncode == 2
    assert re.search(r"return +·  1 of 1 not tried", done.stdout)
    assert (
        "the time was over before all points were tried. More time: durable-lab crash flow.py --seconds" in done.stderr
    )
