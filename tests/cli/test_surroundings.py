"""The user's environment (variables, files, standard input) changes no verdict and stops no command."""

import os
import shutil
import subprocess
import sys

import pytest

from durable_lab import processes
from durable_lab.checks import runner
from durable_lab.lesson.picture import picture
from durable_lab.study import LAB_DIR, ROOT, Study, StudyError
from durable_lab.todos import SKELETON
from grader.dev.bank import Judge

SOLUTION = (ROOT / "solution" / "engine.py").read_text(encoding="utf-8")
FOREIGN = {
    "PYTEST_ADDOPTS": "-k guard -x --cov --no-such-option",
    "PYTEST_PLUGINS": "no_such_plugin",
    "PYTEST_TIMEOUT": "0.000001",
    "PYTHONOPTIMIZE": "2",
    "PYTHONSTARTUP": "/no/such/file",
    "PYTHONBREAKPOINT": "no.such.debugger",
    "PYTHONWARNINGS": "error",
    "PYTHONHASHSEED": "0",
    "PYTHONINSPECT": "1",
    "PYTHONDEVMODE": "1",
    "PYTHONPATH": "/no/such/folder",
    "COVERAGE_PROCESS_START": "/no/such/file",
    "FORCE_COLOR": "1",
}
OUTER = {name: value for name, value in FOREIGN.items() if name != "PYTHONINSPECT"}  # which is about `python -c` itself
OTHERS = {
    "COLUMNS": "200",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "ALL_PROXY": "socks://127.0.0.1:9",
    "LC_ALL": "C",
    "LAB_SUBSTITUTE": "1,2,3,4,5",
}
NAMES = ("copy", "random", "types", "json", "traceback", "pytest", "rich", "lab", "tests", "conftest")


@pytest.fixture
def student(tmp_path):
    """student(engine) -> the folder of a student with this engine."""

    def make(engine=None):
        shutil.copytree(SKELETON, tmp_path / "lab", ignore=shutil.ignore_patterns("__pycache__"))
        if engine:
            (tmp_path / "lab" / "engine.py").write_text(engine, encoding="utf-8")
        return tmp_path

    return make


def start(folder, *words, lab_dir=LAB_DIR, **how):
    """The installed command, which has no folder of its own on the path, as the shell of a student starts it."""
    code = f"import sys; sys.path.insert(0, {str(lab_dir)!r}); from durable_lab.cli import main; sys.exit(main())"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "LAB_", "PYTHON"))}
    env = {**kept, "LAB_MODULE": "lab", "COLUMNS": "200", **how.pop("env", {})}
    command = [sys.executable, "-P", "-c", code, *words]
    how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
    return subprocess.Popen(command, cwd=folder, env=env, encoding="utf-8", errors="replace", **how)


def durable_lab(folder, *words, **how):
    """What it says, when it has ended."""
    with start(folder, *words, **how) as process:
        out, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    return out


# ---------------------------------------------------------------- variables


@pytest.mark.parametrize("name", FOREIGN)
def test_a_variable_that_changes_python_or_pytest_does_not_reach_an_inner_process(monkeypatch, name):
    monkeypatch.setenv(name, FOREIGN[name])
    assert name not in processes.environment()
    assert processes.environment(A="b")["A"] == "b"


@pytest.mark.parametrize("name", ["LAB_MODULE", "LAB_WORKSPACE", "LAB_SUBSTITUTE"])
def test_an_inner_process_studies_what_it_is_told_to_and_not_what_was_set_for_the_outer_one(monkeypatch, name):
    monkeypatch.setenv(name, "nonsense")
    assert name not in processes.environment()
    assert processes.environment(**{name: "lab"})[name] == "lab"


def test_a_fresh_lab_is_0_of_14_whatever_is_set(student):
    said = durable_lab(student(), env={**OTHERS, **OUTER})
    assert "0 of 14 tests pass" in said
    assert "this is a fresh lab" in said


def test_a_right_engine_passes_and_is_drawn_whatever_is_set(student, monkeypatch):
    folder = student(SOLUTION)
    for name, value in {**OTHERS, **FOREIGN}.items():
        monkeypatch.setenv(name, value)
    verdicts = runner.run_tests(Study("lab", folder))
    assert [verdict.message for verdict in verdicts] == [""] * 14
    assert picture(Study("lab", folder), 2, [])


def test_the_demo_is_the_same_whatever_is_set(student):
    said = durable_lab(student(), "demo", env={**OTHERS, **OUTER, "LAB_MODULE": "solution"})
    assert "killed" in said
    assert "One refund." in said


def test_the_bank_is_judged_the_same_whatever_is_set(monkeypatch, tmp_path):
    for name, value in {**OTHERS, **FOREIGN}.items():
        monkeypatch.setenv(name, value)
    with Judge() as judge:
        verdict = judge.verdict(SOLUTION, tmp_path / "right")
    assert (verdict.ended, verdict.failed, len(verdict.tests)) == ("", {}, 14)


