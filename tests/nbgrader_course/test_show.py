"""Notebooks that are run for their output: in the sandbox, where nothing else is visible, and never for long."""

import subprocess
import time

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from durable_lab.study import ROOT
from durable_lab.todos import SKELETON
from grader.nbgrader_course import kernel, show
from grader.nbgrader_course.show import run_for_show

pytestmark = [pytest.mark.usefixtures("bubblewrap"), pytest.mark.timeout(60)]

SEEN_BY_NOBODY = [str(ROOT / name) for name in ("solution", "tests", "grader", ".git")]


def run(*cells, seconds=30):
    """The outputs of these cells, as text, one for each cell."""
    book = run_for_show(new_notebook(cells=[new_code_cell(source) for source in cells]), None, seconds)
    nbformat.validate(book)
    return [str(cell.outputs) for cell in book.cells]


def test_a_notebook_sees_its_lab_and_nothing_else_of_this_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("PLANTED", "planted-secret")
    (tmp_path / "gradebook.db").write_text("planted-secret", encoding="utf-8")
    lab, files, elsewhere, environment, network = run(
        "from durable_lab import study; print(study.current().label)",
        f"import os; print([p for p in {SEEN_BY_NOBODY} if os.path.exists(p)])",
        f"open({str(tmp_path / 'gradebook.db')!r}).read()",
        "print(sorted(os.environ), os.getuid())",
        "import socket; socket.create_connection(('127.0.0.1', 9), 1)",
    )
    assert "lab (lab/engine.py)" in lab
    assert "'text': '[]\\n'" in files
    assert "FileNotFoundError" in elsewhere
    assert "PLANTED" not in environment
    assert "'HOME'" in environment
    assert "OSError" in network or "ConnectionRefused" in network


def test_what_it_shows_is_made_harmless_and_graded_cells_are_not_run():
    html, picture, check = run(
        "from IPython.display import *; display(HTML('<b>x</b><script>alert(1)</script>'), SVG('<svg></svg>'))",
        "import matplotlib.pyplot as p; p.plot([1, 2]); p.show()",
        "check(1)",
    )
    assert "<b>x</b>" in html
    assert "<script" not in html
    assert "image/svg" not in html
    assert "image/png" in picture
    assert check == "[]"


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("import os; os._exit(1)", "the kernel exited"),
        ("while True: pass", "it was not done after 5 seconds"),
        ("import time\nwhile True: print('x' * 5_000); time.sleep(0.01)", "its output is too long"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "the kernel exited"),
        (
            "import glob, time; [k] = glob.glob('/tmp/lab-*/k/')\n"
            "for i in range(9): open(f'{k}{i}', 'wb').write(b'x' * 10**7)\ntime.sleep(60)",
            "it wrote too much into the folder of its sockets",
        ),
    ],
)
def test_a_cell_that_does_not_behave_ends_the_run_and_leaves_no_process(cell, why, monkeypatch):
    monkeypatch.setattr(show, "ROOM", 100_000)
    began = time.monotonic()
    first, middle, after = run("print('before')", cell, "print('after')", seconds=5 if "5 seconds" in why else 30)
    assert "before" in first
    assert why in first + middle
    assert "'text': 'after" not in after
    assert time.monotonic() - began < 30
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert not [line for line in left.splitlines() if "bwrap" in line and str(kernel.INSIDE) in line]


def test_the_engine_of_the_submission_is_the_one_that_runs():
    text = (ROOT / "solution" / "engine.py").read_text(encoding="utf-8")
    cell = "from durable_lab.lesson import engine; m = engine()\n"
    cell += "print(m.DurableEngine().run(lambda ctx, x: x + 1, m.WorkflowState('w', 1)).value)"
    book = run_for_show(new_notebook(cells=[new_code_cell(cell)]), text, 30)
    assert book.cells[0].outputs[0].text == "2\n"
    assert "raise NotImplementedError" in (SKELETON / "engine.py").read_text(encoding="utf-8")


OUTPUT_WIDGETS = {
    "interact": "import ipywidgets as w; w.interact(lambda x: print('in', x), x=(0, 5))",
    "with": "import ipywidgets as w; o = w.Output()\nwith o: print('in')\no",
    "cleared": "import ipywidgets as w; o = w.Output()\nwith o: print('in')\no.clear_output()",
    "a message of its own": "from ipykernel.comm import Comm; Comm('jupyter.widget', data={'state': 5}).send([])",
}


@pytest.mark.long(every=4)
@pytest.mark.parametrize("kind", OUTPUT_WIDGETS)
def test_the_cells_behind_an_output_widget_are_run_and_its_state_is_not_kept(kind):
    book = run_for_show(
        new_notebook(cells=[new_code_cell(OUTPUT_WIDGETS[kind]), new_code_cell("print('after' + 'wards')")]), None, 30
    )
    assert "afterwards" in str(book.cells[1].outputs), str(book.cells)
    assert "widgets" not in book.metadata
