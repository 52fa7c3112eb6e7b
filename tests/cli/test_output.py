"""Output only reports: no terminal, disk, pipe or encoding changes what is recorded or causes a traceback."""

import contextlib
import io
import os
import re
import shlex
import sqlite3
import sys
import unicodedata
from pathlib import Path

import pytest

from durable_lab.cli import refund
from durable_lab.cli.main import main
from durable_lab.cli.output import LOST, Screen, console_on, say, styled
from durable_lab.printable import fitting, for_windows, printable, quoted
from durable_lab.stores import SQLiteStore
from durable_lab.timeline.rows import Row
from durable_lab.timeline.text import plain_table
from durable_lab.world import Ledger
from solution import engine as E

posix = pytest.mark.skipif(os.name != "posix", reason="file descriptors and shells of POSIX")


class Failing:
    """A stream that fails at write number `after`, as a full disk or a closed terminal does."""

    encoding, errors = "utf-8", "strict"

    def __init__(self, after, error):
        self.left, self.error, self.text, self.failed = after, error, "", False

    def write(self, text):
        if not self.left:
            self.failed = True
            raise self.error
        self.left -= 1
        self.text += text
        return len(text)

    def flush(self):
        """Nothing is kept back."""

    def isatty(self):
        return False


def stand(folder):
    """What is recorded of pay_back (None, True or False for ok), and what the world's own books say."""
    with contextlib.closing(sqlite3.connect(next(folder.glob("*.world.db")))) as db:
        effects = [operation for (operation,) in db.execute("SELECT operation FROM effects ORDER BY id")]
    with SQLiteStore(folder / "refund.db", engine=E) as store:
        paid = next((c.ok for c in store.load("refund-1").commands if c.name == "pay_back"), None)
        return paid, effects, store.run("refund-1").status


@pytest.mark.parametrize("after", range(10))
@pytest.mark.parametrize("error", [OSError(28, "full"), RuntimeError("a handler")])
def test_output_that_fails_at_any_line_changes_nothing_of_what_is_recorded(lab, monkeypatch, after, error):
    lab.refund("start")
    lab.refund("approve")
    screen = Failing(after, error)
    monkeypatch.setattr(sys, "stdout", screen)
    code = main(["refund", "resume"])
    assert stand(lab.folder) == (True, ["assess", "pay_back", "send_email"], "completed")
    assert code == (LOST if screen.failed else 0)


@posix
@pytest.mark.parametrize(
    "where", [*(["full"] if Path("/dev/full").exists() else []), "closed", "broken pipe", "terminal", "both closed"]
)
@pytest.mark.parametrize("step", ["resume", "history"])
def test_a_step_whose_output_is_lost_does_its_work_and_exits_with_3(lab, where, step):
    lab.refund("start")
    lab.refund("approve")
    if where in ("broken pipe", "terminal"):  # the other end is gone before the first line
        other, own = os.pipe() if where == "broken pipe" else os.openpty()
        os.close(other)
        done = lab.process("refund", step, stdout=own)
        os.close(own)
    else:
        to = {"full": ">/dev/full", "closed": ">&-", "both closed": ">&- 2>&-"}[where]
        done = lab.shell(f"{shlex.join(lab.command('refund', step))} {to}")
    assert done.returncode == LOST
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert ("the output was lost" in done.stderr) is (where in ("full", "closed", "terminal"))
    if step != "history":
        assert stand(lab.folder) == (True, ["assess", "pay_back", "send_email"], "completed")


@posix
@pytest.mark.parametrize("words", [["--help"], ["doctor"], ["hint", "1"], ["demo"]])
def test_every_command_survives_a_closed_output(lab, words):
    done = lab.shell(f"{shlex.join(lab.command(*words))} >&-")
    assert done.returncode == LOST
    assert "Traceback" not in done.stderr


def test_books_that_cannot_be_read_for_a_line_of_output_are_no_error_of_the_activity(lab, monkeypatch):
    lab.refund("start")
    lab.refund("approve")
    real, calls = Ledger.effects, []

    def effects(self, *given):
        calls.append(given)
        if len(calls) == 2:  # the first is before the run; this one is in pay_back
            raise sqlite3.OperationalError("database is locked")
        return real(self, *given)

    monkeypatch.setattr(Ledger, "effects", effects)
    assert lab.refund("resume").returncode == 0
    assert len(calls) >= 2
    assert stand(lab.folder) == (True, ["assess", "pay_back", "send_email"], "completed")


def test_a_line_that_cannot_be_formatted_is_no_error_of_the_journal(lab, monkeypatch):
    lab.refund("start")
    lab.refund("approve")
    real, failed = refund.say, []

    def say(console, text, whole=False):
        if text.startswith(("  recorded", "  effect")):
            failed.append(text)
            raise ValueError(text)
        real(console, text, whole)

    monkeypatch.setattr(refund, "say", say)
    assert lab.refund("resume").returncode == 0
    assert len(failed) == 5
    assert stand(lab.folder) == (True, ["assess", "pay_back", "send_email"], "completed")


# ------------------------------------------------------------ the true order


