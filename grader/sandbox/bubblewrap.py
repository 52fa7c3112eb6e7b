"""A sandbox for students' code: bubblewrap, a throw-away user, no network, no files of the machine, and limits.

grader/README.md says what it guarantees, and what it does not.
"""

from __future__ import annotations

import itertools
import json
import marshal
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from subprocess import DEVNULL

from grader.sandbox import syscalls

CONFINE = Path(__file__).with_name("confine.py")
PYTHON = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
_INSIDE = Path("/checker")  # the folder of our own files in a sandbox
_UIDS = range(1_000_000_000, 3_000_000_000)  # user ids that no machine uses; each sandbox has one of its own
_A_PROCESS = 400  # user ids for each process of a grader, whose process id is at most 2**22
_LEFT_OUT = {  # parts of the standard library that no engine needs, or that are large
    *("__phello__", "curses", "dbm", "distutils", "ensurepip", "idlelib", "lib-dynload", "lib2to3", "msilib"),
    *("pydoc_data", "site-packages", "sqlite3", "test", "tests", "tkinter", "turtledemo", "venv", "wsgiref", "xmlrpc"),
}
_count = itertools.count()


@dataclass(frozen=True)
class Limits:
    """What a sandbox may use: memory for each process, the number of processes for its user."""

    memory_mb: int = 512
    cpu_seconds: int = 20
    processes: int = 16
    file_mb: int = 1
    open_files: int = 64

    def by_resource(self) -> dict[str, int]:
        """By the names of `resource`, without `RLIMIT_`."""
        return {
            "AS": self.memory_mb << 20,
            "CPU": self.cpu_seconds,
            "NPROC": self.processes,
            "FSIZE": self.file_mb << 20,
            "NOFILE": self.open_files,
            "CORE": 0,
        }


def command(
    argv: Sequence[str | Path],
    *,
    read: Iterable[Path] = (),
    write: Iterable[Path] = (),
    limits: Limits = Limits(),
    tmp_mb: int = 0,
    env: Mapping[str, str] | None = None,
    files: Iterable[Path] = (),
    library: int | None = None,
) -> list[str]:
    """The command, for Popen, that runs `argv` in a sandbox. Use it once: each sandbox has a user of its own.

    read, write  paths that are visible at the same place; of this machine, only Python and libc are visible besides
    files        files and folders of ours that are visible as /checker/<name>
    tmp_mb       the size of a private /tmp; 0: no place can be written
    env          the whole environment
    library      the file descriptor of `library()`, for a first process that starts others by `confinement.fork`

    `missing()` says whether it can work on this machine. A path to write must be writable for the throw-away user.
    """
    root = os.geteuid() == 0
    uid = user(next(_count)) if root else None
    refused = syscalls.program(os.uname().machine, engine=library is not None).hex()
    settings = json.dumps({"uid": uid, "limits": limits.by_resource(), "filter": refused, "library": library})
    # bubblewrap remains as process 1 of the sandbox, whose environment can be read: it must start with an empty one.
    made = ["/usr/bin/env", "-i", shutil.which("bwrap") or "bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net"]
    made += ["--unshare-uts", "--unshare-cgroup-try"]
    made += ["--cap-drop", "ALL"]
    rights = ["SETUID", "SETGID", *(["SYS_ADMIN", "SYS_CHROOT", "KILL"] if library is not None else [])]
    made += [word for right in rights for word in ("--cap-add", f"CAP_{right}")] if root else ["--unshare-user"]
    made += ["--die-with-parent", "--new-session", "--clearenv", "--hostname", "lab"]
    # The same hashes each time, so that the same engine gets the same messages.
    for name, value in {"LANG": "C.UTF-8", "PYTHONHASHSEED": "0", **(env or {})}.items():
        made += ["--setenv", name, value]
    made += _file_system(read, write, files, tmp_mb)
    return [*made, "--", str(PYTHON), "-P", "-s", "-S", "-B", str(_INSIDE / CONFINE.name), settings, *map(str, argv)]


def _file_system(read: Iterable[Path], write: Iterable[Path], files: Iterable[Path], tmp_mb: int) -> list[str]:
    """The options of bubblewrap for what is visible in a sandbox."""
    binds = [*_libraries(), *(("--ro-bind", path) for path in read), *(("--bind", path) for path in write)]
    made: list[str] = []
    if tmp_mb:  # before the paths that are bound below it
        made += ["--perms", "1777", "--size", str(tmp_mb << 20), "--tmpfs", "/tmp"]
    for folder in [_INSIDE, *_folders([path for _, path in binds])]:  # bubblewrap would make them readable by root only
        made += ["--perms", "0755", "--dir", str(folder)]
    for how, path in binds:
        made += ["--symlink", str(path.readlink()), str(path)] if _is_link(path) else [how, str(path), str(path)]
    for folder in _others(*(path for how, path in binds[len(_libraries()) :])):
        made += ["--perms", "0555", "--tmpfs", str(folder), "--remount-ro", str(folder)]
    for path in (CONFINE, *files):
        made += ["--ro-bind", str(path), str(_INSIDE / path.name)]
    return [*made, "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"]


