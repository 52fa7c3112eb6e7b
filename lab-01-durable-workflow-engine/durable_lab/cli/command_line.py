"""What `durable-lab` and `lab-grader` share: typer reads the words, and this module prints help and errors.

typer's own output is not used: it writes past the Screen, whose `write` never raises, and it ends the process.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import typer
from rich.console import Console
from typer.core import TyperCommand, TyperGroup, TyperOption

from durable_lab.cli.output import LOST, Screen, console_on, say, screens

MOST = 1_000_000


@dataclass(frozen=True)
class CommandLine:
    """A program of several commands.

    Each command is a function: its typed parameters are its arguments and options, its docstring is its help, and it
    returns the exit code. `about` is such a function, too; it runs first, and alone if no command is given.
    """

    name: str
    about: Callable[..., int | None]
    commands: Sequence[Callable[..., int]]
    errors: tuple[type[Exception], ...]  # each ends a command with its own sentence and exit code 2
    stopped: str  # the sentence for Ctrl-C
    epilog: str

    def parser(self) -> Any:
        """The commands as typer's objects."""
        app = typer.Typer(
            name=self.name,
            cls=_Group,
            callback=self.about,
            invoke_without_command=True,
            subcommand_metavar="[COMMAND ...]",
            epilog=self.epilog,
            context_settings={"help_option_names": ["-h", "--help"]},
            add_completion=False,
            rich_markup_mode=None,
            pretty_exceptions_enable=False,
        )
        for command in self.commands:
            summary = (command.__doc__ or "").partition("\n\n")[0]  # whole: typer would cut it to one line
            app.command(cls=_Command, short_help=summary)(command)
        return typer.main.get_command(app)

    def run(self, arguments: Sequence[str], shared: Callable[[Console], object] = lambda console: console) -> int:
        """Run one command and return its exit code. `shared` makes what the commands find as `context.obj`."""
        with screens() as (out, err):
            console = console_on(err)
            code = self._answer(arguments, out, console, shared(console_on(out)))
            if out.lost and not isinstance(out.lost, BrokenPipeError):  # `head` closes the pipe on purpose
                self._complain(console, f"the output was lost: {out.lost}. What is recorded stays.")
            return code or (LOST if out.lost else 0)

    def _answer(self, arguments: Sequence[str], out: Screen, console: Console, shared: object) -> int:
        try:
            parser = self.parser()
            with parser.make_context(self.name, [*arguments], obj=shared) as context:
                return int(parser.invoke(context) or 0)
        except _Help as text:
            out.write(f"{text}\n")
            return 0
        except typer.TyperException as error:  # the words are no command
            context = getattr(error, "ctx", None)
            for line in context.get_usage().split("\n") if context else ():
                say(console, line)
            self._complain(console, " ".join(error.format_message().split()))
        except self.errors as error:
            self._complain(console, str(error))
        except KeyboardInterrupt:
            self._complain(console, self.stopped)
            return 130
        return 2

    def _complain(self, console: Console, text: str) -> None:
        for line in f"{self.name}: {text}".split("\n"):
            say(console, line, whole=not console.is_terminal or line.startswith("next: "))


class _Help(Exception):
    """The text that `--help` asks for."""


class _Shown:
    """A command that hands its help to `CommandLine.run`; typer would write it past the Screen."""

    def get_help(self, ctx: Any) -> str:
        raise _Help(super().get_help(ctx))  # type: ignore[misc]


class _Group(_Shown, TyperGroup):
    """The program."""


class _Command(_Shown, TyperCommand):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse `--store --naive`: typer would take the second option for the value of the first."""
        options = [option for option in self.get_params(ctx) if isinstance(option, TyperOption)]
        names = {name for option in options for name in option.opts}
        valued = {name for option in options if not option.is_flag for name in option.opts}
        for word, following in pairwise(args[: args.index("--")] if "--" in args else args):
            if word in valued and following.partition("=")[0] in names:
                ctx.fail(
                    f"{word} needs a value, and {following} is an option. To use it as the value: {word}={following}"
                )
        return super().parse_args(ctx, args)


# ------------------------------------------------------------ parsers of values, and of their defaults


def whole(least: int, most: int = MOST) -> Callable[[Any], int]:
    """The parser of a whole number from `least` to `most`."""

    def parse(given: Any) -> int:
        text = str(given)
        value = int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else None
        if value is None or not least <= value <= most:
            raise typer.BadParameter(f"{text!r:.40} is not a whole number from {least} to {most:,}")
        return value

    return parse


def one_of(names: Collection[str]) -> Callable[[str], str]:
    """The parser of one of these names."""

    def parse(text: str) -> str:
        if text not in names:
            raise typer.BadParameter(f"{text!r:.80} is not one of {', '.join(names)}")
        return text

    return parse


def name(text: str) -> str:
    """Parse a name, which is recorded and so must be UTF-8."""
    if not text.strip():
        raise typer.BadParameter("the name is empty; give one")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise typer.BadParameter(f"{text!r:.80} is not UTF-8; type it in a UTF-8 terminal") from None
    return text


def file(text: str) -> str:
    """Parse the name of a file."""
    if not text:
        raise typer.BadParameter("the name of the file is empty; give one")
    return text
