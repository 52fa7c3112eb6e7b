"""The first code in a sandbox: give up all rights, set the limits, then become the command that was asked for.

It is run as a file, with the standard library only:
`python confine.py '{"uid": 1, "limits": {"CPU": 20}, "filter": "2000...", "library": 5}' command ...`.
A command that ends in `.py` runs in this process, which saves the start of a second interpreter. It gets `confinement`:
the rights of this process are not given up then, but by each process that `confinement.fork` makes. With `library`, a
file descriptor of a zip file, the standard library is copied from there into memory of this sandbox, and nothing else
of the machine's file system is left.
"""

import json
import os
import resource
import signal
import struct
import sys
import zipimport
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_NEWNS, _NEWUSER, _NEWPID = 0x20000, 0x10000000, 0x20000000  # CLONE_*
_RDONLY, _NOSUID_NODEV, _REMOUNT, _BIND = 1, 6, 32, 4096  # MS_*
_KEPT_FLAGS = 14  # nosuid, nodev, noexec: a mount that has them cannot lose them
ROOT = "/checker"  # becomes the root of the file system of engines
LIBRARY = "/python.zip"  # below it
_NATIVE = (  # modules of the standard library that cannot be in a zip: they are loaded before the files are gone
    *("_asyncio", "_bisect", "_blake2", "_bz2", "_contextvars", "_csv", "_datetime", "_decimal"),
    *("_elementtree", "_heapq", "_json", "_lzma", "_md5", "_multiprocessing", "_opcode", "_pickle"),
    *("_posixsubprocess", "_queue", "_random", "_sha1", "_sha2", "_sha256", "_sha3", "_sha512", "_socket"),
    *("_statistics", "_struct", "_typing", "_uuid", "_zoneinfo", "array", "binascii", "cmath", "ctypes"),
    *("fcntl", "grp", "math", "mmap", "pyexpat", "select", "termios", "unicodedata", "zlib"),
)


class Confinement:
    """The settings of a sandbox, and what its first process can do with processes that it does not trust.

    uid      the user to become; None: stay this user
    limits   named as in `resource`, without `RLIMIT_`
    filter   the system-call filter, in hexadecimal; None: the kernel refuses no call
    library  the file descriptor of the standard library; None: keep the file system
    """

    def __init__(
        self, uid: int | None, limits: dict[str, int], filter: str | None = None, library: int | None = None
    ) -> None:
        self.uid, self.limits, self.library = uid, limits, library
        self.filter = bytes.fromhex(filter) if filter else b""

    def restrict(self) -> None:
        """Become `uid`, and take the limits and the filter: for good, and for all processes that this one starts."""
        for name, most in self.limits.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
        if self.uid is not None:  # RLIMIT_NPROC does not bind root, so no process stays root
            os.setgroups([])
            os.setresgid(self.uid, self.uid, self.uid)
            os.setresuid(self.uid, self.uid, self.uid)
        if self.filter:
            _libc("capset", struct.pack("II", 0x20080522, 0), bytes(24))  # no capability
            _install(self.filter)

    def replace_files(self) -> None:
        """Replace the file system by a read-only one in memory, which has the standard library and /null."""
        if self.library is None:
            return
        for name in _NATIVE:
            with suppress(ImportError):  # not on this machine, or part of another version of Python
                __import__(name)
        _new_mounts(as_root=self.uid is None)
        _libc("mount", b"tmpfs", ROOT.encode(), b"tmpfs", _NOSUID_NODEV, b"size=64m,mode=0755")
        with open(ROOT + LIBRARY, "xb") as copy:  # noqa: PTH123 - pathlib is a slow import
            size, done = os.fstat(self.library).st_size, 0
            while done < size:
                done += os.sendfile(copy.fileno(), self.library, done, size - done)
        os.close(self.library)
        null = f"{ROOT}/null"
        with open(null, "xb"):  # noqa: PTH123
            _libc("mount", b"/dev/null", null.encode(), None, _BIND, None)
        # It is the machine's own device: on a mount that can be written, any process may set its times, and read them.
        kept = os.statvfs(null).f_flag & _KEPT_FLAGS
        _libc("mount", None, null.encode(), None, _REMOUNT | _BIND | _RDONLY | kept, None)
        _libc("mount", None, ROOT.encode(), None, _REMOUNT | _BIND | _RDONLY | _NOSUID_NODEV, None)
        _populate()
        os.chroot(ROOT)
        os.chdir("/")
        _import_from_library()

    def fork(self, channel: int, work: Callable[[int], None]) -> tuple[int, int]:
        """Run `work(channel)` in a new process that has no other open file and no rights. Returns a pair for `end`.

        Each process is the first one of a namespace of its own, so that it sees no other process, and `end` ends all
        that it has started.
        """
        out, into = os.pipe()
        middle = os.fork()
        if middle == 0:
            try:
                if self.filter:
                    _libc("unshare", _NEWPID)
                child = os.fork()
                if child == 0:
                    self._work(channel, work)
                os.write(into, str(child).encode())
                os.close(channel)
                os.waitpid(child, 0)
            finally:
                os._exit(0)
        os.close(into)
        number = os.read(out, 20)
        os.close(out)
        if not number:
            raise OSError("a process in a namespace of its own did not start")
        return middle, int(number)

    def _work(self, channel: int, work: Callable[[int], None]) -> None:
        try:
            os.setsid()
            # Opened here: one process could leave a bit for the next in an open file that both share.
            nothing = os.open("/null" if self.library is not None else os.devnull, os.O_RDWR)
            for number in (0, 1, 2):  # what an engine prints is discarded
                os.dup2(nothing, number)
            os.dup2(channel, 3)
            os.closerange(4, 256)
            self.restrict()
            work(3)
        finally:
            os._exit(1)

    @staticmethod
    def end(pair: tuple[int, int]) -> None:
        """Kill a process and all that it has started. When this returns, none of them exists any more."""
        middle, child = pair
        with suppress(ProcessLookupError):  # it has exited
            os.kill(child, signal.SIGKILL)
        os.waitpid(middle, 0)


