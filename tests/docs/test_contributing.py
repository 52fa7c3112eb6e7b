"""Each recipe of CONTRIBUTING.md, followed to the letter in a copy of the repository; and ARCHITECTURE.md's names."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from durable_lab.study import LAB_DIR, ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = {part.partition("\n")[0]: part for part in re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]}
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.fixture
def copy(tmp_path):
    """The files that git would commit, in a folder of their own."""
    listed = subprocess.run(
        ["git", "ls-files", "-zco", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def follow(recipe: str, folder: Path) -> None:
    """Do what a recipe says, block by block. A command that fails, or a place that is not there, fails the test."""
    for language, name, block in BLOCK.findall(recipe):
        if language == "bash":
            for line in block.splitlines():
                run(line, folder)
            continue
        assert language in ("python", "diff"), f"the test does not know a block of {language}"
        path = folder / name
        if language == "diff":
            path.write_text(changed(path.read_text(encoding="utf-8"), block), encoding="utf-8")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block, encoding="utf-8")


def changed(text: str, diff: str) -> str:
    """The text after the change."""
    lines = diff.splitlines(keepends=True)[1:]
    old, new = ("".join(line[1:] for line in lines if line[0] in signs) for signs in (" -", " +"))
    assert text.count(old) == 1, f"{old!r} must be there once"
    return text.replace(old, new)


def run(command: str, folder: Path) -> None:
    program, *arguments = shlex.split(command)
    path = Path(sys.executable) if program.endswith("/python") else Path(sys.executable).with_name(Path(program).name)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "LAB_"))}
    env["PYTHONPATH"] = os.pathsep.join([str(folder), str(folder / LAB_DIR.name)])
    done = subprocess.run(
        [path, *arguments], cwd=folder, env=env, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.long(every=8)
def test_a_recipe_works_as_it_is_written(name, copy):
    follow(RECIPES[name], copy)


def test_each_recipe_ends_with_a_command_that_can_fail(tmp_path):
    for recipe in RECIPES.values():
        *_, (language, _, block) = BLOCK.findall(recipe)
        assert language == "bash"
        assert "pytest" in block
    with pytest.raises(AssertionError):
        follow("```bash\n.venv/bin/python -m pytest -q no_such_folder\n```", tmp_path)
    with pytest.raises(AssertionError, match="must be there once"):
        changed("a\n", "---\n b\n+c\n")


def test_every_name_in_architecture_md_exists():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    bases = (
        ROOT,
        LAB_DIR,
        LAB_DIR / "durable_lab",
        ROOT / "grader",
        ROOT / "grader" / "handin" / "inside",
        LAB_DIR / "durable_lab" / "timeline",
        LAB_DIR / "durable_lab" / "checks",
    )
    named = set(re.findall(r"`([\w./-]+(?:\.\w+|/))`", text)) | {
        f"{side}/{folder}"
        for side, column in (("grader", 0), ("durable_lab", 1))
        for line in re.search(r"```text\n(.*?)\\___", text, re.DOTALL)[1].splitlines()[2:]
        for folder in re.findall(r"(\w+/)", line[column * 56 : column * 56 + 22])
    }
    assert len(named) > 40
    for name in named:
        found = [base / name for base in bases if (base / name).exists()]
        dotted = re.fullmatch(r"(Context|ctx)\.(\w+)", name)
        assert found or (dotted and f"def {dotted[2]}" in (ROOT / "solution/engine.py").read_text(encoding="utf-8")), (
            name
        )
    code = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("solution", "grader", LAB_DIR.name)
        for path in (ROOT / folder).rglob("*.py")
    )
    for name in re.findall(r"`(_?[a-zA-Z]\w+)`", text):
        assert re.search(rf"\b{name}\b", code), name
