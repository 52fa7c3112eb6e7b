"""`@todo(n)` in a cell: notebook and file stay one, and nothing that somebody wrote is lost."""

import linecache
import shutil

import pytest

from durable_lab import source, todos
from durable_lab.files import rewrite
from durable_lab.lesson import todo
from durable_lab.study import ROOT
from durable_lab.todos import SKELETON

STUB = 'def now(self):\n    raise NotImplementedError("TODO 2: Context.now is still to be written")\n'
ANSWER = "def now(self):\n    return 1.0\n"
OTHER = "def now(self):\n    return 2.0\n"


@pytest.fixture
def engine(tmp_path, monkeypatch):
    """The engine's file of a fresh lab."""
    shutil.copytree(SKELETON, tmp_path / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("LAB_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("LAB_MODULE", "lab")
    return tmp_path / "lab" / "engine.py"


@pytest.fixture
def cell(request):
    """Runs a cell as a notebook does: its source is known by a name that is no file."""
    number = iter(range(100))

    def run(text, todo_number=2):
        name = f"<cell {request.node.name} {next(number)}>"
        code = f"@todo({todo_number})\n{text}"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        exec(compile(code, name, "exec"), {"todo": todo})

    return run


def written(engine):
    return source.text_of(engine.read_text(encoding="utf-8"), "Context.now")


def test_a_written_cell_goes_into_the_file_and_the_rest_of_the_file_stays(engine, cell, capsys):
    before = engine.read_text(encoding="utf-8")
    cell(ANSWER)
    assert written(engine) == "    def now(self):\n        return 1.0"
    assert "Context.now is written into" in capsys.readouterr().out
    untouched = source.replace_function(engine.read_text(encoding="utf-8"), "Context.now", "    # here")
    assert untouched == source.replace_function(before, "Context.now", "    # here")
    assert 2 not in todos.open_todos(engine.read_text(encoding="utf-8"))


def test_a_stub_never_overwrites_what_is_written_in_the_file(engine, cell, capsys):
    cell(ANSWER)
    text = engine.read_text(encoding="utf-8")
    cell(STUB)
    assert engine.read_text(encoding="utf-8") == text
    assert "still the stub, so the file is kept" in capsys.readouterr().out


def test_a_stub_in_both_places_says_what_is_to_do(engine, cell, capsys):
    cell(STUB)
    assert "is still to be written, in this cell or in" in capsys.readouterr().out


def test_what_a_cell_overwrites_is_kept_beside_the_file(engine, cell, capsys):
    cell(ANSWER)
    text = engine.read_text(encoding="utf-8")
    cell(OTHER)
    assert "return 2.0" in written(engine)
    (backup,) = engine.parent.glob("engine.py.backup-*")
    assert backup.read_text(encoding="utf-8") == text
    assert backup.name in capsys.readouterr().out


def test_the_same_cell_once_more_changes_nothing(engine, cell, capsys):
    cell(ANSWER)
    cell(ANSWER)
    assert "is the same here and in" in capsys.readouterr().out
    assert not list(engine.parent.glob("engine.py.backup-*"))


def test_another_name_is_not_taken_over(engine, cell, capsys):
    text = engine.read_text(encoding="utf-8")
    cell("def nwo(self):\n    return 1.0\n")
    assert "this cell defines nwo. Keep the name" in capsys.readouterr().out
    assert engine.read_text(encoding="utf-8") == text


def test_a_file_that_python_cannot_read_is_left_alone(engine, cell, capsys):
    engine.write_text("def broken(:\n", encoding="utf-8")
    cell(ANSWER)
    assert "TODO 2 is not taken over" in capsys.readouterr().out
    assert engine.read_text(encoding="utf-8") == "def broken(:\n"


def test_on_the_reference_no_file_is_changed(engine, cell, capsys, monkeypatch):
    monkeypatch.setenv("LAB_MODULE", "solution")
    before = (ROOT / "solution" / "engine.py").read_text(encoding="utf-8")
    cell(ANSWER)
    assert "no file is changed" in capsys.readouterr().out
    assert (ROOT / "solution" / "engine.py").read_text(encoding="utf-8") == before


def test_on_a_full_disk_the_old_file_stays_whole(engine, monkeypatch):
    text = engine.read_text(encoding="utf-8")

    def full(path, text, encoding):
        path.open("w").close()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    with pytest.raises(OSError, match="No space left"):
        rewrite(engine, "new")
    assert engine.read_text(encoding="utf-8") == text
    assert not list(engine.parent.glob("*.draft"))
