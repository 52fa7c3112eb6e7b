"""The student's command in a folder of its own: in this process, which is fast, or as a separate process."""

import contextlib
import io
import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from durable_lab.cli.main import main
from durable_lab.study import ROOT, _forget


class Lab:
    """`lab("refund", "start")` runs the command on the reference. Returns `returncode`, `stdout` and `stderr`."""

    def __init__(self, folder, monkeypatch):
        self.folder, self._monkeypatch = folder, monkeypatch

    def __call__(self, *words, encoding="utf-8", **env):
        files = [io.TextIOWrapper(io.BytesIO(), encoding, newline="") for _ in range(2)]
        with self._monkeypatch.context() as m:
            for name, value in env.items():
                m.setenv(name, value)
            for name, file in zip(("stdout", "stderr"), files, strict=True):
                m.setattr(sys, name, file)
            code = main(words)
        out, err = (file.buffer.getvalue().decode(encoding) for file in files)
        return SimpleNamespace(returncode=code, stdout=out, stderr=err)

    def refund(self, *words, **how):
        return self("refund", *words, **how)

    @contextlib.contextmanager
    def own_engine(self, body=None):
        """With `lab/` in this folder: the reference as a student's own; `body` is the workflow's, after `ctx.now()`."""
        own = self.folder / "lab"
        own.mkdir(exist_ok=True)
        for name in ("__init__.py", "engine.py", "refund.py"):
            shutil.copy(ROOT / "solution" / name, own / name)
        if body:
            story = (
                "ORDER = {}\n\ndef refund_with(world):\n    return refund\n\ndef refund(ctx, order):\n    ctx.now()\n"
            )
            (own / "refund.py").write_text(story + body, encoding="utf-8")
        _forget("lab")
        with self._monkeypatch.context() as m:
            m.setenv("LAB_MODULE", "lab")
            yield
        _forget("lab")

    def command(self, *words):
        return [sys.executable, "-m", "durable_lab", *words]

    def process(self, *words, stdout=subprocess.PIPE, **env):
        """The same as a process of its own. A word may be bytes."""
        how = {"cwd": self.folder, "stdin": subprocess.DEVNULL, "timeout": 120, "check": False}
        reading = {"encoding": "utf-8", "errors": "backslashreplace"}
        own = {**os.environ, "PYTHONUTF8": "1", **env}
        return subprocess.run(self.command(*words), env=own, stdout=stdout, stderr=subprocess.PIPE, **how, **reading)

    def shell(self, line, **env):
        """A line for a shell in this folder."""
        how = {"cwd": self.folder, "capture_output": True, "encoding": "utf-8", "timeout": 120, "check": False}
        return subprocess.run(["bash", "-c", line], env={**os.environ, "PYTHONUTF8": "1", **env}, **how)


@pytest.fixture
def lab(tmp_path, monkeypatch):
    for name in ("COLUMNS", "PYTHONIOENCODING", "LC_ALL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LAB_MODULE", "solution")
    monkeypatch.setenv("LAB_WORKSPACE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return Lab(tmp_path, monkeypatch)
