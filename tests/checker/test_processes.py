"""A resume runs in a new process: what an engine keeps outside the state's JSON is lost."""

import inspect
import platform
import tempfile
from pathlib import Path

import pytest

from durable_lab.checks.bench import Bench
from durable_lab.source import replace_function
from durable_lab.todos import all_todos
from grader.checker import check as check_module
from grader.checker import hidden, suite
from grader.checker.examinee import Examinee
from grader.checker.worker_process import Worker
from grader.dev.bank import Judge
from grader.dev.bank.observe import module as module_of
from grader.handin import Submission
from grader.sandbox import bubblewrap

REFERENCE = (suite.ROOT / "solution" / "engine.py").read_text(encoding="utf-8")
TESTS = {test.name: test for test in suite.public()}
RESUMES = [
    "test_after_a_crash_in_the_middle_only_the_rest_runs",
    "test_a_delivered_signal_resumes_without_running_again",
    "test_the_refund_story_survives_kill_and_resume",
]
# Places for a table that is not part of the state: how to store a string there under a key, and how to read it.
TABLES = {
    "a global": ("_table = {}", "_table[key] = text", "_table[key]"),
    "a class": ("class _Kept:\n    table = {}", "_Kept.table[key] = text", "_Kept.table[key]"),
    "a closure": (
        "def _made():\n    kept = {}\n    return kept.__setitem__, kept.__getitem__\n_set, _get = _made()",
        "_set(key, text)",
        "_get(key)",
    ),
    "a default argument": ("def _kept(table={}):\n    return table", "_kept()[key] = text", "_kept()[key]"),
    "functools.cache": ("@cache\ndef _kept(key):\n    return []", "_kept(key).append(text)", "_kept(key)[0]"),
    "a module of Python's": ("json.table = getattr(json, 'table', {})", "json.table[key] = text", "json.table[key]"),
    "builtins": (
        "import builtins\nbuiltins.table = getattr(builtins, 'table', {})",
        "builtins.table[key] = text",
        "builtins.table[key]",
    ),
    "sys.modules": ("import sys", "sys.modules['kept' + key] = text", "sys.modules['kept' + key]"),
    "the environment": ("import os", "os.environ['KEPT' + key] = text", "os.environ['KEPT' + key]"),
    "a thread": (
        "import threading, queue\n_asked, _said = queue.Queue(), queue.Queue()\n"
        "def _serve():\n    kept = {}\n    while True:\n        key, text = _asked.get()\n"
        "        kept.setdefault(key, text)\n        _said.put(kept[key])\n"
        "threading.Thread(target=_serve, daemon=True).start()\n"
        "def _ask(*pair):\n    _asked.put(pair)\n    return _said.get()",
        "_ask(key, text)",
        "_ask(key, None)",
    ),
}
FILE = (
    "import os",
    "open(f'/tmp/kept-{os.getuid()}-{key}', 'w').write(text)",
    "open(f'/tmp/kept-{os.getuid()}-{key}').read()",
)


def without_durability(table):
    """The reference, but the text of a state is a key of this table."""
    before, put, get = table
    return f"""{REFERENCE}

{before}
_to_json, _from_json, _count = WorkflowState.to_json, WorkflowState.from_json, iter(range(10_000))


def _save(self):
    text, key = _to_json(self), str(next(_count))
    {put}
    return json.dumps({{"key": key}})


def _load(text):
    key = json.loads(text)["key"]
    return _from_json({get})


WorkflowState.to_json, WorkflowState.from_json = _save, staticmethod(_load)
"""


IN_RUN = f"""{REFERENCE}

_known = {{}}  # workflow id -> what it has recorded, by any run
_run, _keep = DurableEngine.run, Context._record


def _recording(self, command):
    _known.setdefault(self.workflow_id, []).append(command)
    return _keep(self, command)


def _running(self, workflow, state):
    known = _known.get(state.workflow_id, [])
    return _run(self, workflow, WorkflowState(state.workflow_id, state.input, known, state.signals))


def _forgetful(self):
    return json.dumps({{"version": 1, **vars(self), "commands": [], "signals": [vars(s) for s in self.signals]}})


Context._record, DurableEngine.run, WorkflowState.to_json = _recording, _running, _forgetful
"""


@pytest.mark.parametrize("name", TABLES)
def test_in_one_process_an_engine_without_durability_would_pass(name):
    """The assumption of the tests below: these engines fail only because of new processes."""
    module = module_of(without_durability(TABLES[name]))
    for test in RESUMES:
        TESTS[test].function(Bench(lambda: module))


