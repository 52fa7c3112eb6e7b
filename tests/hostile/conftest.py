"""What is checked for every hostile submission: nothing earned, leaked or left behind, and no other student stopped."""

import base64
import copy
import ctypes
import json
import os
import re
import secrets
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from durable_lab import source
from durable_lab.lesson.questions import all_questions
from durable_lab.todos import all_todos
from grader.checker import examinee, suite
from grader.checker.hidden.vocabulary import PLACES
from grader.checker.worker_process import Worker
from grader.dev.build import notebooks
from grader.handin.release import handed_out
from grader.marks import grade
from grader.pages.student_page import student_html, student_text
from grader.rubric import weights
from grader.sandbox import bubblewrap
from tests.handin.handin import HandIn
from tests.hostile.attack import SOLVED, STUBS
from tests.hostile.worth import right_letter

MARK = "a-mark-of-a-hostile-test"  # in the names of files that attacks write
_HIDDEN = {word for place in PLACES for words in place for word in words if "_" in word or len(word) > 9}
_TODOS = [part.function for todo in all_todos().values() for part in todo.parts]
_REFERENCE = {
    line.strip()
    for function in _TODOS
    for line in source.text_of(SOLVED, function).split("\n")
    if len(line.strip()) > 35 and line.strip() not in STUBS
}
_ENGINE_POINTS = sum(weights()["todo"].values()) + weights()["whole"]["points"]


@pytest.fixture(scope="session", autouse=True)
def a_sandbox(bubblewrap):
    """All of these tests need a sandbox. Processes that are left behind become children of this one, and are seen."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """Secrets in all the places that a student's code must not read."""
    secret = "".join(secrets.choice("abcdefghjkmnpqrstuvwxyz") for _ in range(24))
    places = [
        "home/.ssh/id_ed25519", "course/gradebook.db", "course/source/hidden_tests.py", "submissions/bob/lab/engine.py",
        "grades/students/Bob Smith.html", "here/notes.txt",
    ]  # fmt: skip
    for place in places:
        path = tmp_path / place
        path.parent.mkdir(parents=True)
        path.write_text(f"# {secret}\n", encoding="utf-8")
        for folder in path.parents:
            if folder.is_relative_to(tmp_path):
                folder.chmod(0o755)
    monkeypatch.setenv("LAB_SECRET", secret)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "here")
    return secret, [str(tmp_path / place) for place in places]


@pytest.fixture
def survive(tmp_path, planted, monkeypatch):
    """survive(folder, ...) -> the report on a hostile folder, after the checks of all that must hold."""
    secret, _ = planted
    heard = []
    receive = Worker._receive

    def listen(self):
        line = receive(self)
        heard.append(line)
        return line

    def survive(folder, student="mallory", *, hangs=False, whole=None):
        before, known, start = _tree(tmp_path), set(_processes(set())), time.monotonic()
        with monkeypatch.context() as m, _uids() as uids:
            m.setattr(Worker, "_receive", listen)
            if hangs:  # a loop takes less time here than a student's may
                m.setattr(examinee, "SECONDS", 0.4)
                m.setattr(examinee, "IN_ALL", 0.8)
            report = grade(folder, student)
        assert time.monotonic() - start < 60
        _expect_nothing_said(report, secret, tmp_path, whole or "")
        assert not _holds(b"\n".join(heard), secret), "a secret came out of the sandbox"
        assert _tree(tmp_path) == before, "a file has changed"
        assert _marked_files() == []
        assert _left(uids, known) == []
        _expect_the_next_one_gets_its_marks()
        return report

    return survive


def _expect_nothing_said(report, secret, tmp_path, whole):
    """The report can be stored and printed, and contains nothing that is not the student's own."""
    assert type(report).from_json(report.to_json()) == report
    said = json.dumps(report.to_json(), ensure_ascii=False)  # as it is written into pages and files
    assert not _holds(said.encode(), secret), "the report tells a secret"  # and it can be encoded
    odd = {letter for text in _texts(report.to_json()) for letter in text if not letter.isprintable()}
    assert odd <= {"\n", "\t"}, f"characters that cannot be printed: {odd}"
    assert len(said) < 300_000
    page, text = student_html(report), student_text(report)
    assert not re.search(r"<(script|img|svg)\b[^>]*(alert|onerror|src=)|<script>alert", page), "script in the page"
    assert not _holds((page + text).encode(), secret)
    assert "\x1b" not in page + text
    assert str(tmp_path) not in said
    assert "root:x:0:0" not in said
    assert not {word for word in _HIDDEN if word in said and word not in whole}, "the report tells a hidden test"
    lines = {line for line in _REFERENCE if json.dumps(line)[1:-1] in said and line not in whole}
    assert not lines, "the report tells the reference"
    for part in report.parts:
        assert 0 <= part.points <= part.out_of
        for outcome in part.outcomes:  # an attack that succeeds says so
            assert not re.search(r"engine raised \w+: .*SUCCESS", outcome.message), outcome.message


