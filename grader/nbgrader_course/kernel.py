"""A Jupyter kernel in the sandbox, through jupyter_client's extension point for that, a kernel provisioner.

The kernel sees Python, the packages, `durable_lab` and the student's `lab/`, but no test, no solution, no other
submission, no gradebook and no network. Its messages go through Unix sockets in a folder of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

import zmq
import zmq.asyncio
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner
from traitlets import Unicode

import durable_lab
from grader.sandbox import bubblewrap

NAME = "durable-sandbox"
INSIDE = Path(__file__).with_name("inside.py")
MESSAGE = 4_000_000  # bytes of one message from the kernel
LIMITS = bubblewrap.Limits(memory_mb=3_000, cpu_seconds=60, processes=64, file_mb=16, open_files=256)
TMP_MB = 64


def _links(path: Path) -> Iterator[Path]:
    """Yield a link's targets outside of the venv, which the sandbox needs: /usr/bin/python3, /usr/bin/python3.11."""
    while path.is_symlink():
        path = path.parent / path.readlink()
        if not path.is_relative_to(sys.prefix):
            yield path


class SandboxProvisioner(LocalProvisioner):
    """Starts the kernel in a sandbox. `lab` is the folder with the student's engine."""

    lab = Unicode().tag(config=True)

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        made: dict[str, Any] = await super().pre_launch(**kwargs)
        file = Path(self.parent.connection_file)
        file.chmod(0o644)  # the sandbox's user reads it; no other user may enter the folder around it
        package = Path(durable_lab.__file__).parent
        env = {
            "HOME": "/tmp",
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "LAB_MODULE": "lab",
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(package.parent),
        }
        made["cmd"] = bubblewrap.command(
            made["cmd"],
            read=[Path(sys.prefix), *_links(Path(sys.executable)), package, Path(self.lab), Path("/bin/sh")],
            files=[INSIDE],
            write=[file.parent],
            limits=LIMITS,
            tmp_mb=TMP_MB,
            env=env,
        )
        return {**made, "stdout": DEVNULL, "stderr": DEVNULL}


class _Specs(KernelSpecManager):
    """The specification of one kernel: the sandboxed one."""

    lab = Unicode()

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        return KernelSpec(
            argv=[sys.executable, str(bubblewrap.inside(INSIDE)), self.lab, "{connection_file}"],
            display_name="Python 3 (sandbox)",
            language="python",
            interrupt_mode="message",  # signals do not reach it in the sandbox
            metadata={"kernel_provisioner": {"provisioner_name": NAME, "config": {"lab": self.lab}}},
        )


def manager(lab: Path, folder: Path) -> AsyncKernelManager:
    """Return a manager for one kernel. Its sockets are in `folder`: a short path, writable by all users."""
    known = KernelProvisionerFactory.instance().provisioners
    known.setdefault(NAME, EntryPoint(NAME, f"{__name__}:SandboxProvisioner", KernelProvisionerFactory.GROUP_NAME))
    context = zmq.asyncio.Context()
    context.setsockopt(zmq.SocketOption.MAXMSGSIZE, MESSAGE)
    return AsyncKernelManager(
        kernel_name=NAME,
        kernel_spec_manager=_Specs(lab=str(lab)),
        transport="ipc",
        ip=str(folder / "k"),  # must be absolute, or the kernel never answers
        connection_file=str(folder / "kernel.json"),
        context=context,
    )
