"""`@todo(n)` in a cell: notebook and file are kept in sync, and no code that a student wrote is lost."""

import __future__

import linecache
import shutil

import nbformat
import pytest

from durable_lab import source, todos
from durable_lab.files import rewrite
from durable_lab.lesson import engine as lesson_engine
from durable_lab.lesson import todo
from durable_lab.study import ROOT
from durable_lab.todos import SKELETON
from grader.dev import build

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

    def run(text, todo_number=2, above=""):
        name = f"<cell {request.node.name} {next(number)}>"
        code = f"{above}@todo({todo_number})\n{text}"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        exec(compile(code, name, "exec", __future__.annotations.compiler_flag, dont_inherit=True), {"todo": todo})

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


def test_running_the_same_cell_again_changes_nothing(engine, cell, capsys):
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
    assert "TODO 2 is not written into the file" in capsys.readouterr().out
    assert engine.read_text(encoding="utf-8") == "def broken(:\n"


def test_on_the_reference_no_file_is_changed(engine, cell, capsys, monkeypatch):
    monkeypatch.setenv("LAB_MODULE", "solution")
    before = (ROOT / "solution" / "engine.py").read_text(encoding="utf-8")
    cell(ANSWER)
    assert "no file is changed" in capsys.readouterr().out
    assert (ROOT / "solution" / "engine.py").read_text(encoding="utf-8") == before


def test_on_a_full_disk_the_old_file_stays_whole(engine, monkeypatch):
    text = engine.read_text(encoding="utf-8")

    def full(path, data):
        path.open("w").close()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        rewrite(engine, "new")
    assert engine.read_text(encoding="utf-8") == text
    assert not list(engine.parent.glob("*.draft"))


def test_the_reference_can_be_written_in_cells_and_a_fresh_lab_is_filled(engine, cell):
    solved = build.notebooks(solved=True).values()
    cells = [cell.source for text in solved for cell in nbformat.reads(text, as_version=4).cells]
    for source_ in cells:
        if source_.startswith("@todo("):
            cell(source_.partition("\n")[2], source_[6])
    assert todos.open_todos(engine.read_text(encoding="utf-8")) == {}
    assert not list(engine.parent.glob("engine.py.backup-*")), "nothing of the student's was overwritten"


# ---------------------------------------------------------------- a file that is newer than the cell


def edit(engine, text):
    """Edit the file as in an editor."""
    engine.write_text(source.replace_function(engine.read_text(encoding="utf-8"), "Context.now", text))


BY_HAND = "    def now(self):\n        return 3.0"


def test_a_cell_never_overwrites_what_was_edited_in_the_file_since(engine, cell, capsys):
    cell(ANSWER)
    edit(engine, BY_HAND)
    before = engine.read_text()
    for text in (ANSWER, OTHER):
        capsys.readouterr()
        cell(text)
        said = capsys.readouterr().out
        assert engine.read_text() == before
        assert "was changed after a cell wrote it last, so the file is kept" in said
        assert "copy its code into this cell" in said
    key = said.partition('over="')[2].partition('"')[0]
    cell(OTHER, f'2, over="{key}"')
    assert "return 2.0" in written(engine)
    assert any("return 3.0" in path.read_text() for path in engine.parent.glob("engine.py.backup-*"))
    edit(engine, BY_HAND)
    cell(OTHER, f'2, over="{key}x"')
    assert "return 3.0" in written(engine), "a key is good for one text only"


def test_an_old_cell_never_overwrites_what_a_newer_cell_wrote(engine, cell, capsys):
    cell(ANSWER)
    cell(OTHER)
    cell(ANSWER)
    assert "return 2.0" in written(engine)
    assert "is newer than this cell: another cell wrote it later" in capsys.readouterr().out


def test_the_same_cell_may_go_back_to_an_earlier_text(engine, cell, monkeypatch):
    monkeypatch.setattr("durable_lab.lesson.fill._cell_id", lambda: "cell-1")
    for text in (ANSWER, OTHER, ANSWER):
        cell(text)
    assert "return 1.0" in written(engine)
    monkeypatch.setattr("durable_lab.lesson.fill._cell_id", lambda: "cell-2")
    cell(OTHER)
    assert "return 1.0" in written(engine)


@pytest.mark.parametrize("note", [None, "", "[]", '{"Context.now": 1}', "{"])
def test_without_its_notes_a_cell_is_careful(engine, cell, capsys, note):
    cell(ANSWER)
    path = engine.with_name(".cells.json")
    assert path.is_file()
    path.unlink() if note is None else path.write_text(note)
    cell(OTHER)
    assert "return 1.0" in written(engine)
    assert "the file is kept" in capsys.readouterr().out


def test_what_was_begun_in_the_file_is_not_overwritten_either(engine, cell, capsys):
    edit(engine, '    def now(self):\n        begun = 1\n        raise NotImplementedError("TODO 2: still")')
    cell(ANSWER)
    assert "begun = 1" in written(engine)
    assert "the file is kept" in capsys.readouterr().out