@pytest.mark.parametrize(
    ("point", "shown"),
    [
        ("pay_back.before", ["recorded 2 approval"]),
        ("pay_back.effect", ["recorded 2 approval", "effect pay_back"]),
        ("pay_back.recorded", ["recorded 2 approval", "effect pay_back", "recorded 3 pay_back"]),
        (
            None,
            [
                "recorded 2 approval",
                "effect pay_back",
                "recorded 3 pay_back",
                "effect send_email",
                "recorded 4 send_email",
            ],
        ),
    ],
)
def test_a_record_is_shown_when_it_is_committed_so_a_killed_process_has_shown_its_own(lab, point, shown):
    lab.refund("start")
    lab.refund("approve")
    done = lab.process("refund", "resume", *(["--kill-at", point] if point else []))
    assert (done.returncode == 0) is (point is None)
    assert re.findall(r"(?m)^  (?:effect|recorded) .*?(?=[:]| ->)", done.stdout) == [
        re.sub(r"^(effect|recorded) ", lambda m: f"  {m[1]:<8}  ", line) for line in shown
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_bytes_on_standard_output_are_an_error_of_their_writer_and_lose_nothing(encoding):
    inner = io.TextIOWrapper(io.BytesIO(), encoding)
    screen = Screen(inner)
    with pytest.raises(TypeError, match="must be str, not bytes"):
        screen.write(b"")
    screen.write("here")
    assert (screen.lost, inner.buffer.getvalue()) == (None, b"here")


def test_a_killed_approval_has_shown_that_it_is_recorded(lab):
    lab.refund("start")
    assert "is in the history" in lab.process("refund", "approve", "--kill-at", "approval.delivered").stdout


def test_the_demo_shows_effect_and_record_in_turn(lab):
    said = lab("demo").stdout
    assert re.findall(r"(?m)^ +(effect|recorded) +(?:\d )?(\w+)", said) == [
        ("effect", "assess"),
        ("recorded", "assess"),
        ("recorded", "now"),
        ("recorded", "approval"),
        ("effect", "pay_back"),  # killed here
        ("effect", "pay_back"),
        ("recorded", "pay_back"),
        ("effect", "send_email"),
        ("recorded", "send_email"),
    ]


# ------------------------------------------------------------ encodings


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "ascii", "koi8-r", "utf-16"])
@pytest.mark.parametrize("words", [["refund", "history"], ["doctor"], ["hint", "1"], ["--help"], ["refund", "approve"]])
def test_no_encoding_of_the_output_ends_a_command(lab, encoding, words):
    lab.refund("start")
    done = lab(*words, encoding=encoding)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("words", [["demo"], ["refund", "history"], []])
