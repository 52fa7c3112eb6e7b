"""Run a notebook in the sandboxed kernel, so that instructors see its output. It is not used for marks."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError
from nbgrader.utils import is_grade

from durable_lab.study import ROOT
from durable_lab.todos import SKELETON
from grader.nbgrader_course import clean
from grader.nbgrader_course.kernel import manager
from grader.sandbox import bubblewrap

ROOM = 5_000_000  # characters of all output of one notebook
_SKIPPED = ("check(", "!durable-lab")  # these run the tests, which the sandbox does not have
_FOLDER_ROOM = 20_000_000  # bytes of files beside its sockets


class _Client(NotebookClient):
    """Counts what the kernel sends, and ignores it above a limit."""

    heard = 0

    def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
        self.heard += len(repr(msg["content"]))
        if self.heard > ROOM and msg["msg_type"] != "status":
            return None  # `_watched` ends the run
        try:
            return super().process_message(msg, cell, cell_index)
        except (AttributeError, LookupError, TypeError, ValueError):  # a message that no widget sends
            return None


def run_for_show(nb: Any, engine: str | None, seconds: float) -> Any:
    """Return the notebook with sanitised outputs of its cells. Graded cells and `check(...)` are not run.

    engine   the source of the student's engine; None for the lab as it was handed out
    seconds  for the whole notebook. If it is stopped, the last output says why.
    Raises RuntimeError if there is no sandbox.
    """
    if why := bubblewrap.missing():
        raise RuntimeError(f"{why}. Students' code is not run without a sandbox.")
    with ThreadPoolExecutor(1) as pool:  # a thread, because Formgrader has an event loop already
        why = pool.submit(asyncio.run, _run(nb, engine, seconds)).result()
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs = nbformat.from_dict(json.loads(_here(json.dumps(clean.outputs(cell.outputs)))))
            cell.execution_count = None
    if why and (at := next((cell for cell in reversed(nb.cells) if cell.get("outputs")), None)):
        words = f"The run was stopped here: {why}."
        at.outputs.append(nbformat.from_dict({"output_type": "stream", "name": "stdout", "text": words}))
    return nb


def _here(said: str) -> str:
    """Remove the names of this machine's folders, which are in tracebacks."""
    names = {sys.prefix: ".venv", sys.base_prefix: "python", str(ROOT): "."}
    for path, name in names.items():
        said = said.replace(json.dumps(path)[1:-1], name)
    return said


async def _run(nb: Any, engine: str | None, seconds: float) -> str:
    """Fill in the outputs. Returns why the run was stopped; empty if all cells were run."""
    with tempfile.TemporaryDirectory(
        prefix="lab-"
    ) as outer:  # no other user may enter it, so the inner one may be open
        folder = Path(outer, "k")
        folder.mkdir()
        folder.chmod(0o777)
        lab = Path(outer, "lab")
        shutil.copytree(SKELETON, lab, ignore=shutil.ignore_patterns("__pycache__"))
        if engine is not None:
            (lab / "engine.py").write_text(engine, encoding="utf-8")
        kernels = manager(lab, folder)
        client = _Client(nb, km=kernels, allow_errors=True, record_timing=False, store_widget_state=False)
        client.comm_open_handlers = {}  # else nbclient answers for output widgets; here the cell shows their output
        client.reset_execution_trackers()
        running = asyncio.create_task(_cells(client))
        try:
            return await _watched(running, client, folder, seconds)
        finally:
            running.cancel()
            with contextlib.suppress(Exception, asyncio.CancelledError):
                await running
            if client.kc is not None:
                client.kc.stop_channels()
            await kernels.shutdown_kernel(now=True)
            kernels.context.destroy(linger=0)


async def _cells(client: _Client) -> None:
    await client.async_start_new_kernel()
    await client.async_start_new_kernel_client()
    for number, cell in enumerate(client.nb.cells):
        if cell.cell_type == "code" and not is_grade(cell) and not cell.source.startswith(_SKIPPED):
            await client.async_execute_cell(cell, number)


async def _watched(running: asyncio.Task[None], client: _Client, folder: Path, seconds: float) -> str:
    deadline = time.monotonic() + seconds
    while not running.done():
        await asyncio.wait([running], timeout=0.2)
        if time.monotonic() > deadline:
            return f"it was not done after {seconds:g} seconds"
        if client.heard > ROOM:
            return "its output is too long"
        if sum(path.lstat().st_size for path in folder.rglob("*")) > _FOLDER_ROOM:
            return "it wrote too much into the folder of its sockets"
    error = running.exception()
    if error is None:
        return ""
    return "the kernel exited" if isinstance(error, DeadKernelError) else f"{type(error).__name__} in the viewer"
