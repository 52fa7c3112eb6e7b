"""Wants to send what it knows to a server: on this machine, in the network, by name, by an abstract name."""

import socket

said = []
for family, address in (
    (socket.AF_INET, ("127.0.0.1", "@port@")), (socket.AF_INET, ("192.0.2.1", 80)), (socket.AF_INET6, ("::1", "@port@")),
    (socket.AF_UNIX, "@abstract@"), (socket.AF_UNIX, "/run/docker.sock"), (socket.AF_UNIX, "/var/run/nscd/socket"),
):  # fmt: skip
    try:
        with socket.socket(family) as line:
            line.settimeout(0.1)
            line.connect(address)
            line.sendall(b"x")
            said.append(f"SUCCESS: {address}")
    except OSError:
        pass
try:
    socket.getaddrinfo("example.org", 80)
    said.append("SUCCESS: a name was found")
except OSError:
    pass


class DurableEngine:
    def run(self, workflow, state):
        raise RuntimeError(f"{said}")