def test_nor_does_one_that_the_environment_names(lab, words):
    lab.refund("start")
    done = lab.process(*words, PYTHONIOENCODING="cp1252", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr


def test_nor_does_the_locale_C(lab):
    lab.refund("start", "--by", "Zoë")
    for more in ({}, {"PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}):
        done = lab.process("refund", "history", LC_ALL="C", **more)
        assert done.returncode == 0, done.stderr
        assert "worker 1 begins" in done.stdout


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "ascii"])
def test_marks_become_similar_ones_and_the_table_keeps_its_columns(lab, encoding):
    lab.refund("start")
    plain, fitted = (lab.refund("history", encoding=e).stdout.splitlines() for e in ("utf-8", encoding))
    assert list(map(len, plain[1:])) == list(map(len, fitted[1:]))  # the first names the engine's path, in any letters
    assert any("* |assess" in line for line in fitted)


def test_what_an_encoding_has_stays_as_it_is():
    assert fitting("é ● \U0001f600", "cp1252") == "é * \\U0001f600"
    assert fitting("é ●", "ascii") == "\\xe9 *"
    assert fitting("\udceb", "utf-8") == "\\udceb"
    for mark in "█░●✖◇✉▶·▲↯≠":
        assert len(fitting(mark, "ascii")) == 1


# ------------------------------------------------------------ text from outside

CONTROLS = [
    "\x1b[2J",
    "\x1b]0;owned\x07",
    "a\rb",
    "a\x08b",
    "\x7f",
    "\x9b2J",
    "\u202egnp.exe",
    "\u2066x",
    "\u200b",
    "\u2028",
    "\ufeff",
]


@pytest.mark.parametrize("text", CONTROLS)
def test_control_characters_are_escaped_wherever_a_name_is_shown(lab, text):
    lab.refund("start", f"--id=x{text}")
    said = [lab.refund(step, f"--id=x{text}") for step in ("history", "replay")]
    said.append(lab.refund("approve", f"--id=x{text}", f"--by=x{text}"))
    said += [lab.refund("resume", f"--id=x{text}"), lab.refund("history", f"--id=x{text}")]
    said += [lab.refund("history", f"--id=none{text}"), lab.refund("history", f"--store=none{text}"), lab(f"x{text}")]
    for done in said:
        shown = (done.stdout + done.stderr).replace("\n", "")
        assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")], shown
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("text", [*CONTROLS, "\udceb"])
def test_a_cell_of_the_table_is_escaped_too(text):
    shown = plain_table([Row("done", 0, None, f"pay({text})", text, live_in=text)])
    assert not [c for c in shown.replace("\n", "") if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    shown.encode()


def test_what_can_be_shown_is_not_changed():
    for text in ("Zoë 平安 \U0001f600", "no-break\u00a0space", r"C:\new\x1b", "naïve · ●"):
        assert printable(text) == text
    assert printable("a\nb", keep="\n") == "a\nb"


@pytest.mark.parametrize("name", ["[bold]x[/bold]", "[red]", "[/]", ":smile:", "[link=http://x]y", "\\[x]", "%s{0}"])
def test_a_name_is_never_taken_for_markup(lab, name):
    lab.refund("start", f"--id={name}", "--store", f"{name.replace('/', '')}.db")
    done = lab.refund("history", f"--id={name}", "--store", f"{name.replace('/', '')}.db")
    assert f"refund {name}: blocked" in done.stdout


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="arguments are text here")
@pytest.mark.parametrize("words", [["--id", b"Zo\xeb"], ["--by", b"Zo\xeb"], ["--id", b"\xff"]], ids=str)
@pytest.mark.parametrize("step", ["start", "approve", "resume", "history", "replay"])
def test_a_name_that_is_not_UTF_8_is_refused_with_a_sentence_by_every_step(lab, step, words):
    done = lab.refund(step, *map(os.fsdecode, words))
    assert done.returncode == 2
    assert "is not UTF-8" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(lab.folder.iterdir()) == []


# ------------------------------------------------------------ one line, one width


def test_a_line_wraps_at_words_and_a_command_to_be_copied_never_wraps(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    stream = Failing(99, OSError())
    console = console_on(Screen(stream))
    say(console, "one two three four five six seven eight nine ten eleven")
    assert max(map(len, stream.text.splitlines())) <= 40
    stream.text = ""
    say(console, "next: durable-lab refund resume --store some/long/name.db --id 7", whole=True)
    assert stream.text.count("\n") == 1
    stream.text = ""
    say(console, "next      every TODO is written; this one fails first")
    assert stream.text.splitlines()[1] == " " * 10 + "one fails first"
    stream.text = ""
    styled(console, ("a title that is long enough to be broken", "bold"), " and more")
    assert max(map(len, stream.text.splitlines())) <= 40


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize(
    "words", [["demo"], ["refund", "history"], ["hint", "1", "2"], ["doctor"], ["--help"], ["refund", "--help"]]
)
@pytest.mark.long(every=4)
def test_everything_fits_in_terminals_of_60_and_80_columns(lab, width, words):
    lab.refund("start")
    lab.refund("approve")
    lab.refund("resume", "--flaky", "2")
    done = lab(*words, COLUMNS=str(width))
    for line in done.stdout.splitlines():
        assert len(line.rstrip()) <= width or " " not in line.strip(), line
        assert "…" not in line


@pytest.mark.parametrize("width", [60, 80])
def test_a_narrow_table_breaks_no_short_word(lab, width):
    lab.refund("start")
    lab.refund("approve")
    lab.refund("resume", "--flaky", "2")
    said = lab.refund("history", COLUMNS=str(width)).stdout
    for word in ("worker", "begins", "approval", "delivered", "completed", "back-off", "pay_back", "replays"):
        assert word in said


# ------------------------------------------------------------ lines to be pasted


@posix
@pytest.mark.parametrize(
    ("store", "name"),
    [
        ("my runs/refund.db", "order 7"),
        ("it's.db", 'say "hi"'),
        ("a[1]*.db", "$HOME `id` $(id)"),
        ("-x.db", "-x"),
        ("a;b&c|d.db", "!x #y ~z"),
        ("tab\there.db", "new\nline"),
        ("back\\slash.db", "\x1b[2J'"),
        ("ü.db", "Zoë 7"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.long(every=4)
def test_each_next_line_can_be_pasted_into_a_shell(lab, store, name, encoding):
    (lab.folder / "my runs").mkdir()
    (lab.folder / "bin").mkdir()
    script = lab.folder / "bin" / "durable-lab"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(lab.command())} "$@"\n')
    script.chmod(0o755)
    line = lab.refund("start", f"--store={store}", f"--id={name}", encoding=encoding).stdout.splitlines()[-1]
    assert line.startswith("next: durable-lab refund approve")
    done = lab.shell(line.removeprefix("next: "), PATH=f"{script.parent}{os.pathsep}{os.environ['PATH']}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("next: durable-lab refund resume")


def test_for_windows_everything_but_plain_names_is_in_quotes():
    assert for_windows(r"C:\runs\refund-1.db") == r"C:\runs\refund-1.db"
    for name in ("my runs.db", "a&b", "$x", "it's", "a;b", "50%", ""):
        assert for_windows(name) == f'"{name}"'
    assert for_windows('say "hi"') == '"say \\"hi\\""'


def test_plain_names_are_quoted_as_shlex_does():
    for name in ("refund.db", "my runs/x.db", "it's"):
        assert shlex.split(quoted(name, "utf-8")) == [name]
