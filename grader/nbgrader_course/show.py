"""Run a notebook in the sandboxed kernel, for people to see what it says. No mark comes from it."""

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

ROOM = 5_000_000  # characters of all that one notebook says
_SKIPPED = ("check(", "!durable-lab")  # they run the tests, which are not in there
_FOLDER_ROOM = 20_000_000  # bytes beside its sockets


class _Client(NotebookClient):
    """Takes only so much, whatever the kernel sends."""

    heard = 0

    def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
        self.heard += len(repr(msg["content"]))
        if self.heard > ROOM and msg["msg_type"] != "status":
            return None  # `_watched` sees it, and ends the run
        try:
            return super().process_message(msg, cell, cell_index)
        except (AttributeError, LookupError, TypeError, ValueError):  # a message that a widget could not have sent
            return None


def run_for_show(nb: Any, engine: str | None, seconds: float) -> Any:
    """The notebook with the outputs of its cells, made harmless. Graded cells, and `check(...)`, are not run.

    engine   the source of the student's engine; None: it begins with the lab as it was handed out
    seconds  for the whole notebook. What a student's code does is not raised: the notebook says where it was stopped.
    Raises RuntimeError where there is no sandbox.
    """
    if why := bubblewrap.missing():
        raise RuntimeError(f"{why}. Strangers' code is not run without a sandbox.")
    with ThreadPoolExecutor(1) as pool:  # a loop of its own: Formgrader has one already
        why = pool.submit(asyncio.run, _run(nb, engine, seconds)).result()
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs = nbformat.from_dict(json.loads(_here(json.dumps(clean.outputs(cell.outputs)))))
            cell.execution_count = None
    if why and (at := next((cell for cell in reversed(nb.cells) if cell.get("outputs")), None)):
        words = f"The run for show ended here: {why}."
        at.outputs.append(nbformat.from_dict({"output_type": "stream", "name": "stdout", "text": words}))
    return nb


def _here(said: str) -> str:
    """Without the names of this machine's folders, which tracebacks are full of."""
    names = {sys.prefix: ".venv", sys.base_prefix: "python", str(ROOT): "."}
    for path, name in names.items():
        said = said.replace(json.dumps(path)[1:-1], name)
    return said


async def _run(nb: Any, engine: str | None, seconds: float) -> str:
    """Fill in the outputs. Returns why the run was stopped; empty where it came to its end."""
    with tempfile.TemporaryDirectory(prefix="lab-") as outer:  # closed to others, so that the inner one may be open
        folder = Path(outer, "k")
        folder.mkdir()
        folder.chmod(0o777)
        lab = Path(outer, "lab")
        shutil.copytree(SKELETON, lab, ignore=shutil.ignore_patterns("__pycache__"))
        if engine is not None:
            (lab / "engine.py").write_text(engine, encoding="utf-8")
        kernels = manager(lab, folder)
        client = _Client(nb, km=kernels, allow_errors=True, record_timing=False, store_widget_state=False)
        client.comm_open_handlers = {}  # nbclient would answer for output widgets; what they hold is shown by the cell
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
            return "it says too much"
        if sum(path.lstat().st_size for path in folder.rglob("*")) > _FOLDER_ROOM:
            return "it writes where it should not"
    error = running.exception()
    if error is None:
        return ""
    return (
        "the kernel came to its end" if isinstance(error, DeadKernelError) else f"{type(error).__name__} in the viewer"
    )
