"""From the functions that count to engines: the student's own, and one for each TODO with the others substituted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from durable_lab.todos import all_todos
from grader.handin.choose import Choice
from grader.handin.definitions import Definition, Needs, Pool, Taken, needs, taken
from grader.handin.engine import EngineFile
from grader.handin.methods import Method, stub
from grader.handin.module import BUILTINS, Module, lent, reference, skeleton
from grader.handin.release import PARTS

_WITHIN = "so each TODO was tried within the whole engine."


@dataclass
class Engines:
    """What was made, and what a person should know of it."""

    whole: str | None = None
    alone: dict[int, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Builder:
    """Makes engines of one hand-in. `choices` has every function of PARTS."""

    choices: Mapping[str, Choice]
    pool: Pool
    file: EngineFile | None
    files_only: bool  # the file is the hand-in, so the whole engine is this file

    def engines(self, refused: Iterable[int]) -> Engines:
        """The whole engine, and one for each TODO of which anything is written and that is not refused."""
        made = Engines()
        made.whole = self._whole(made)
        for number, todo in all_todos().items():
            parts = [part.function for part in todo.parts]
            if number not in refused and any(self.choices[part].written for part in parts):
                made.alone[number] = self._alone(parts, made)
        return made

    def _whole(self, made: Engines) -> str | None:
        if self.files_only:
            return self.file.text if self.file and not self.file.why else None
        mine = self._mine(PARTS)
        base = self._file_base(PARTS)
        if self.file and base and not self.file.why:
            mine = {part: method for part, method in mine.items() if not self.choices[part].in_file}
        return self._put(base or skeleton(), mine, mine.values(), made)

    def _alone(self, parts: list[str], made: Engines) -> str:
        others = {part: method for part, method in lent().items() if part not in parts}
        mine = self._mine(parts)
        base = self._file_base(parts)
        if base:
            lacking = _lacking(base, [*others, *(part for part in parts if part not in base.spans)])
            if lacking and made.whole:
                if not any(line.endswith(_WITHIN) for line in made.said):
                    made.said.append(f"`{lacking}` is not in this engine, and the reference's TODOs need it: {_WITHIN}")
                return made.whole
        rest = {part: stub(part) for part in parts if part not in mine and (not base or part not in base.spans)}
        return self._put(base or reference(), {**others, **rest, **mine}, mine.values(), made)

    def _mine(self, parts: Iterable[str]) -> dict[str, Method]:
        written = {part: self.choices[part] for part in parts if self.choices[part].written}
        return {part: found.method for part, found in written.items() if found.method}

    def _file_base(self, parts: Iterable[str]) -> Module | None:
        """The student's file, where one of these functions stands in it or needs what only it has."""
        base = self.file.base if self.file else None
        mine = [self.choices[part] for part in parts if self.choices[part].written]
        if base is None or self.files_only:
            return base
        own_names = base.names - skeleton().names - BUILTINS
        own_attributes = base.attributes - skeleton().attributes
        for found in mine:
            method = found.method
            if method is None or found.in_file:
                return base
            named = own_names & set(re.findall(r"\w+", method.text))
            if any(self.pool.get(name, method.scope) is None for name in named & needs([method.node]).all):
                return base
            if own_attributes & _attributes(method.node):
                return base
        return None

    def _taken(self, mine: Iterable[Method], names: frozenset[str]) -> Taken:
        if not self.pool.found:
            return Taken()
        wanted: list[tuple[str, Needs]] = [(method.scope, needs([method.node])) for method in mine]
        return taken(wanted, self.pool, names)

    def _put(self, base: Module, functions: Mapping[str, Method], mine: Iterable[Method], made: Engines) -> str:
        chosen = self._taken(mine, base.names)
        made.said += [line for line in chosen.said if line not in made.said]
        imports, above, below = (
            list(dict.fromkeys(definition.text for definition in group))
            for group in (chosen.imports, chosen.above, chosen.below)
        )
        seen: dict[str, Definition] = {}
        for definition in (*chosen.imports, *chosen.above, *chosen.below):
            name, where = f"`{definition.name:.40}`", definition.where
            lines = [f"{name} was taken from {where}, because a TODO needs it."]
            first = seen.setdefault(definition.name, definition)
            if first.text != definition.text:
                lines.append(f"Two cells define {name} ({first.where}; {where}): in one engine, the last one counts.")
            made.said += [line for line in lines if line not in made.said]
        return base.with_functions(functions, imports, above, below)


def _attributes(node: ast.AST) -> set[str]:
    return {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}


def _lacking(base: Module, parts: Iterable[str]) -> str:
    """Something that the reference's functions need and this engine has not; empty where it has all."""
    names, attributes = _wanted()
    parts = list(parts)
    brought = {part.rpartition(".")[2] for part in parts}
    for part in parts:
        if part in names:
            missing = sorted((names[part] - base.names) | (attributes[part] - base.attributes - brought))
            if missing:
                return missing[0]
    return ""


@cache
def _wanted() -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """By function of the reference: the names of the module, and the attributes of its classes, that it uses."""
    known = reference().attributes
    return (
        {part: needs([method.node]).all - BUILTINS for part, method in lent().items()},
        {part: frozenset(_attributes(method.node)) & known for part, method in lent().items()},
    )