def test_a_function_that_is_missing_from_the_file_is_written_into_its_class(engine, cell):
    engine.write_text(engine.read_text().replace("def now(self)", "def then(self)"))
    cell(ANSWER)
    assert written(engine) == "    def now(self):\n        return 1.0"


def test_the_form_of_the_file_is_kept(engine, cell):
    data = b"\xef\xbb\xbf" + engine.read_bytes().replace(b"\n", b"\r\n")
    engine.write_bytes(data)
    cell(ANSWER)
    made = engine.read_bytes()
    assert made.startswith(b"\xef\xbb\xbf")
    assert made.count(b"\n") == made.count(b"\r\n") > 300
    assert b"return 1.0" in made


def test_a_file_that_is_indented_with_tabs_stays_python(engine, cell):
    engine.write_text(engine.read_text().replace("    ", "\t"))
    cell(ANSWER)
    assert written(engine) == "\tdef now(self):\n\t    return 1.0"


def test_the_lines_of_a_string_literal_are_not_moved(engine, cell):
    text = "def now(self):\n    return '''\n  two spaces\nnone'''\n"
    cell(text)
    assert "\n  two spaces\nnone" in written(engine)
    before = engine.read_text()
    cell(text)
    assert engine.read_text() == before


# ---------------------------------------------------------------- other definitions of the cell


def test_what_the_method_uses_of_its_cell_is_written_above_its_class(engine, cell, capsys):
    cell("def now(self):\n    return late(1.0)\n")
    assert "does not define late" in capsys.readouterr().out
    body = "def now(self):\n    return late(1.0)\n"
    above = "import math\nfrom fractions import Fraction as F\nHOUR = 3600\n\n"
    above += "def late(t):\n    return math.floor(t) + HOUR + F(1)\n\n"
    for _ in range(3):
        cell(body, above=above)
    text = engine.read_text()
    assert text.count("def late(t):") == text.count("HOUR = 3600") == text.count("import math") == 1
    assert text.index("HOUR = 3600") < text.index("class Context:")
    assert lesson_engine().Context.now(None) == 3602
    assert "Also written, above the class: " in capsys.readouterr().out


def test_a_helper_that_was_edited_in_the_file_is_kept_too(engine, cell, capsys):
    body = "def now(self):\n    return late(1.0)\n"
    cell(body, above="def late(t):\n    return t\n")
    engine.write_text(engine.read_text().replace("    return t\n", "    return t + 60\n"))
    cell(body, above="def late(t):\n    return t\n")
    assert "return t + 60" in engine.read_text()
    assert "Not overwritten, although the file differs" in capsys.readouterr().out


def test_a_name_that_is_not_copied_is_reported(engine, cell, capsys):
    cell("# why\n@staticmethod\ndef now(self) -> 'Odd':\n    return Command('a', 'b') and len('c')\n")
    said = capsys.readouterr().out
    assert "Not copied: @staticmethod" in said
    assert "NameError" not in said
    cell("# why\ndef now(self):\n    return 1.5\n", above="def Command():\n    pass\n")
    said = capsys.readouterr().out
    assert "The comment above `def` is not copied" in said
    assert "because the engine defines it: Command" in said


# ---------------------------------------------------------------- cells with magics, and wrong calls


@pytest.fixture
def ipython(tmp_path, monkeypatch):
    """Runs a cell as a kernel does; nothing is written into anyone's home."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    shell.user_ns["todo"] = todo
    yield lambda text: shell.run_cell(text, store_history=True).raise_error()
    InteractiveShell.clear_instance()


@pytest.mark.parametrize("magic", ["%%time", "%%capture", "%%time\n%%capture", "%time", "\n%%time", "%%timeit -n1 -r1"])
def test_a_cell_that_a_magic_runs_is_taken_over(engine, ipython, magic):
    ipython(f"{magic}\n@todo(2)\n{ANSWER}")
    assert written(engine) == "    def now(self):\n        return 1.0"


def test_a_magic_inside_the_method_is_named(engine, ipython, capsys):
    before = engine.read_text()
    ipython("@todo(2)\ndef now(self):\n    %time x = 1\n    return x\n")
    assert "a line for IPython" in capsys.readouterr().out
    assert engine.read_text() == before


@pytest.mark.parametrize("number", ["7", "'2'", "None", "2.0", "[1]", "True"])
def test_a_number_that_is_no_todo_is_reported(engine, cell, capsys, number):
    cell(ANSWER, number)
    assert "they are 1, 2, 3, 4, 5" in capsys.readouterr().out


def test_a_todo_mark_without_a_number_is_reported(capsys):
    def now(self):
        return 1.0

    assert todo(now) is now
    assert "as in @todo(2)" in capsys.readouterr().out
