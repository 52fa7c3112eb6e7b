"""Printing. An error of the output never becomes an error of the work that it reports on.

The terminal may go away, the disk behind `>` may be full, `| head -1` closes the pipe, and cp1252 has no "●". Each line
is flushed, so that a killed process has shown everything it had done.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import textwrap
from collections.abc import Iterator
from typing import IO, Any, cast

from rich.console import Console
from rich.text import Text

from durable_lab.printable import fitting, printable, quoted

LOST = 3  # the exit code of a command that did its work, but could not print all of it


class Screen:
    """A text stream whose `write` never fails. `lost` is the error that ended it; all later output is dropped."""

    def __init__(self, stream: IO[str] | None) -> None:
        self.lost: Exception | None = None if stream else OSError("standard output is closed")
        self._stream = stream or io.StringIO()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def encoding(self) -> str:
        return getattr(self._stream, "encoding", None) or "utf-8"

    def isatty(self) -> bool:
        with contextlib.suppress(Exception):
            return self.lost is None and self._stream.isatty()
        return False

    def write(self, text: str) -> int:
        if not isinstance(text, str):  # as every text stream does: libraries write bytes to learn what it takes
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self.lost is None:
            try:
                self._stream.write(fitting(text, self.encoding))
                self._stream.flush()
            except Exception as error:
                self._lose(error)
        return len(text)

    def flush(self) -> None:
        """Do nothing: `write` flushes."""

    def _lose(self, error: Exception) -> None:
        self.lost = error
        with contextlib.suppress(Exception):  # or Python flushes again when it exits, and prints a traceback
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)


@contextlib.contextmanager
def screens() -> Iterator[tuple[Screen, Screen]]:
    """Make standard output and standard error Screens, for the engine under study as well."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        while os.open(os.devnull, os.O_RDWR) < 2:  # or the next file that is opened becomes the terminal
            pass
    out, err = Screen(sys.stdout), Screen(sys.stderr)
    with contextlib.redirect_stdout(cast(IO[str], out)), contextlib.redirect_stderr(cast(IO[str], err)):
        yield out, err


def console_on(screen: Screen) -> Console:
    """A rich Console that takes [markup] and :emoji: in a name for plain text."""
    return Console(file=cast(IO[str], screen), markup=False, emoji=False, highlight=False)


def say(console: Console, text: str, whole: bool = False) -> None:
    """Print a line of plain text, broken at words if there is a width and it need not stay `whole` to be copied."""
    console.file.write((printable(text) if whole else _broken(console, printable(text))) + "\n")


def styled(console: Console, *parts: str | tuple[str, str]) -> None:
    """Print one line of parts, each plain or (text, style)."""
    text = Text.assemble(
        *(printable(part) if isinstance(part, str) else (printable(part[0]), part[1]) for part in parts)
    )
    broken = Text(_broken(console, text.plain))
    for start, end, style in text.spans:
        broken.stylize(style, start, len(broken) if end == len(text) else end)
    console.print(broken, soft_wrap=True)


def _broken(console: Console, text: str) -> str:
    """The text, broken at words if there is a width and it is longer."""
    if not _wraps(console) or len(text) <= console.width:
        return text
    column = re.match(r"\s*\S.{0,30}\s\s(?=\S)", text)  # continue below the second column, as in a table
    indent = column.end() if column and column.end() <= console.width / 2 else len(text) - len(text.lstrip()) + 4
    how: Any = {"subsequent_indent": " " * indent, "break_long_words": False, "break_on_hyphens": False}
    return textwrap.fill(text, console.width, **how)


def _wraps(console: Console) -> bool:
    return console.is_terminal or "COLUMNS" in os.environ


def on_engine(name: str, command: str) -> str:
    """The command with LAB_MODULE set to this engine. Demos use the reference by default, without LAB_MODULE."""
    if name == "solution":
        return command
    return f"set LAB_MODULE={name}&& {command}" if os.name == "nt" else f"LAB_MODULE={name} {command}"


def option(name: str, value: str, encoding: str) -> str:
    """` --id VALUE`, or ` --id=VALUE` if the value looks like an option."""
    return f" {name}{'=' if value.startswith('-') else ' '}{quoted(value, encoding)}"
