"""Writes 300 MB of files wherever it may, and in memory where there is no disk."""

import os

said = []
for folder in (
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "/dev",
    "/",
    ".",
    "/checker",
    "/proc",
    "/usr/lib",
    os.path.expanduser("~"),
):
    try:
        for number in range(300):
            with open(f"{folder}/a-mark-of-a-hostile-test-{number}", "wb") as file:
                file.write(bytes(1 << 20))
        said.append(f"SUCCESS: {folder}")
    except OSError:
        pass
try:
    memory = os.memfd_create("x")
    for _ in range(300):
        os.write(memory, bytes(1 << 20))
    said.append("SUCCESS: 300 MB in memory")
except OSError:
    pass


class DurableEngine:
    def run(self, workflow, state):
        raise RuntimeError(f"{said}")
