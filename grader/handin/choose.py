"""Which of several texts of a TODO function counts: the cell of the released notebook, a copy of it, or the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.handin.methods import BEGUN, BY_COPY, BY_ID, BY_MARK, STUB, WRITTEN, Method, same
from grader.handin.release import PARTS


@dataclass(frozen=True)
class Choice:
    """What counts for one function. `method` is None where there is nothing; with a `why` where it is refused."""

    method: Method | None = None
    in_file: bool = False
    said: tuple[str, ...] = ()  # what a person should know of the choice, a sentence each

    @property
    def refused(self) -> bool:
        return self.method is not None and bool(self.method.why)

    @property
    def written(self) -> bool:
        return self.method is not None and not self.method.why and self.method.state > STUB


def choice(part: str, cells: Sequence[Method], file: Method | None) -> Choice:
    """The cell counts before the file, and of several cells the one that the student saw green.

    cells: in the order of the notebooks, those that count first
    """
    good = [method for method in cells if not method.why]
    broken = [method for method in cells if method.why and not method.newer]
    written = [method for method in cells if method.newer or (not method.why and method.state == WRITTEN)]
    file_is_written = file is not None and not file.why and file.state == WRITTEN
    if written:
        return _of_cells(part, written, good, broken, file if file_is_written else None)
    if file is not None and file_is_written:
        said = [f"{_what(part)} in {bad.where} {_ends(bad.why)}, so {file.where} counts." for bad in broken]
        return Choice(file, True, tuple(said))
    if broken:
        return Choice(broken[-1])
    begun = [method for method in good if method.state == BEGUN]
    if begun:
        return Choice(begun[-1], said=(_stopped(begun[-1]),))
    if file is not None and (file.why or file.state == BEGUN):
        return Choice(file, True, () if file.why else (_stopped(file),))
    if good:
        return Choice(good[-1])
    return Choice(file, file is not None)


def _of_cells(
    part: str, written: list[Method], good: list[Method], broken: list[Method], file: Method | None
) -> Choice:
    """What `@todo` put into the student's engine: the cell that lab/engine.py agrees with, or else the last one."""
    surest = min(map(_rank, written))
    group = [method for method in written if _rank(method) == surest]
    agreeing = [method for method in written if file and not method.why and same(method, file)]
    pick = (agreeing or group)[-1]
    said = [f"{_what(part)} in {bad.where} {_ends(bad.why)}, so {pick.where} counts." for bad in broken]
    if others := [method for method in written if method is not pick and not _same(method, pick)]:
        why = ": it is what lab/engine.py has" if agreeing else ""
        said.append(f"{_what(part)} is written in {_list([*others, pick])}; {pick.where} counts{why}.")
    elif pick.found != BY_ID and any(method.found == BY_ID and method.state == STUB for method in good):
        said.append(f"{_what(part)} is written in {pick.where}, and not in its own cell; so that counts.")
    if file and not pick.why and not same(file, pick):
        said.append(f"{_what(part)} is another one in {file.where} than in {pick.where}; the notebook counts.")
    return Choice(pick, said=tuple(said))


def _rank(method: Method) -> int:
    """How sure it is that the cell was run and is meant, the surest first."""
    if method.found in (BY_ID, BY_MARK):
        return 0 if method.runs else 1
    return 2 if method.found == BY_COPY else 3


def _same(one: Method, other: Method) -> bool:
    return not one.why and not other.why and same(one, other)


def _what(part: str) -> str:
    return f"TODO {PARTS[part]} ({part})"


def _stopped(method: Method) -> str:
    return f"{_what(method.part)} in {method.where} still has its line `raise NotImplementedError`."


def _ends(why: str) -> str:
    return why.rstrip(".")


def _list(methods: list[Method]) -> str:
    places = [method.where for method in sorted(methods, key=lambda method: method.order)]
    return f"{', '.join(places[:-1])} and {places[-1]}"
