"""The system-call filter of a sandbox: which calls the kernel refuses, by name and reason, as a seccomp program.

The numbers beside the names are checked against libseccomp by a test. The program is made here, in the grader, and the
first process in the sandbox only hands it to the kernel, so that it needs neither libseccomp nor any package.
"""

from __future__ import annotations

import struct

# name: (its number on x86_64, on aarch64); None: this machine has no such call
_BOTH = {name: (number, number) for name, number in {
    "pidfd_send_signal": 424, "io_uring_setup": 425, "open_tree": 428, "move_mount": 429, "fsopen": 430,
    "fsconfig": 431, "fsmount": 432, "fspick": 433, "pidfd_open": 434, "pidfd_getfd": 438, "process_madvise": 440,
    "mount_setattr": 442, "quotactl_fd": 443, "memfd_secret": 447, "process_mrelease": 448, "cachestat": 451,
}.items()}  # fmt: skip
# Memory that belongs to no process, and data that would be left for the next process.
_IPC = {
    "semget": (64, 190), "msgget": (68, 186), "shmget": (29, 194), "shmat": (30, 196),
    "mq_open": (240, 180), "mq_unlink": (241, 181), "mq_timedsend": (242, 182), "mq_timedreceive": (243, 183),
    "mq_notify": (244, 184), "mq_getsetattr": (245, 185),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
}  # fmt: skip
# Other file systems and namespaces, other processes, and the kernel's interfaces for debugging.
_KERNEL = {
    "mount": (165, 40), "umount2": (166, 39), "chroot": (161, 51), "pivot_root": (155, 41), "unshare": (272, 97),
    "setns": (308, 268), "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "perf_event_open": (298, 241), "bpf": (321, 280), "userfaultfd": (323, 282), "fanotify_init": (300, 262),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "kcmp": (312, 272),
}  # fmt: skip
# Calls that change or tell which pages of a file are in memory: that is a memory that outlives the sandbox.
_PAGES = {
    "mincore": (27, 232), "mlock": (149, 228), "munlock": (150, 229), "mlockall": (151, 230), "munlockall": (152, 231),
    "mlock2": (325, 284), "readahead": (187, 213), "fadvise64": (221, 223), "sync_file_range": (277, 84),
    "preadv2": (327, 286), "pwritev2": (328, 287), "mbind": (237, 235), "migrate_pages": (256, 238),
    "move_pages": (279, 239),
}  # fmt: skip
REFUSED: dict[str, tuple[int | None, int]] = {**_IPC, **_KERNEL, **_PAGES, **_BOTH}
# An engine needs no socket, no news of files, no other times for files, no data on the machine's memory.
REFUSED_TO_ENGINES: dict[str, tuple[int | None, int | None]] = {
    "socket": (41, 198), "socketpair": (53, 199), "sysinfo": (99, 179), "utime": (132, None), "utimes": (235, None),
    "futimesat": (261, None), "utimensat": (280, 88), "inotify_init": (253, None), "inotify_add_watch": (254, 27),
    "inotify_init1": (294, 26),
}  # fmt: skip
# Their arguments decide.
EXAMINED = {"clone": (56, 220), "clone3": (435, 435), "socket": (41, 198), "madvise": (28, 233)}
MACHINES = ("x86_64", "aarch64")
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_*
ALLOW, REFUSE, UNKNOWN, KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000  # SECCOMP_RET_*; EPERM, ENOSYS
_NAMESPACES = 0x7E020080  # the flags of clone that make one
_FAMILIES = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6: all within the sandbox
_MERGE, _FROM_COLD = 12, 20  # MADV_MERGEABLE, MADV_COLD
_X32 = 0x40000000  # from this number on: the calls of another interface of x86_64
# Classic BPF: (code, jump if true, jump if false, operand); a jump counts the instructions that it skips.
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST, _THIRD = 0, 4, 16, 32  # offsets in seccomp_data
Instruction = tuple[int, int, int, int]


def program(machine: str, engine: bool = False) -> bytes:
    """The filter for this machine (`os.uname().machine`); with `engine`, the one for processes that run an engine."""
    which = MACHINES.index(machine)
    refused = [*REFUSED.values(), *(REFUSED_TO_ENGINES.values() if engine else ())]
    examined = {name: numbers[which] for name, numbers in EXAMINED.items()}
    made: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, ARCHITECTURES[machine]),
        (_RETURN, 0, 0, KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, REFUSE),
    ]
    for numbers in refused:
        if (number := numbers[which]) is not None:
            made += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, REFUSE)]
    # The flags of clone3 cannot be seen; libc falls back to clone.
    made += [(_EQUAL, 0, 1, examined["clone3"]), (_RETURN, 0, 0, UNKNOWN)]
    made += _only_if(examined["clone"], _FIRST, [(_ANY_BIT, 0, 1, _NAMESPACES), (_RETURN, 0, 0, REFUSE)])
    # Advice on memory: none that swaps pages out, or merges those of two processes.
    advice = [(_EQUAL, 1, 0, _MERGE), (_AT_LEAST, 0, 1, _FROM_COLD), (_RETURN, 0, 0, REFUSE)]
    made += _only_if(examined["madvise"], _THIRD, advice)
    families = [(_EQUAL, len(_FAMILIES) - i, 0, family) for i, family in enumerate(_FAMILIES)]
    made += _only_if(examined["socket"], _FIRST, [*families, (_RETURN, 0, 0, REFUSE)])
    return b"".join(struct.pack("HBBI", *instruction) for instruction in [*made, (_RETURN, 0, 0, ALLOW)])


def _only_if(number: int, argument: int, rules: list[Instruction]) -> list[Instruction]:
    """For this call, load an argument (its low 32 bits) and apply the rules; allow the call if none refuses it."""
    return [(_EQUAL, 0, len(rules) + 2, number), (_LOAD, 0, 0, argument), *rules, (_RETURN, 0, 0, ALLOW)]
