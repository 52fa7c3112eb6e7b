"""Says once more what the sandbox says at its start, and sends file descriptors along."""

import array
import socket

for _ in range(20):
    _line.sendmsg([b"ready\n"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
hear()
