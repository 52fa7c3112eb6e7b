"""`check(n)`: run the tests of TODO n in a separate process, so that no TODO can hang a notebook."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass, field

from durable_lab import study, todos
from durable_lab.checks.failure import LABEL
from durable_lab.checks.runner import Verdict, run_tests, to_substitute
from durable_lab.lesson.picture import picture
from durable_lab.timeline import Drawing


@dataclass(frozen=True)
class Checked:
    """The verdicts of one check, as text and as HTML."""

    title: str
    verdicts: list[Verdict] = field(default_factory=list)
    picture: Drawing | None = None  # a small run on this engine

    @property
    def points(self) -> tuple[int, int]:
        """Return how many tests pass, and how many there are."""
        return sum(verdict.passed for verdict in self.verdicts), len(self.verdicts)

    def __repr__(self) -> str:
        lines = [self.title]
        for verdict in self.verdicts:
            lines.append(f"{'pass' if verdict.passed else 'FAIL'}  {verdict.name}")
            lines += [f"      {line}" for line in verdict.message.splitlines()]
            lines += [f"      printed: {line}" for line in verdict.printed]
        return "\n".join([*lines, *([repr(self.picture)] if self.picture else [])])

    def _repr_html_(self) -> str:
        rows = "".join(map(_row, self.verdicts))
        table = f"<table style='width:100%;table-layout:fixed'><tbody>{rows}</tbody></table>" if rows else ""
        return f"<p><strong>{html.escape(self.title)}</strong></p>{self._image()}{table}"

    def _image(self) -> str:
        bundle = self.picture._repr_mimebundle_() if self.picture else {}
        if "image/png" not in bundle:
            return ""
        alt = html.escape(bundle["text/plain"], quote=True)
        return f'<img alt="{alt}" style="max-width:100%" src="data:image/png;base64,{bundle["image/png"]}">'


_WRAPPED = "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere"
_CODE = f"{_WRAPPED};font-family:var(--jp-code-font-family,monospace);font-size:var(--jp-code-font-size,inherit)"


def _row(verdict: Verdict) -> str:
    """Return a row of the table. Its text takes the colours of the page, which may be dark."""
    word, edge = ("&#10003; pass", "#009E73") if verdict.passed else ("&#10007; FAIL", "#D55E00")
    first = (
        f"width:5em;border-left:4px solid {edge};font-weight:600;vertical-align:top;text-align:left;white-space:nowrap"
    )
    hang = LABEL if "\n" in verdict.message else 0
    said = "".join(_line(line, hang) for line in verdict.message.splitlines())
    said += "".join(_line(f"printed: {line}", 0) for line in verdict.printed)
    second = f"text-align:left;{_WRAPPED}"
    return f"<tr><td style='{first}'>{word}</td><td style='{second}'>{html.escape(verdict.name)}{said}</td></tr>"


def _line(line: str, hang: int) -> str:
    """Return a line of a message. A wrapped line continues under the text, not under its label."""
    return f"<div style='{_CODE};padding-left:{hang}ch;text-indent:-{hang}ch'>{html.escape(line) or '&nbsp;'}</div>"


class NotPassed(AssertionError):
    """Raised by `check` if a test fails while nbgrader validates a notebook: nbgrader takes any value for success."""

    def _render_traceback_(self) -> list[str]:  # IPython's hook: show the verdict without a traceback
        return str(self).splitlines()


def check(number: int | None = None) -> Checked | None:
    """Run the tests of one TODO (the reference substitutes other open TODOs), or all 14.

    While nbgrader's Validate runs the notebook, raises NotPassed if a test fails, and returns None if all pass.
    """
    checked = _check(number)
    if os.environ.get("NBGRADER_EXECUTION") != "validate":
        return checked
    passed, total = checked.points
    if passed < max(total, 1):
        raise NotPassed(repr(checked))
    print(checked.title)
    return None


def _check(number: int | None) -> Checked:
    if number is not None and (type(number) is not int or number not in todos.all_todos()):
        numbers = ", ".join(map(str, sorted(todos.all_todos())))
        return Checked(f"There is no TODO {number!r}. Write check(1), with one of {numbers}; or check() for all 14.")
    try:
        engine = study.current()
        verdicts = run_tests(engine, number)
    except study.StudyError as error:
        return Checked(str(error))
    passed, total = sum(verdict.passed for verdict in verdicts), len(verdicts)
    what = f"TODO {number}" if number else "The whole engine"
    drawn = picture(engine, number, to_substitute(engine, number))
    return Checked(f"{what}: {passed} of {total} points. Engine: {engine.label}", verdicts, drawn)