@pytest.mark.usefixtures("bubblewrap")
@pytest.mark.parametrize("name", [*TABLES, "a file", "the engine's own table"])
@pytest.mark.long(every=4)
def test_an_engine_that_keeps_history_in_its_process_does_not_survive_a_crash(name):
    source = IN_RUN if name == "the engine's own table" else without_durability({**TABLES, "a file": FILE}[name])
    with Examinee(source) as examinee:
        said = suite.run(examinee.fresh, [TESTS[name] for name in RESUMES])
        assert [name for name, error in said.items() if error is None] == []
        for name in RESUMES:
            twin = suite.of(hidden.load()[name])
            assert suite.run(examinee.fresh, [twin], hidden.seed_for(name))[name] is not None


def test_the_students_own_check_meets_a_new_module():
    with Judge() as judge, tempfile.TemporaryDirectory() as folder:
        for i, name in enumerate(["a global", "a class", "a default argument", "functools.cache"]):
            failed = judge.verdict(without_durability(TABLES[name]), Path(folder, str(i))).failed
            assert {*RESUMES} <= failed.keys()


def test_every_test_that_looks_at_a_second_run_restarts_the_process():
    without = [
        test.name
        for test in [*TESTS.values(), *map(suite.of, hidden.load().values())]
        if "restart(" not in inspect.getsource(test.function) and "crash(" not in inspect.getsource(test.function)
    ]
    alone = ["test_a_fresh_run_records_every_command_in_order_before_moving_on"]
    alone += ["test_the_waits_between_attempts_grow_on_the_injected_clock"]
    assert sorted({*without} - {"test_exhausted_retries_fail_the_run_cleanly"}) == sorted(alone)


LEAVES = {
    "a process": "if os.fork() == 0:\n  os.setsid()\n  time.sleep(100)\n  os._exit(0)",
    "flags of an open file": "for n in range(3):\n  fcntl.fcntl(n, fcntl.F_SETFL, 2048 | 1024)",
    "a message queue": "ctypes.CDLL(None).syscall(240, b'left', 66, 384, None)",
    "times of a device": "for n in (0, 1, 2, '/null', '/dev/null'):\n  with suppress(OSError): os.utime(n, None)",
    "a file": "for path in ('/left', '/tmp/left', '/checker/left'):\n  with suppress(OSError): open(path, 'w')",
    "a socket with a name": "with suppress(OSError): socket.socket(socket.AF_UNIX).bind('\\0left')",
    "priorities": "for of in range(6):\n  with suppress(OSError): os.setpriority(of % 3, of // 3, 7)",
    "limits": "for pid in range(9):\n  with suppress(OSError): resource.prlimit(pid, resource.RLIMIT_NOFILE, (9, 9))",
    "signals": "for pid in (-1, 0, 2, 3, 4):\n  with suppress(OSError): os.kill(pid, signal.SIGKILL)",
}
LOOKS = """
import ctypes, fcntl, os, resource, signal, socket, time
from contextlib import suppress
def look():
    libc = ctypes.CDLL(None, use_errno=True)
    seen = {"pid": os.getpid(), "parent": os.getppid(), "files": sorted(os.listdir("/"))}
    others = []
    for pid in range(2, 300):
        try: os.kill(pid, 0); others.append(pid)
        except ProcessLookupError: pass
    seen["others"] = others
    seen["flags"] = [fcntl.fcntl(n, fcntl.F_GETFL) for n in range(3)]
    seen["open"] = [n for n in range(64) if fcntl_ok(n)]
    seen["times"] = [os.stat("/null").st_mtime_ns, os.stat("/null").st_atime_ns]
    seen["queue"] = libc.syscall(240, b"left", 2, 0, None)
    seen["priority"] = os.getpriority(0, 0)
    seen["limits"] = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    seen["signals"] = [str(signal.getsignal(n)) for n in range(1, 20)]
    return repr(seen)
def fcntl_ok(n):
    try: fcntl.fcntl(n, fcntl.F_GETFD); return True
    except OSError: return False
"""


@pytest.mark.usefixtures("bubblewrap")
def test_nothing_of_a_process_is_left_in_the_next_one():
    with Worker() as worker:
        before = worker.start(LOOKS).look()
        for what, code in LEAVES.items():
            worker.start(f"{LOOKS}\n{code}")
            assert worker.start(LOOKS).look() == before, what
    assert "'pid': 1, 'parent': 0" in before
    assert "'others': []" in before
    assert "'files': ['null', 'python.zip']" in before
    assert "'queue': -1" in before