# ---------------------------------------------------------------- files


def plant(*folders):
    """Files of the student's own, named like modules of Python and of the lab, and settings for another test run."""
    for folder in folders:
        for name in NAMES:
            (folder / f"{name}.py").write_text("raise SystemExit('a file of the student, taken for a module')\n")
        (folder / "pytest.ini").write_text("[pytest]\naddopts = -k guard\n")


def test_a_file_of_the_students_own_that_is_named_like_a_module_is_not_taken_for_it(student):
    folder = student(SOLUTION)
    plant(folder, folder / "lab")
    assert "14 of 14 tests pass" in durable_lab(folder)
    assert "2 of 2 pass" in durable_lab(folder, "check", "2")
    assert "One refund." in durable_lab(folder, "demo")


@pytest.mark.parametrize("module", ["durable_lab", "grader"])
def test_python_m_does_not_take_a_file_of_the_current_folder_for_pythons_own(student, module):
    folder = student()
    for name in ("json", "textwrap", "typer", "rich"):  # not what -m itself needs
        (folder / f"{name}.py").write_text("raise SystemExit('a file of the student, taken for a module')\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(LAB_DIR)])}
    command = [sys.executable, "-m", module, "--help"]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")


def test_such_a_file_beside_the_project_itself_is_not_taken_for_a_module_either(tmp_path):
    root = tmp_path / "project ü"
    for name in ("solution", "tests/lab", LAB_DIR.name):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "notebooks"))
    shutil.copy(ROOT / "pyproject.toml", root)
    plant(tmp_path, root)
    assert "14 of 14 tests pass" in durable_lab(root, lab_dir=root / LAB_DIR.name, env={"LAB_MODULE": "solution"})


def test_no_other_part_of_the_product_starts_python_in_a_way_of_its_own():
    files = {
        path.relative_to(folder).as_posix()
        for folder in (LAB_DIR, ROOT)
        for top in ("durable_lab", "grader")
        for path in (folder / top).rglob("*.py")
        if "sys.executable" in path.read_text(encoding="utf-8") and "skeleton" not in path.parts
    }
    ours = {"durable_lab/processes.py", "durable_lab/cli/doctor.py", "durable_lab/study.py"}  # doctor only says it
    isolated = {"grader/sandbox/bubblewrap.py", "grader/nbgrader_course/kernel.py"}  # with an environment of their own
    assert (
        files
        - ours
        - isolated
        - {"grader/dev/bench_grading.py", "grader/dev/bench_timeline.py", "grader/nbgrader_course/steps.py"}
        == set()
    )


# ---------------------------------------------------------------- standard input


@pytest.mark.parametrize("left", ["breakpoint()", "import pdb; pdb.set_trace()", "input('now? ')"])
@pytest.mark.long(every=3)
def test_code_that_waits_for_a_person_ends_at_once_and_its_line_is_named(student, left):
    asks = '        command = self._ask("activity", name, sent)\n'
    assert asks in SOLUTION
    folder = student(SOLUTION.replace(asks, f"        {left}\n{asks}"))
    line = SOLUTION[: SOLUTION.index(asks)].count("\n") + 1
    with start(folder, "check", "1", stdin=subprocess.PIPE) as process:
        process.wait(60)  # its input stays open, as in a terminal
        said = process.stdout.read()
    assert left.partition("(")[0].removeprefix("import pdb; pdb.set_trace") in said
    assert "There is no terminal" in said or "Tests have no terminal" in said
    line += "pdb" in left and sys.version_info < (3, 13)  # before, it stopped at the line after its own
    assert f"line {line}, in call_activity" in said


def test_a_breakpoint_in_the_demo_is_named_with_its_file_and_line(student):
    folder = student(
        SOLUTION.replace("        command = self._ask(", "        breakpoint()\n        command = self._ask(")
    )
    with start(folder, "demo", stdin=subprocess.PIPE) as process:
        assert process.wait(60) == 2
        said = process.stderr.read()
    assert "engine.py, line " in said
    assert "A `breakpoint()` is left in the code" in said
    assert "Traceback" not in said


# ---------------------------------------------------------------- never "0 of 0"


def test_fewer_verdicts_than_tests_are_an_error_with_a_message(student, monkeypatch):
    monkeypatch.setattr(runner, "_OPTIONS", [*runner._OPTIONS, "-k", "guard"])
    with pytest.raises(StudyError, match="0 of 14 tests gave a verdict"):
        runner.run_tests(Study("lab", student()))


def test_an_engine_that_ends_the_tests_process_gets_a_message(student):
    engine = SOLUTION.replace(
        "        command = self._ask(", "        import os; os._exit(7)\n        command = self._ask("
    )
    with pytest.raises(StudyError, match=r"exit code 7 .*os\._exit"):
        runner.run_tests(Study("lab", student(engine)))
