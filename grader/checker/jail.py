"""The first code in a sandbox: give up every right, set the limits, then become what was asked for.

It is run as a file, with nothing but the standard library: `python jail.py '{"uid": 1, "limits": {...}}' command ...`.
A command that ends in `.py` runs in this very process, which saves the start of a second interpreter; it gets `enter`,
and calls it when it has imported what it needs: a throw-away user may not be able to read our files.
"""

import json
import os
import resource
import sys


def enter(uid: int | None, limits: dict[str, int]) -> None:
    """Become `uid` for good (None: stay who you are), and take limits by the names of `resource`, without `RLIMIT_`."""
    for name, most in limits.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
    if uid is not None:  # RLIMIT_NPROC does not bind root, so nobody stays root
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)


def main() -> None:
    told = json.loads(sys.argv[1])
    command = sys.argv[2:]
    if not command[0].endswith(".py"):
        enter(**told)
        os.execvp(command[0], command)
    sys.path.insert(0, os.path.dirname(command[0]))  # noqa: PTH120 - pathlib is a slow import
    with open(command[0], encoding="utf-8") as file:  # noqa: PTH123
        code = compile(file.read(), command[0], "exec")
    exec(code, {"__name__": "__main__", "enter": lambda: enter(**told)})


main()
