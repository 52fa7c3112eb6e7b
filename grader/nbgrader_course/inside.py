"""The first code in a kernel's sandbox, run as a file: `python inside.py LAB CONNECTION_FILE`. It starts ipykernel.

The student's lab is copied to a place that can be written to, and that is gone with the sandbox.
"""

import os
import shutil
import sys
from typing import Any

from ipykernel import iostream, kernelapp

WORK = "/tmp/lab-01"


def main(lab: str, connection: str) -> None:
    shutil.copytree(lab, f"{WORK}/lab")
    os.chdir(WORK)
    begin = iostream.IOPubThread.__init__

    def without_pipe(self: Any, socket: Any, pipe: bool = False, **kw: Any) -> None:
        """The pipe is a socket of TCP: for it, ZeroMQ looks at the machine's networks, which the sandbox forbids."""
        begin(self, socket, pipe=False, **kw)

    iostream.IOPubThread.__init__ = without_pipe
    kernelapp.IPKernelApp.launch_instance(["-f", connection])


if __name__ == "__main__":
    sys.path[0] = ""  # as in any kernel: first the folder that one stands in
    main(*sys.argv[1:])