def unprotected(argv: Sequence[str | Path], limits: Limits = Limits()) -> list[str]:
    """The command without a sandbox: the limits apply, but the code can read everything that this user can."""
    settings = json.dumps({"uid": None, "limits": {k: v for k, v in limits.by_resource().items() if k != "NPROC"}})
    return [sys.executable, "-I", "-S", "-B", str(CONFINE), settings, *map(str, argv)]


def user(number: int) -> int:
    """The user id for this process's sandbox with this number: no other process on this machine uses the same."""
    return _UIDS[os.getpid() % (1 << 22) * _A_PROCESS + number % _A_PROCESS]


@cache
def library() -> int:
    """A file in memory, for `pass_fds` of Popen: Python's standard library, compiled, as a zip."""
    folder = Path(os.__file__).parent
    made = os.memfd_create("library")
    with os.fdopen(os.dup(made), "wb") as file, zipfile.ZipFile(file, "w") as archive:
        for path in sorted(folder.rglob("*.py")):
            inner = path.relative_to(folder)
            if not (_LEFT_OUT & {*inner.parts}) and not inner.parts[0].startswith("config-"):
                archive.writestr(f"{inner.with_suffix('.pyc')}", _compiled(path, str(inner)))
    return made


def _compiled(path: Path, name: str) -> bytes:
    known = Path(cache_from_source(str(path)))
    with suppress(OSError):
        made = known.read_bytes()
        if made.startswith(MAGIC_NUMBER):
            return made
    with suppress(SyntaxError, ValueError):  # some files have errors on purpose
        code = compile(path.read_bytes(), name, "exec", dont_inherit=True)
        return MAGIC_NUMBER + bytes(12) + marshal.dumps(code)
    return b""


def inside(file: Path) -> Path:
    """The path of one of `files` in the sandbox."""
    return _INSIDE / file.name


@cache
def missing() -> str | None:
    """None if a sandbox works on this machine; else the reason, and what to do about it."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed (Debian: apt install bubblewrap; there is none for macOS or Windows)"
    if (machine := os.uname().machine) not in syscalls.MACHINES:
        return f"there is a filter of system calls for {' and '.join(syscalls.MACHINES)} only, and this is {machine}"
    try:
        given = library()
        done = subprocess.run(
            command([], library=given), capture_output=True, text=True, timeout=20, pass_fds=(given,), stdin=DEVNULL
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"bubblewrap does not run here: {error}"
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["it gives no reason"])[-1]
        return f"bubblewrap does not work here ({reason}); a container must be allowed to make namespaces"
    return None


@cache
def _libraries() -> tuple[tuple[str, Path], ...]:
    """Python, and the system's libraries."""
    prefix = Path(sys.base_prefix)
    paths = [Path("/usr/lib"), Path("/usr/lib64"), Path("/lib"), Path("/lib64"), Path("/etc/ld.so.cache")]
    own = [PYTHON.resolve(), prefix / "lib"] if prefix in (Path("/usr"), Path("/usr/local")) else [prefix]
    known: list[Path] = []
    for path in [*paths, *own]:
        if (path.exists() or _is_link(path)) and not any(path.is_relative_to(old) for old in known):
            known.append(path)
    return tuple(("--ro-bind", path) for path in known)


def _others(*wanted: Path) -> list[Path]:
    """The folders of installed packages, except those wanted: this lab, with its answers, may be one of them."""
    places = [Path(python, kind) for python in _pythons() for kind in ("site-packages", "dist-packages")]
    places = [place for place in places if place.is_dir() and not place.is_symlink()]
    return [p for p in places if not any(p.is_relative_to(w) or w.is_relative_to(p) for w in wanted)]


@cache
def _pythons() -> list[Path]:
    roots = {path for _, path in _libraries() if not _is_link(path)} | {Path(sys.base_prefix, "lib")}
    found = {folder for root in roots for pattern in ("python3*", "lib/python3*") for folder in root.glob(pattern)}
    return sorted(folder for folder in found if folder.is_dir())


def _is_link(path: Path) -> bool:
    return path.is_symlink() and path.parent == Path("/")  # /lib -> usr/lib and its like


def _folders(paths: Iterable[Path]) -> list[Path]:
    return sorted({folder for path in paths for folder in path.parents if folder not in (Path("/"), Path("/tmp"))})