def _texts(value):
    """All strings in a JSON value."""
    if isinstance(value, str):
        return [value]
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for item in inner for text in _texts(item)]


def _holds(data, secret):
    """Whether the data contains the secret: as it is, backwards, in hexadecimal, in base64, or rotated by 13."""
    plain = secret.encode()
    coded = [base64.b64encode(b"\0" * shift + plain)[4:-4] for shift in range(3)]
    rot = bytes((letter - 97 + 13) % 26 + 97 for letter in plain)
    return any(form in data for form in (plain, plain[::-1], plain.hex().encode(), rot, *coded))


def _tree(folder):
    """All files below a folder, with kind, size and time."""
    found = {}
    for here, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(here, name)
            about = path.lstat()
            found[str(path)] = (about.st_mode, about.st_size, about.st_mtime_ns)
    return found


def _marked_files():
    places = [
        Path("/tmp"),
        Path("/dev/shm"),
        Path("/var/tmp"),
        Path.cwd(),
        Path(__file__).parents[2],
        Path("/"),
        Path("/dev"),
    ]
    return [str(path) for place in places if place.is_dir() for path in place.glob(f"{MARK}*")]


@contextmanager
def _uids():
    """The user ids of the sandboxes that are started meanwhile."""
    uids, first = [], next(bubblewrap._count)
    yield uids
    last = next(bubblewrap._count)
    uids += [bubblewrap.user(number) for number in range(first, last + 1)]


def _left(uids, known):
    """Return processes of these users and new children of this process that do not exit at once or soon after."""
    until = time.monotonic() + 10
    while found := set(_processes(set(uids))) - known:
        if time.monotonic() > until:
            return sorted(found)
    return []


def _processes(uids):
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):
            lines = dict(
                line.split(":\t", 1) for line in status.read_text(encoding="utf-8").splitlines() if ":\t" in line
            )
            if lines["State"].startswith("Z") and int(lines["PPid"]) == os.getpid():
                os.waitpid(int(lines["Pid"]), os.WNOHANG)  # its parent has ended
            elif int(lines["PPid"]) == os.getpid() or (os.geteuid() == 0 and int(lines["Uid"].split()[0]) in uids):
                found.append(f"{lines['Name']} {lines['Pid']}")
    return found


def _expect_the_next_one_gets_its_marks():
    """A right engine passes one test afterwards. `honest_marks` grades a whole one at the end of the module."""
    tests = [test for test in suite.public() if 2 in test.own][:1]
    with examinee.Examinee(SOLVED) as honest:
        assert suite.run(honest.fresh, tests) == dict.fromkeys([test.name for test in tests])


@pytest.fixture(scope="module", autouse=True)
def honest_marks(tmp_path_factory):
    """After all attacks of a module, a right engine gets its marks from the same process."""
    yield
    folder = tmp_path_factory.mktemp("honest")
    (folder / "lab").mkdir()
    (folder / "lab" / "engine.py").write_text(SOLVED, encoding="utf-8")
    assert grade(folder, "ann").points == _ENGINE_POINTS


@pytest.fixture(scope="session")
def released():
    """The notebooks by stem, as JSON: solved (True) or not (False)."""
    untouched = {stem: json.loads(text) for stem, text in handed_out().items()}
    return {True: {path.stem: json.loads(text) for path, text in notebooks(solved=True).items()}, False: untouched}


@pytest.fixture
def untouched(released, tmp_path):
    """The notebooks as handed out: nothing is earned."""
    return HandIn(tmp_path / "mallory", copy.deepcopy(released[False]))


@pytest.fixture
def full(released, tmp_path):
    """All TODOs solved, all questions answered, all boxes filled in: 100 points."""
    hand_in = HandIn(tmp_path / "mallory", copy.deepcopy(released[True]))
    for book in hand_in.books.values():
        for cell in book["cells"]:
            text = re.sub(r"predict\((\s*)\.\.\.", r"predict(\g<1>1", "".join(cell["source"]))
            cell["source"] = re.sub(r'question\("([\w-]+)", \.\.\.\)', _right, text)
    return hand_in


def _right(found):
    name = found[1]
    letter = next(letter for letter in all_questions()[name]["choices"] if right_letter(name, letter))
    return f'question("{name}", "{letter}")'