def _libc(name: str, *arguments: Any) -> None:
    import ctypes  # only here: it is a slow import

    libc = ctypes.CDLL(None, use_errno=True)
    given = [ctypes.c_ulong(argument) if isinstance(argument, int) else argument for argument in arguments]
    if getattr(libc, name)(*given):
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def _install(filter: bytes) -> None:
    import ctypes

    text = ctypes.create_string_buffer(filter, len(filter))
    program = struct.pack("HL", len(filter) // 8, ctypes.addressof(text))  # struct sock_fprog
    _libc("prctl", 22, 2, program, 0, 0)  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def _new_mounts(as_root: bool) -> None:
    """A namespace for mounts; with `as_root`, in a new namespace of users in which this process is root."""
    user, group = os.getuid(), os.getgid()
    _libc("unshare", _NEWNS | (_NEWUSER if as_root else 0))
    if as_root:
        for name, text in ("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1"):
            with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123
                file.write(text)


def _populate() -> None:
    """Load all libraries that are mapped into this process, so that no later process learns which parts of them were
    in memory.
    """
    with open("/proc/self/maps") as maps:  # noqa: PTH123
        for line in maps:
            span, _, _, _, _, *path = line.split()
            if path and path[0].startswith("/"):
                start, end = (int(number, 16) for number in span.split("-"))
                with suppress(OSError):  # not readable, or an older kernel
                    _libc("madvise", start, end - start, 22)  # MADV_POPULATE_READ


def _import_from_library() -> None:
    sys.path[:] = [LIBRARY]
    sys.path_importer_cache.clear()
    for name, module in sys.modules.items():
        if hasattr(module, "__path__"):
            module.__path__ = [f"{LIBRARY}/{name.replace('.', '/')}"]
    sys.path_importer_cache[LIBRARY] = zipimport.zipimporter(LIBRARY)  # its directory is read once, for all processes


def main() -> None:
    confinement = Confinement(**json.loads(sys.argv[1]))
    command = sys.argv[2:]
    if not command:  # only to see whether a sandbox works
        confinement.replace_files()
        confinement.end(confinement.fork(0, lambda channel: None))
        return
    if not command[0].endswith(".py"):
        confinement.restrict()
        os.execvp(command[0], command)
    sys.path.insert(0, os.path.dirname(command[0]))  # noqa: PTH120
    with open(command[0], encoding="utf-8") as file:  # noqa: PTH123
        code = compile(file.read(), command[0], "exec")
    exec(code, {"__name__": "__main__", "confinement": confinement})


main()
