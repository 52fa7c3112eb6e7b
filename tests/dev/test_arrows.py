"""`make check` refuses an import that goes up: the contracts of pyproject.toml, kept by import-linter."""

import shutil
import subprocess
import sys

import pytest

from durable_lab.study import ROOT


@pytest.mark.parametrize(
    ("file", "line", "broken"),
    [
        ("grader/handin/limits.py", "import grader.checker.check", "grader.handin.limits -> grader.checker.check"),
        ("grader/exports/table.py", "import grader.classrun.pool", "grader.exports.table -> grader.classrun.pool"),
        ("grader/marks.py", "import grader.dev.build", "grader.marks -> grader.dev.build"),
    ],
)
def test_an_import_that_goes_up_is_refused(file, line, broken, tmp_path):
    shutil.copytree(
        ROOT / "grader", tmp_path / "grader", ignore=shutil.ignore_patterns("wrong", "right", "__pycache__")
    )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    assert contracts(tmp_path).returncode == 0
    (tmp_path / file).write_text(f"{line}\n{(tmp_path / file).read_text(encoding='utf-8')}", encoding="utf-8")
    done = contracts(tmp_path)
    assert done.returncode == 1
    assert broken in done.stdout


def contracts(folder):
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command; lint_imports_command()",
        "--no-cache",
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
