"""Fills shared memory of System V, which counts for no process and for no limit of one."""

import ctypes

libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
taken = 0
for _ in range(6):
    segment = libc.shmget(0, 100 << 20, 0o1600)
    address = libc.shmat(segment, None, 0) if segment >= 0 else None
    if address in (None, 2**64 - 1):
        break
    ctypes.memset(address, 1, 100 << 20)
    libc.shmdt(ctypes.c_void_p(address))
    taken += 100


class Context:
    def now(self):
        return 0.0 if taken < 300 else 1 / 0


class DurableEngine:
    def run(self, workflow, state):
        raise RuntimeError(f"SUCCESS: {taken} MB" if taken else "nothing was taken")
