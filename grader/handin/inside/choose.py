"""Which of several texts of a TODO function counts: the cell of the released notebook, a copy of it, or the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.handin.inside.document import BY_COPY, BY_FILE, BY_ID, BY_MARK
from grader.handin.inside.methods import BEGUN, STUB, WRITTEN, Method, same


@dataclass(frozen=True)
class Choice:
    """What counts for one function. `method` is None if there is none; it has a `why` if it is refused."""

    method: Method | None = None
    said: tuple[str, ...] = ()  # what a person should know of the choice, a sentence each

    @property
    def refused(self) -> bool:
        return self.method is not None and bool(self.method.why)

    @property
    def written(self) -> Method | None:
        """The method, if there is anything of the student's in it that can be used."""
        return self.method if self.method and not self.method.why and self.method.state > STUB else None

    @property
    def in_file(self) -> bool:
        return self.method is not None and self.method.found == BY_FILE


def choice(what: str, cells: Sequence[Method], file: Method | None) -> Choice:
    """The cell counts before the file, and of several cells the one that the student saw green.

    what   the function in words: "TODO 2 (Context.now)"
    cells  in the order of the notebooks, those that count first
    """
    good = [method for method in cells if not method.why]
    broken = [method for method in cells if method.why and not method.newer]
    written = [method for method in cells if method.newer or (not method.why and method.state == WRITTEN)]
    file_is_written = file is not None and not file.why and file.state == WRITTEN
    if written:
        return _of_cells(what, written, good, broken, file if file_is_written else None)
    if file is not None and file_is_written:
        return Choice(file, _passed_over(what, broken, file))
    if broken:
        return Choice(broken[-1])
    begun = [method for method in good if method.state == BEGUN]
    if begun:
        return Choice(begun[-1], (_stopped(what, begun[-1]),))
    if file is not None and (file.why or file.state == BEGUN):
        return Choice(file, () if file.why else (_stopped(what, file),))
    return Choice(good[-1] if good else file)


def _of_cells(
    what: str, written: list[Method], good: list[Method], broken: list[Method], file: Method | None
) -> Choice:
    """What `@todo` put into the student's engine: the cell that lab/engine.py agrees with, or else the last one."""
    best = min(map(_rank, written))
    group = [method for method in written if _rank(method) == best]
    agreeing = [method for method in written if file and not method.why and same(method, file)]
    pick = (agreeing or group)[-1]
    said = list(_passed_over(what, broken, pick))
    others = [method for method in written if method is not pick and (method.why or pick.why or not same(method, pick))]
    if others:
        places = [str(method.place) for method in sorted([*others, pick], key=lambda method: method.order)]
        why = ": it is what lab/engine.py has" if agreeing else ""
        said.append(f"{what} is written in {', '.join(places[:-1])} and {places[-1]}; {pick.place} counts{why}.")
    elif pick.found != BY_ID and any(method.found == BY_ID and method.state == STUB for method in good):
        said.append(f"{what} is written in {pick.place}, and not in its own cell; so that counts.")
    if file and not pick.why and not same(file, pick):
        said.append(f"{what} is another one in {file.place} than in {pick.place}; the notebook counts.")
    return Choice(pick, tuple(said))


def _rank(method: Method) -> int:
    """How certain it is that the cell was run and is meant; 0 is the most certain."""
    if method.found in (BY_ID, BY_MARK):
        return 0 if method.runs else 1
    return 2 if method.found == BY_COPY else 3


def _passed_over(what: str, broken: Sequence[Method], pick: Method) -> tuple[str, ...]:
    return tuple(f"{what} in {bad.place} {bad.why.rstrip('.')}, so {pick.place} counts." for bad in broken)


def _stopped(what: str, method: Method) -> str:
    return f"{what} in {method.place} still has its line `raise NotImplementedError`."
