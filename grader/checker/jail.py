"""The first code in a sandbox: give up every right, set the limits, then become what was asked for.

It is run as a file, with nothing but the standard library:
`python jail.py '{"uid": 1, "limits": {...}, "narrow": true}' command ...`.
A command that ends in `.py` runs in this very process, which saves the start of a second interpreter; it gets `enter`,
and calls it when it has imported what it needs: a throw-away user may not be able to read our files.
"""

import json
import os
import resource
import struct
import sys

# System calls that go round the limits: memory that is nobody's (shared memory, queues, a file system of one's own in
# a new namespace), texts left for the next one (keys), other processes, the kernel's workshop, and families of
# sockets that a namespace does not hold (a virtual machine's line to its host).
_NEVER = {
    "x86_64": (29, 30, 64, 68, 101, 155, 161, 165, 166, 248, 249, 250, 272, 298, 308, 310, 311, 321, 323),
    "aarch64": (186, 190, 194, 196, 117, 39, 40, 41, 51, 97, 217, 218, 219, 241, 268, 270, 271, 280, 282),
}  # semget msgget shmget shmat ptrace (u)mount chroot pivot_root unshare setns keys perf process_vm bpf userfaultfd
_NEVER_ANYWHERE = (425, *range(428, 434), 438, 442, 447)  # io_uring, the new mounts, pidfd_getfd, memfd_secret
_MACHINES = {"x86_64": (0xC000003E, 56, 41), "aarch64": (0xC00000B7, 220, 198)}  # its number; clone; socket
_CLONE3 = 435
_NAMESPACES = 0x7E020080  # the flags of clone that make one
_FAMILIES = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6: all within the sandbox


def enter(uid: int | None, limits: dict[str, int], narrow: bool = False) -> None:
    """Become `uid` for good (None: stay who you are), and take limits by the names of `resource`, without `RLIMIT_`.

    narrow  let the kernel refuse the calls above, also to all processes that come of this one
    """
    for name, most in limits.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
    if uid is not None:  # RLIMIT_NPROC does not bind root, so nobody stays root
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    if narrow:
        _narrow()


def _narrow() -> None:
    import ctypes  # only here: it takes its time

    rules = _filter(os.uname().machine)
    text = ctypes.create_string_buffer(rules, len(rules))
    program = ctypes.create_string_buffer(struct.pack("HL", len(rules) // 8, ctypes.addressof(text)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(22, 2, ctypes.byref(program), 0, 0):  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
        raise OSError(ctypes.get_errno(), "the kernel takes no filter of system calls")


def _filter(machine: str) -> bytes:
    """The filter in the kernel's own language (classic BPF): instructions of 8 bytes. Raises KeyError."""
    arch, clone, socket = _MACHINES[machine]
    kill, refuse, unknown, allow = 0x80000000, 0x00050001, 0x00050026, 0x7FFF0000  # EPERM, ENOSYS
    made: list[tuple[int, int, int, int]] = [  # code, jump where true, jump where false, operand
        (0x20, 0, 0, 4),  # the machine
        (0x15, 1, 0, arch),
        (0x06, 0, 0, kill),
        (0x20, 0, 0, 0),  # the number of the call
        (0x35, 0, 1, 0x40000000),  # the other numbers of x86
        (0x06, 0, 0, refuse),
    ]
    for number in (*_NEVER[machine], *_NEVER_ANYWHERE):
        made += [(0x15, 0, 1, number), (0x06, 0, 0, refuse)]
    made += [(0x15, 0, 1, _CLONE3), (0x06, 0, 0, unknown)]  # its flags cannot be seen; libc goes back to clone
    made += [
        (0x15, 0, 4, clone),
        (0x20, 0, 0, 16),
        (0x45, 0, 1, _NAMESPACES),
        (0x06, 0, 0, refuse),
        (0x06, 0, 0, allow),
    ]
    made += [(0x15, 0, 6, socket), (0x20, 0, 0, 16)]
    made += [(0x15, 3 - i, 0, family) for i, family in enumerate(_FAMILIES)]
    made += [(0x06, 0, 0, refuse), (0x06, 0, 0, allow), (0x06, 0, 0, allow)]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in made)


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
