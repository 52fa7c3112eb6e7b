""""Restart and run all" in real kernels: every notebook as it is handed out, and every notebook with its answers."""

import os
import shutil

import nbclient
import nbformat
import pytest

from durable_lab.study import ROOT
from durable_lab.todos import SKELETON, open_todos
from grader.dev.build import notebooks

HANDED_OUT = sorted(notebooks().items())
SOLVED = sorted(notebooks(solved=True).items())
SECONDS = 60  # for one cell; a whole notebook takes a few


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A separate lab for every notebook, as it is handed out."""
    shutil.copytree(SKELETON, tmp_path / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("LAB_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("LAB_MODULE", "lab")
    monkeypatch.setenv("PATH", f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def run(text, folder):
    """Run a notebook from top to bottom. Return its output. An error in a cell is raised."""
    book = nbformat.reads(text, as_version=4)
    nbclient.NotebookClient(book, timeout=SECONDS, resources={"metadata": {"path": str(folder)}}).execute()
    outputs = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [o for o in outputs if o.output_type == "stream" and o.name == "stderr"], "nothing is written to stderr"
    return "\n".join(str(o.get("text") or o.get("data", {}).get("text/plain", "")) for o in outputs)


@pytest.mark.parametrize(("path", "text"), HANDED_OUT, ids=[path.stem for path, _ in HANDED_OUT])
@pytest.mark.long(every=7)
def test_a_notebook_as_handed_out_runs_to_its_end_and_says_what_to_do(workspace, path, text):
    said = run(text, workspace)
    assert "engine.py" in said, "it says which engine is under study"
    if '"@todo(' in text:
        assert "is still to be written" in said
    assert (workspace / "lab" / "engine.py").read_text() == (SKELETON / "engine.py").read_text()


@pytest.mark.long
def test_the_notebooks_with_their_answers_fill_the_lab_and_end_with_14_of_14(workspace):
    for path, text in SOLVED:
        said = run(text, workspace)
        assert "Traceback" not in said, path.name
        assert "Not yet" not in said.splitlines()[-1], path.name
    assert open_todos((workspace / "lab" / "engine.py").read_text()) == {}
    assert "14 of 14" in said
