"""JupyterLab on a workspace of its own, and Debian's Chromium to drive it."""

import os
import shutil
import socket
import subprocess
import sys
import time

import pytest
from playwright.sync_api import sync_playwright

from durable_lab.study import ROOT
from durable_lab.todos import SKELETON

CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]
START_SECONDS = 60


@pytest.fixture(scope="session")
def browser():
    """This file is also loaded alone, as a plugin, so it does not use `require` of the one above."""
    if CHROMIUM is None:
        missing = pytest.fail if os.environ.get("LAB_SKIP_NOTHING") else pytest.skip
        missing("of the browser, because Chromium is not installed (Debian: apt install chromium)")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield made
        made.close()


@pytest.fixture
def workspace(tmp_path):
    """An empty home and a lab as it is handed out."""
    shutil.copytree(SKELETON, tmp_path / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "home").mkdir()
    return tmp_path


@pytest.fixture
def jupyter(serve, workspace):
    """Starts `lab` (JupyterLab) or `notebook` (Notebook 7) in the workspace. Returns its address."""
    return lambda app="lab": serve(workspace, app, LAB_WORKSPACE=str(workspace), LAB_MODULE="lab")


@pytest.fixture
def serve():
    """Starts `lab` or `notebook` in a folder that has a `home` in it. Returns its address; ends it by its pid."""
    servers = []

    def start(folder, app="lab", **more):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        binaries = os.path.dirname(sys.executable)  # noqa: PTH120
        ours = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER_")}
        env = {
            **ours,  # without the settings of the tests around: HOME has those of this server
            "HOME": str(folder / "home"),
            "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'lab-01-durable-workflow-engine'}",
            **more,
        }
        options = (
            f"--no-browser --allow-root --ServerApp.ip=127.0.0.1 --ServerApp.port={port} --IdentityProvider.token="
        )
        own = f"--{'LabApp' if app == 'lab' else 'JupyterNotebookApp'}.expose_app_in_browser=True"
        command = [sys.executable, "-m", "jupyterlab" if app == "lab" else "notebook", *options.split(), own]
        with (folder / "server.log").open("w") as log:
            servers.append(subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=subprocess.STDOUT))
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return f"http://127.0.0.1:{port}"
            except OSError:
                if time.monotonic() > deadline or servers[-1].poll() is not None:
                    pytest.fail((folder / "server.log").read_text()[-2000:])
                time.sleep(0.1)

    yield start
    for server in servers:
        server.terminate()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
