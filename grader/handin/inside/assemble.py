"""From the functions that count to engines: the student's own, and one for each TODO with the others substituted."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from grader.handin.inside.choose import Choice
from grader.handin.inside.definitions import Definition, Pool, Taken, taken
from grader.handin.inside.engine_file import EngineFile
from grader.handin.inside.lab import Lab
from grader.handin.inside.methods import Method, method_of, stub
from grader.handin.inside.module import BUILTINS, Module, reference, skeleton

_WITHIN = "so each TODO was tried within the whole engine."


@dataclass
class Engines:
    """What was made, and what a person should know of it."""

    whole: str | None = None
    alone: dict[int, str] = field(default_factory=dict)
    helpers: dict[str, tuple[Definition, ...]] = field(default_factory=dict)  # by function: what it takes from cells
    said: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Builder:
    """Makes the engines of one submission. `choices` has every function of the TODOs."""

    lab: Lab
    choices: Mapping[str, Choice]
    pool: Pool
    file: EngineFile | None
    files_only: bool  # the file is what was handed in, so the whole engine is this file

    def engines(self, refused: Iterable[int]) -> Engines:
        """The whole engine, and one for each TODO of which anything is written and that is not refused."""
        made = Engines()
        made.whole = self._whole(made)
        for number, parts in self.lab.todos.items():
            if number not in refused and any(self.choices[part].written for part in parts):
                made.alone[number] = self._alone(parts, made)
        return made

    def _whole(self, made: Engines) -> str | None:
        if self.files_only:
            return self.file.text if self.file and not self.file.why else None
        mine = self._mine(self.lab.parts)
        base = self._file_base(self.lab.parts)
        if self.file and base and not self.file.why:
            mine = {part: method for part, method in mine.items() if not self.choices[part].in_file}
        return self._put(base or skeleton(self.lab), mine, mine.values(), made)

    def _alone(self, parts: Iterable[str], made: Engines) -> str:
        others = {part: method for part, method in substitutes(self.lab).items() if part not in parts}
        mine = self._mine(parts)
        base = self._file_base(parts)
        if base:
            lacking = self._lacking(base, [*others, *(part for part in parts if part not in base.functions)])
            if lacking and made.whole:
                if not any(line.endswith(_WITHIN) for line in made.said):
                    made.said.append(f"`{lacking}` is not in this engine, and the reference's TODOs need it: {_WITHIN}")
                return made.whole
        open_ = [part for part in parts if part not in mine and (not base or part not in base.functions)]
        rest = {part: stub(self.lab, part) for part in open_}
        return self._put(base or reference(self.lab), {**others, **rest, **mine}, mine.values(), made)

    def _mine(self, parts: Iterable[str]) -> dict[str, Method]:
        return {part: method for part in parts if (method := self.choices[part].written)}

    def _file_base(self, parts: Iterable[str]) -> Module | None:
        """The student's file, if one of these functions stands in it or needs what only it has."""
        base = self.file.base if self.file else None
        if base is None or self.files_only:
            return base
        given = skeleton(self.lab)
        own_names = base.names - given.names - BUILTINS
        own_attributes = base.attributes - given.attributes
        for part, method in self._mine(parts).items():
            if self.choices[part].in_file:
                return base
            named = own_names & set(re.findall(r"\w+", method.text))
            if named and any(self.pool.get(name, method.scope) is None for name in named & method.needs.all):
                return base
            if own_attributes and own_attributes & _attributes(method.node):
                return base
        return None

    def _put(self, base: Module, functions: Mapping[str, Method], mine: Collection[Method], made: Engines) -> str:
        chosen = self._taken(mine, base.names, made)
        imports, above, below = (
            list(dict.fromkeys(definition.text for definition in group))
            for group in (chosen.imports, chosen.above, chosen.below)
        )
        said = list(chosen.said)
        seen: dict[str, Definition] = {}
        for definition in chosen.all:
            name, place = f"`{definition.name:.40}`", definition.place
            said.append(f"{name} was taken from {place}, because a TODO needs it.")
            first = seen.setdefault(definition.name, definition)
            if first.text != definition.text:
                said.append(f"Two cells define {name} ({first.place}; {place}): in one engine, the last one counts.")
        made.said += [line for line in dict.fromkeys(said) if line not in made.said]
        return base.with_functions(functions, imports, above, below)

    def _taken(self, mine: Collection[Method], names: frozenset[str], made: Engines) -> Taken:
        if not self.pool.found:
            return Taken()
        wanted = [(method.scope, method.needs) for method in mine]
        for method in mine:
            if method.part not in made.helpers:
                made.helpers[method.part] = taken([(method.scope, method.needs)], self.pool, names).all
        return taken(wanted, self.pool, names)

    def _lacking(self, base: Module, parts: list[str]) -> str:
        """Something that the reference's functions need and this engine does not have; "" if it has all."""
        names, attributes = _wanted(self.lab)
        brought = {part.rpartition(".")[2] for part in parts}
        for part in parts:
            if part in names:
                missing = sorted((names[part] - base.names) | (attributes[part] - base.attributes - brought))
                if missing:
                    return missing[0]
        return ""


def _attributes(node: ast.AST) -> set[str]:
    return {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}


@cache
def substitutes(lab: Lab) -> dict[str, Method]:
    """The reference's functions for the TODOs."""
    return {part: method_of(reference(lab), part) for part in lab.parts}


@cache
def _wanted(lab: Lab) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """By function of the reference: the names of the module, and the attributes of its classes, that it uses."""
    known = reference(lab).attributes
    return (
        {part: method.needs.all - BUILTINS for part, method in substitutes(lab).items()},
        {part: frozenset(_attributes(method.node)) & known for part, method in substitutes(lab).items()},
    )
