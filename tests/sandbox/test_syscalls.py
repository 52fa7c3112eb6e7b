"""The system-call filter, run as the kernel would run it: what it refuses on each machine, by number."""

import ctypes
import struct

import pytest

from grader.sandbox import syscalls
from grader.sandbox.syscalls import ALLOW, KILL, REFUSE, UNKNOWN

each_machine = pytest.mark.parametrize("machine", syscalls.MACHINES)
NAMES = {**syscalls.REFUSED, **syscalls.REFUSED_TO_ENGINES, **syscalls.EXAMINED}
CLONE_NEWUSER, SIGCHLD = 0x10000000, 17


def verdict(machine, number, *arguments, engine=False, architecture=None):
    """What the filter says of a call: the program is run here, instruction by instruction."""
    made = list(struct.iter_unpack("HBBI", syscalls.program(machine, engine)))
    data = struct.pack("IIQ", number, architecture or syscalls.ARCHITECTURES[machine], 0)
    data += struct.pack("6Q", *(arguments + (0,) * 6)[:6])
    at = accumulator = 0
    while True:
        code, then, otherwise, operand = made[at]
        if code == 0x06:
            return operand
        if code == 0x20:
            (accumulator,) = struct.unpack_from("I", data, operand)
            at += 1
        else:
            holds = {0x15: accumulator == operand, 0x35: accumulator >= operand, 0x45: bool(accumulator & operand)}[
                code
            ]
            at += 1 + (then if holds else otherwise)


@each_machine
def test_each_name_has_the_number_that_libseccomp_knows(machine, require):
    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        require("numbers of system calls", "libseccomp is not installed")
    resolve = library.seccomp_syscall_resolve_name_arch
    resolve.argtypes = [ctypes.c_uint32, ctypes.c_char_p]
    for name, numbers in NAMES.items():
        number = numbers[syscalls.MACHINES.index(machine)]
        known = resolve(syscalls.ARCHITECTURES[machine], name.encode())
        assert known == number or (number is None and known < 0), name


@each_machine
@pytest.mark.parametrize("engine", [False, True])
def test_a_call_is_refused_if_it_is_listed_and_allowed_if_not(machine, engine):
    which = syscalls.MACHINES.index(machine)
    listed = [*syscalls.REFUSED.values(), *(syscalls.REFUSED_TO_ENGINES.values() if engine else ())]
    refused = {numbers[which] for numbers in listed}
    examined = {numbers[which] for numbers in syscalls.EXAMINED.values()}
    for number in sorted({*range(500)} - examined):
        assert verdict(machine, number, engine=engine) == (REFUSE if number in refused else ALLOW), number
    assert len(refused) > 55


@each_machine
def test_the_arguments_of_some_calls_decide(machine):
    clone, clone3, socket, madvise = (
        syscalls.EXAMINED[name][syscalls.MACHINES.index(machine)] for name in ("clone", "clone3", "socket", "madvise")
    )
    assert verdict(machine, clone, SIGCHLD) == ALLOW
    assert verdict(machine, clone, SIGCHLD | CLONE_NEWUSER) == REFUSE
    assert verdict(machine, clone3) == UNKNOWN, "libc falls back to clone"
    assert [verdict(machine, socket, family) for family in (1, 2, 10)] == [ALLOW] * 3
    assert [verdict(machine, socket, family) for family in (0, 3, 16, 17, 40)] == [REFUSE] * 5
    assert verdict(machine, socket, 1, engine=True) == REFUSE
    assert [verdict(machine, madvise, 0, 4096, advice) for advice in (0, 4, 8, 14, 18)] == [ALLOW] * 5
    assert [verdict(machine, madvise, 0, 4096, advice) for advice in (12, 20, 21, 22, 25, 100)] == [REFUSE] * 6


def test_calls_of_another_architecture_or_interface_do_not_pass():
    assert verdict("x86_64", 0, architecture=0x40000003) == KILL, "the 32-bit interface"
    assert verdict("x86_64", 0x40000000) == REFUSE, "the x32 interface"
    assert verdict("aarch64", 0, architecture=syscalls.ARCHITECTURES["x86_64"]) == KILL