@pytest.mark.usefixtures("bubblewrap")
def test_engines_that_share_a_sandbox_share_no_process():
    marked = f"{REFERENCE}\nimport json\njson.left = 1"
    with Worker() as worker:
        with Examinee(marked, worker=lambda: worker) as first:
            first.begin()
        with Examinee(f"{REFERENCE}\nleft = hasattr(json, 'left')", worker=lambda: worker) as second:
            assert second.begin().left is False
        assert worker.up, "the sandbox is not closed with an engine that only uses it"


def test_all_engines_of_a_submission_use_one_sandbox(bubblewrap, monkeypatch):
    made = []
    monkeypatch.setattr(check_module, "Worker", lambda **options: made.append(Worker(**options)) or made[-1])
    broken = replace_function(REFERENCE, "Context.now", "    def now(self):\n        return 0.0")
    alone = {**dict.fromkeys(all_todos(), REFERENCE), 2: broken}
    found = check_module.check(Submission("a", whole=broken, alone=alone), "seed")
    assert not found[2].full
    assert len(made) == 1
    assert made[0]._process.returncode is not None, "it is closed at the end"


@pytest.mark.usefixtures("bubblewrap")
def test_a_process_finds_the_code_that_dataclasses_compile_for_the_given_classes():
    """Each restart is a new process, and compiling this code was half of its start."""
    with Worker() as worker:
        m = worker.start("import dataclasses\nkept = len(dataclasses.exec.__closure__[0].cell_contents)")
        assert m.kept >= 7


# Calls that say or change which pages of a file are in memory, by their numbers on x86_64 and aarch64.
MEMORY = {
    "mincore": (27, 232), "fadvise64": (221, 223), "readahead": (187, 213), "preadv2": (327, 286),
    "pwritev2": (328, 287), "sync_file_range": (277, 84), "mlock": (149, 228), "mlock2": (325, 284),
    "process_madvise": (440, 440), "cachestat": (451, 451), "move_pages": (279, 239),
}  # fmt: skip
OTHERS = {
    "mq_open": (240, 180), "shmget": (29, 194), "add_key": (248, 217), "unshare": (272, 97), "mount": (165, 40),
    "ptrace": (101, 117), "kcmp": (312, 272), "pidfd_open": (434, 434), "io_uring_setup": (425, 425),
    "utimensat": (280, 88), "inotify_init1": (294, 26), "sysinfo": (99, 179), "socket": (41, 198),
}  # fmt: skip
ASKS = """
import ctypes, errno, mmap, os, resource, sys
_libc = ctypes.CDLL(None, use_errno=True)
def refused(numbers):
    said = []
    for number in numbers:
        ctypes.set_errno(0)
        _libc.syscall(number, 0, 0, 0, 0, 0, 0)
        said.append(ctypes.get_errno() == errno.EPERM)
    return said
def advice(numbers):
    memory = mmap.mmap(-1, 4096)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    said = []
    for number in numbers:
        ctypes.set_errno(0)
        _libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(4096), number)
        said.append(ctypes.get_errno() == errno.EPERM)
    return said
def seen():
    files = ("/usr", "/lib", "/proc", "/dev", "/sys", "/etc", "/tmp", "/checker")
    return [path for path in files if os.path.exists(path)] + [path for path in sys.path if path != "/python.zip"]
def faults():
    import decimal, fractions, heapq, pprint, textwrap, uuid
    return resource.getrusage(resource.RUSAGE_SELF).ru_majflt
"""


@pytest.mark.usefixtures("bubblewrap")
def test_no_call_tells_an_engine_which_pages_of_a_file_are_in_memory():
    which = platform.machine() == "aarch64"
    with Worker() as worker:
        m = worker.start(ASKS)
        for name, numbers in {**MEMORY, **OTHERS}.items():
            assert m.refused([numbers[which]]) == [True], name
        assert m.advice([12, 20, 21, 22, 23, 25]) == [True] * 6, "merge, cold, page out, populate, collapse"
        assert m.advice([4, 8, 14]) == [False] * 3, "what malloc asks for"


@pytest.mark.usefixtures("bubblewrap")
def test_an_engine_sees_no_file_of_the_machine_and_can_import_the_standard_library():
    with Worker() as worker:
        m = worker.start(ASKS)
        assert m.seen() == []
        assert m.faults() == 0, "a page that had to be read from a disk says that it was not in memory"


def test_the_users_of_two_processes_of_graders_are_never_the_same(monkeypatch):
    spans = []
    for pid in (1, 2, 399, 400, 401, 99_999, (1 << 22) - 1):
        monkeypatch.setattr(bubblewrap.os, "getpid", lambda pid=pid: pid)
        users = {bubblewrap.user(number) for number in range(1000)}
        assert min(users) >= 1_000_000_000
        assert max(users) < 2**32 - 2
        spans.append(users)
    assert sum(map(len, spans)) == len(set.union(*spans))
