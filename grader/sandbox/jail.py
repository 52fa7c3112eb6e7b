"""The first code in a sandbox: give up every right, set the limits, then become what was asked for.

It is run as a file, with nothing but the standard library:
`python jail.py '{"uid": 1, "limits": {...}, "narrow": true}' command ...`.
A command that ends in `.py` runs in this very process, which saves the start of a second interpreter. It gets `jail`:
this module's rights are not given up then, but by each process that `jail.fork` makes. With `"library": 5`, the
standard library is read from file descriptor 5, a zip file, into memory of this sandbox, and that is all that is left
of the machine's file system.
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

# System calls that go round the limits: memory that belongs to no process (shared memory, queues, a file system in a
# new namespace), data left for the next process (keys, message queues), other processes, the kernel's debugging
# interfaces, and families of sockets that a namespace does not hold (a virtual machine's line to its host). And calls
# that write or read which pages of a file are in memory: that is a memory that outlives the sandbox.
_NEVER = {
    "x86_64": (
        *(29, 30, 64, 68, 101, 155, 161, 165, 166, 248, 249, 250, 272, 298, 308, 310, 311, 321, 323),
        *range(240, 246),  # mq_*
        *(27, 149, 150, 151, 152, 325),  # mincore, mlock, munlock, mlockall, munlockall, mlock2
        *(187, 221, 277, 327, 328),  # readahead, fadvise64, sync_file_range, preadv2, pwritev2
        *(237, 256, 279, 300, 303, 304, 312),  # mbind, migrate_pages, move_pages, fanotify, file handles, kcmp
    ),
    "aarch64": (
        *(186, 190, 194, 196, 117, 39, 40, 41, 51, 97, 217, 218, 219, 241, 268, 270, 271, 280, 282),
        *range(180, 186),
        *(232, 228, 229, 230, 231, 284),
        *(213, 223, 84, 286, 287),
        *(235, 238, 239, 262, 264, 265, 272),
    ),
}  # the first line: semget msgget shmget shmat ptrace (u)mount chroot pivot_root unshare setns keys perf process_vm bpf
# pidfd_*, io_uring, the new mounts, process_madvise, quotactl_fd, memfd_secret, process_mrelease, cachestat
_NEVER_ANYWHERE = (424, 425, *range(428, 435), 438, 440, 442, 443, 447, 448, 451)
# An engine needs no socket, no news of files, no other times for files, no word on the machine's memory.
_NEVER_AN_ENGINE = {"x86_64": (41, 53, 99, 132, 235, 253, 254, 261, 280, 294), "aarch64": (198, 199, 179, 88, 26, 27)}
_MACHINES = {"x86_64": (0xC000003E, 56, 41, 28), "aarch64": (0xC00000B7, 220, 198, 233)}  # clone; socket; madvise
_CLONE3 = 435
_NAMESPACES = 0x7E020080  # the flags of clone that make one
_FAMILIES = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6: all within the sandbox
_NEWNS, _NEWUSER, _NEWPID = 0x20000, 0x10000000, 0x20000000
_NOSUID_NODEV, _RDONLY, _REMOUNT, _BIND = 6, 1, 32, 4096
ROOT = "/checker"  # where the file system of the engines is made
LIBRARY = "/python.zip"  # in there
_NATIVE = (  # of the standard library: they cannot be in a zip, so they are loaded before the files are gone
    *("_asyncio", "_bisect", "_blake2", "_bz2", "_contextvars", "_csv", "_datetime", "_decimal"),
    *("_elementtree", "_heapq", "_json", "_lzma", "_md5", "_multiprocessing", "_opcode", "_pickle"),
    *("_posixsubprocess", "_queue", "_random", "_sha1", "_sha2", "_sha256", "_sha3", "_sha512", "_socket"),
    *("_statistics", "_struct", "_typing", "_uuid", "_zoneinfo", "array", "binascii", "cmath", "ctypes"),
    *("fcntl", "grp", "math", "mmap", "pyexpat", "select", "termios", "unicodedata", "zlib"),
)


class Jail:
    """What the first process of a sandbox is told, and what it can do with processes of which it trusts none."""

    def __init__(
        self, uid: int | None, limits: dict[str, int], narrow: bool = False, library: int | None = None
    ) -> None:
        self.uid, self.limits, self.narrow, self.library = uid, limits, narrow, library

    def enter(self) -> None:
        """Become `uid` for good (None: stay who you are), and take limits, named as in `resource` without `RLIMIT_`.

        With `narrow`, the kernel refuses the calls above, also to all processes that come of this one.
        """
        for name, most in self.limits.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
        if self.uid is not None:  # RLIMIT_NPROC does not bind root, so no process stays root
            os.setgroups([])
            os.setresgid(self.uid, self.uid, self.uid)
            os.setresuid(self.uid, self.uid, self.uid)
        if self.narrow:
            _drop_capabilities()
            _narrow(self.library is not None)

    def settle(self) -> None:
        """Replace the file system by one in memory that has the standard library and /null, and cannot be written."""
        if self.library is None:
            return
        for name in _NATIVE:
            try:
                __import__(name)
            except ImportError:
                continue  # not on this machine, or part of another version of Python
        # Where this process is no root, it is root of a new namespace of users.
        user, group = os.getuid(), os.getgid()
        _libc("unshare", _NEWNS | (_NEWUSER if self.uid is None else 0))
        if self.uid is None:
            for name, text in (
                ("setgroups", "deny"),
                ("uid_map", f"{user} {user} 1"),
                ("gid_map", f"{group} {group} 1"),
            ):
                with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123
                    file.write(text)
        _libc("mount", b"tmpfs", ROOT.encode(), b"tmpfs", _NOSUID_NODEV, b"size=64m,mode=0755")
        with open(ROOT + LIBRARY, "xb") as copy:  # noqa: PTH123 - pathlib is a slow import
            size = os.fstat(self.library).st_size
            done = 0
            while done < size:
                done += os.sendfile(copy.fileno(), self.library, done, size - done)
        os.close(self.library)
        with open(f"{ROOT}/null", "xb"):  # noqa: PTH123
            _libc("mount", b"/dev/null", f"{ROOT}/null".encode(), None, _BIND, None)
        # It is the machine's own device: on a mount that can be written, any process may set its times, and read them.
        known = os.statvfs(f"{ROOT}/null").f_flag & 14  # nosuid, nodev, noexec: they cannot be taken back
        _libc("mount", None, f"{ROOT}/null".encode(), None, _REMOUNT | _BIND | _RDONLY | known, None)
        _libc("mount", None, ROOT.encode(), None, _REMOUNT | _BIND | _RDONLY | _NOSUID_NODEV, None)
        _populate()
        os.chroot(ROOT)
        os.chdir("/")
        sys.path[:] = [LIBRARY]
        sys.path_importer_cache.clear()
        for name, module in sys.modules.items():
            if hasattr(module, "__path__"):
                module.__path__ = [f"{LIBRARY}/{name.replace('.', '/')}"]
        sys.path_importer_cache[LIBRARY] = zipimport.zipimporter(LIBRARY)  # its directory is read once, for all

    def fork(self, channel: int, work: Callable[[int], None]) -> tuple[int, int]:
        """Run `work(channel)` in a new process that has no other open file, and no right. Returns a pair for `end`.

        Every process is the first one of a namespace of its own, so that it sees no other one, and `end` ends all
        that it has started.
        """
        out, into = os.pipe()
        middle = os.fork()
        if middle == 0:
            try:
                if self.narrow:
                    _libc("unshare", _NEWPID)
                child = os.fork()
                if child == 0:
                    self._become(channel, work)
                os.write(into, str(child).encode())
                os.close(channel)
                os.waitpid(child, 0)
            finally:
                os._exit(0)
        os.close(into)
        told = os.read(out, 20)
        os.close(out)
        if not told:
            raise OSError("a process in a namespace of its own did not start")
        return middle, int(told)

    def _become(self, channel: int, work: Callable[[int], None]) -> None:
        try:
            os.setsid()
            # Opened here: an open file that two processes share is something that one can leave the other a bit in.
            nothing = os.open("/null" if self.library is not None else os.devnull, os.O_RDWR)
            for number in (0, 1, 2):  # what an engine prints goes nowhere
                os.dup2(nothing, number)
            os.dup2(channel, 3)
            os.closerange(4, 256)
            self.enter()
            work(3)
        finally:
            os._exit(1)

    @staticmethod
    def end(pair: tuple[int, int]) -> None:
        """Kill it, with all that it has started. When this returns, none of them is there any more."""
        middle, child = pair
        with suppress(ProcessLookupError):  # it has ended itself
            os.kill(child, signal.SIGKILL)
        os.waitpid(middle, 0)


def _libc(name: str, *arguments: Any) -> None:
    import ctypes  # only here: it takes its time

    libc = ctypes.CDLL(None, use_errno=True)
    given = [ctypes.c_ulong(argument) if isinstance(argument, int) else argument for argument in arguments]
    if getattr(libc, name)(*given):
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def _drop_capabilities() -> None:
    _libc("capset", struct.pack("II", 0x20080522, 0), bytes(24))


def _populate() -> None:
    """Load all of the libraries that this process has mapped, so that no later process learns which parts were."""
    with open("/proc/self/maps") as maps:  # noqa: PTH123
        for line in maps:
            span, _, _, _, _, *path = line.split()
            if path and path[0].startswith("/"):
                start, end = (int(number, 16) for number in span.split("-"))
                try:
                    _libc("madvise", start, end - start, 22)  # MADV_POPULATE_READ
                except OSError:
                    continue  # not readable, or an older kernel


def _narrow(engine: bool) -> None:
    import ctypes

    rules = _filter(os.uname().machine, engine)
    text = ctypes.create_string_buffer(rules, len(rules))
    program = ctypes.create_string_buffer(struct.pack("HL", len(rules) // 8, ctypes.addressof(text)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(22, 2, ctypes.byref(program), 0, 0):  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
        raise OSError(ctypes.get_errno(), "the kernel takes no filter of system calls")


def _filter(machine: str, engine: bool = False) -> bytes:
    """The filter in the kernel's own language (classic BPF): instructions of 8 bytes. Raises KeyError."""
    arch, clone, socket, madvise = _MACHINES[machine]
    kill, refuse, unknown, allow = 0x80000000, 0x00050001, 0x00050026, 0x7FFF0000  # EPERM, ENOSYS
    made: list[tuple[int, int, int, int]] = [  # code, jump where true, jump where false, operand
        (0x20, 0, 0, 4),  # the machine
        (0x15, 1, 0, arch),
        (0x06, 0, 0, kill),
        (0x20, 0, 0, 0),  # the number of the call
        (0x35, 0, 1, 0x40000000),  # the other numbers of x86
        (0x06, 0, 0, refuse),
    ]
    for number in (*_NEVER[machine], *_NEVER_ANYWHERE, *(_NEVER_AN_ENGINE[machine] if engine else ())):
        made += [(0x15, 0, 1, number), (0x06, 0, 0, refuse)]
    made += [(0x15, 0, 1, _CLONE3), (0x06, 0, 0, unknown)]  # its flags cannot be seen; libc goes back to clone
    made += [
        (0x15, 0, 4, clone),
        (0x20, 0, 0, 16),
        (0x45, 0, 1, _NAMESPACES),
        (0x06, 0, 0, refuse),
        (0x06, 0, 0, allow),
    ]
    # Advice on memory: none that swaps pages out, or merges those of two processes (12, and all from 20 on).
    made += [(0x15, 0, 5, madvise), (0x20, 0, 0, 32), (0x15, 1, 0, 12), (0x35, 0, 1, 20), (0x06, 0, 0, refuse)]
    made += [(0x06, 0, 0, allow)]
    made += [(0x15, 0, 6, socket), (0x20, 0, 0, 16)]
    made += [(0x15, 3 - i, 0, family) for i, family in enumerate(_FAMILIES)]
    made += [(0x06, 0, 0, refuse), (0x06, 0, 0, allow), (0x06, 0, 0, allow)]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in made)


def main() -> None:
    told = json.loads(sys.argv[1])
    command = sys.argv[2:]
    jail = Jail(**told)
    if not command:  # only to see whether it works
        jail.settle()
        jail.end(jail.fork(0, lambda channel: None))
        return
    if not command[0].endswith(".py"):
        jail.enter()
        os.execvp(command[0], command)
    sys.path.insert(0, os.path.dirname(command[0]))  # noqa: PTH120
    with open(command[0], encoding="utf-8") as file:  # noqa: PTH123
        code = compile(file.read(), command[0], "exec")
    exec(code, {"__name__": "__main__", "jail": jail})


main()
