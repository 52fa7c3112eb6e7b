"""The sandbox from inside: what is visible, what is possible, and what is left when it ends."""

import json
import os
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from grader.sandbox import bubblewrap
from grader.sandbox.bubblewrap import Limits

pytestmark = pytest.mark.usefixtures("bubblewrap")


def inside(code, **options):
    """What this code prints in a sandbox, as JSON."""
    command = bubblewrap.command([bubblewrap.PYTHON, "-I", "-S", "-c", f"import json, os, sys\n{code}"], **options)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_only_python_and_the_systems_libraries_are_seen(tmp_path):
    (tmp_path / "secret").write_text("x", encoding="utf-8")
    seen = inside(
        f"print(json.dumps([os.path.exists({str(tmp_path)!r}), os.path.exists({__file__!r}), sorted(os.listdir('/'))]))"
    )
    assert seen[:2] == [False, False]
    assert "home" not in seen[2]
    assert "tmp" not in seen[2]


def test_the_environment_is_empty():
    assert set(inside("print(json.dumps(dict(os.environ)))")) <= {"LANG", "PWD", "LC_CTYPE", "PYTHONHASHSEED"}
    assert inside("print(json.dumps(os.environ['A']))", env={"A": "b"}) == "b"


def test_its_user_is_nobody_and_stays_it():
    said = inside(
        "try:\n os.setuid(0); more = os.getuid()\nexcept OSError: more = 'refused'\n"
        "caps = [l.split()[1] for l in open('/proc/self/status') if l.startswith('CapEff')]\n"
        "print(json.dumps([os.getuid(), more, int(caps[0], 16)]))"
    )
    if os.geteuid() == 0:
        assert said[0] in bubblewrap._UIDS
        assert said[1:] == ["refused", 0]
    assert said[2] == 0


def test_two_sandboxes_are_two_users():
    if os.geteuid() == 0:
        assert inside("print(os.getuid())") != inside("print(os.getuid())")


def test_there_is_no_network():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        said = inside(
            f"import socket\ntry:\n socket.create_connection(('127.0.0.1', {port}), 2); said = 'connected'\n"
            "except OSError as e: said = type(e).__name__\nprint(json.dumps(said))"
        )
    assert said == "ConnectionRefusedError"


def test_there_is_no_place_to_write_but_what_is_given(tmp_path):
    given = tmp_path / "given"
    given.mkdir()
    given.chmod(0o777)
    code = (
        "said = []\nfor p in %r:\n try:\n  open(p + '/x', 'w').write('x'); said.append(p)\n except OSError: pass\n"
        "print(json.dumps(said))"
    )
    places = ["/", "/dev", "/dev/shm", "/tmp", "/proc", "/usr/lib", "/checker", str(tmp_path), str(given)]
    assert inside(code % places) == []
    said = inside(code % places, write=[given], tmp_mb=1)
    # Below its private /tmp, the folders on the way belong to root; an ordinary user's sandbox has no other user.
    assert [place for place in said if place != str(tmp_path) or os.geteuid() == 0] == ["/tmp", str(given)]
    assert not (tmp_path / "x").exists()
    assert (given / "x").read_text(encoding="utf-8") == "x"


@pytest.mark.parametrize(
    ("code", "limits"),
    [
        ("x = bytearray(300 << 20)", Limits(memory_mb=200)),
        ("while True: pass", Limits(cpu_seconds=1)),
        ("[os.fork() or __import__('time').sleep(50) for _ in range(60)]", Limits(processes=8)),
        ("f = [os.open('/dev/null', os.O_RDONLY) for _ in range(99)]", Limits(open_files=32)),
        ("open('/tmp/x', 'wb').write(bytes(3 << 20))", Limits(file_mb=2)),
        ("[open(f'/tmp/{i}', 'wb').write(bytes(1 << 20)) for i in range(20)]", Limits()),
    ],
    ids=["memory", "CPU time", "processes", "open files", "size of a file", "size of /tmp"],
)
def test_a_limit_holds(code, limits):
    command = bubblewrap.command(
        [bubblewrap.PYTHON, "-I", "-S", "-c", f"import os\n{code}\nprint('too far')"], limits=limits, tmp_mb=8
    )
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert "too far" not in done.stdout


def test_after_a_kill_it_and_all_its_children_are_dead():
    code = (
        "import os, time\nfor _ in range(3):\n"
        " if os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0: time.sleep(60)\n"
        "  time.sleep(60)\nprint('up', flush=True)\ntime.sleep(60)"
    )
    command = bubblewrap.command([bubblewrap.PYTHON, "-I", "-S", "-c", code, "a-mark-of-this-test"])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        up, seen = process.stdout.readline(), marked()
        process.kill()
    assert up == "up\n"
    assert len(seen) >= 4
    until = time.monotonic() + 10
    while marked() and time.monotonic() < until:
        pass
    assert marked() == []


def marked():
    """The processes whose command line has the mark of the test above."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found += [file] if b"a-mark-of-this-test" in file.read_bytes() else []
    return found


def test_where_bubblewrap_is_not_there_it_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    bubblewrap.missing.cache_clear()
    try:
        assert "bubblewrap is not installed" in bubblewrap.missing()
        bad = tmp_path / "bwrap"
        bad.write_text(
            "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n", encoding="utf-8"
        )
        bad.chmod(0o755)
        bubblewrap.missing.cache_clear()
        assert "No permissions to create new namespace" in bubblewrap.missing()
    finally:
        bubblewrap.missing.cache_clear()
