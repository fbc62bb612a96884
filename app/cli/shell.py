"""The frame of the command line: lazily loaded commands, options before or after them, one exit status."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn, cast

import click

from app.cli.cli_context import CliContext
from app.cli.help_words import HelpContext, paragraphs
from app.cli.usage_words import usage_words
from app.cli.value_types import Number
from app.failure_words import failure_words
from app.wiring import catalogue
from engine.model.codes.commands import WRONG_USE
from engine.model.codes.store import DISK_FULL, READ_ONLY
from engine.model.errors import Invalid, Refused, SkerryError
from engine.model.message import Message
from engine.model.names import near
from engine.model.plain_words import unforeseen
from engine.model.request_key import with_key

OK, BAD, WRONG, NOT_NOW, BROKEN = range(5)  # the exit statuses of the contract
INTERRUPTED = 128 + signal.SIGINT


def _remember(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def keep(context: click.Context, _: click.Parameter, value: Any) -> None:
        if value == "":  # a variable of a script that is not set: not the default folder
            raise click.BadParameter("it is empty")
        if value not in (None, False):
            setattr(context.find_object(CliContext), name, value)

    return keep


def _common_options() -> list[click.Parameter]:
    return [
        click.Option(
            ["--workspace"],
            metavar="DIR",
            expose_value=False,
            callback=_remember("workspace"),
            help="The workspace's folder (also SKERRY_WORKSPACE).",
        ),
        click.Option(
            ["--json"],
            is_flag=True,
            expose_value=False,
            callback=_remember("json"),
            help="Print one JSON document on standard output.",
        ),
    ]


def _one_request(context: click.Context, _: click.Parameter, key: str | None) -> None:
    context.with_resource(with_key(key))


key_option = click.option(
    "--key",
    metavar="KEY",
    expose_value=False,
    callback=_one_request,
    help="Of this request: given again it is not done again.",
)


limit_option = click.option(
    "--limit", type=Number(1, 100_000), default=100, show_default=True, metavar="N"
)  # how many of a list are shown


class CliCommand(click.Command):
    """A command that also takes the options which may come before or after it."""

    context_class = HelpContext

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.params = [*self.params, *_common_options()]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does; what is too many is refused with its facts."""
        ctx.allow_extra_args = True
        if extra := super().parse_args(ctx, args):
            one, many = "Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})"
            raise click.UsageError(Message.of(many if extra[1:] else one, args=" ".join(extra)), ctx)
        return extra


class CliGroup(click.Group):
    """A group of such commands; without a word after it, it does ``default``, or lists the words."""

    command_class = CliCommand
    context_class = HelpContext

    def __init__(self, *args: Any, default: str | None = None, **settings: Any) -> None:
        if default is not None:
            settings["help"] = f"{settings['help']}; without a word after it: {default}."
        super().__init__(*args, **{"callback": self._alone, "invoke_without_command": True, **settings})
        self.params = [*self.params, *_common_options()]
        self._default = default

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(self.help_lines(ctx))

    def help_lines(self, ctx: click.Context) -> list[tuple[str, str]]:
        """Each command with the first paragraph of its help."""
        return [(name, next(paragraphs(each.help))) for name, each in sorted(self.commands.items())]

    def _alone(self) -> Any:
        context = click.get_current_context()
        if context.invoked_subcommand is not None:
            return None
        if self._default is not None:
            return context.invoke(self.commands[self._default])
        words = ", ".join(self.list_commands(context))
        message = "{command} needs a word after it: {words}"
        raise click.UsageError(Message.of(message, command=context.command_path, words=words))


Table = Mapping[str, tuple[str, str]]  # name -> ("module:attribute", the line in the help)


class CliProgram(CliGroup):
    """The root: knows its commands by name and loads one when it is used."""

    def __init__(self, table: Table, **settings: Any) -> None:
        super().__init__(**settings)
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table: that of a day's work."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._table:
            return None
        module, _, name = self._table[cmd_name][0].partition(":")
        return cast(click.Command, getattr(import_module(module), name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find it; what is nearly one is named, as in groups that have loaded theirs."""
        if args[0] not in self._table and not args[0].startswith("-"):
            meant = near(args[0], self._table)
            hint = Message.of(" Did you mean {name!r}?", name=meant) if meant else ""
            raise click.UsageError(Message.of("No such command {name!r}.{hint}", name=args[0], hint=hint))
        return super().resolve_command(ctx, args)

    def help_lines(self, ctx: click.Context) -> list[tuple[str, str]]:
        """From the table, without loading any of them."""
        return [(name, help) for name, (_, help) in self._table.items()]

    def main(self, args: Any = None, prog_name: Any = None, *_: Any, **extra: Any) -> NoReturn:
        """Run one command line and exit with its status (contract 7)."""
        given = list(sys.argv[1:] if args is None else args)
        _open_closed_streams()
        cli = CliContext()
        cli.json = "--json" in given[: given.index("--")] if "--" in given else "--json" in given
        sys.exit(self._status(given, prog_name or "skerry", cli))

    def _status(self, args: list[str], name: str, cli: CliContext) -> int:
        try:
            with self.make_context(name, args, obj=cli) as context:
                return int(self.invoke(context) or OK)
        except click.exceptions.Exit as leaving:
            return leaving.exit_code
        except (KeyboardInterrupt, click.Abort):
            return INTERRUPTED
        except Exception as problem:
            return _report(problem, cli)


def _report(problem: Exception, cli: CliContext) -> int:
    """Report what went wrong; the exit status for it."""
    if os.environ.get("SKERRY_DEBUG"):
        import traceback

        traceback.print_exception(problem)
    error = _as_error(problem)
    with suppress(OSError, ValueError):
        cli.fail(error, _said(error, cli), **_more(error))
    return WRONG if isinstance(error, Invalid) else NOT_NOW if isinstance(error, Refused) else BROKEN


def _as_error(problem: Exception) -> SkerryError:
    if isinstance(problem, SkerryError):
        return problem
    if isinstance(problem, click.ClickException):
        return Invalid(WRONG_USE, usage_words(problem))
    return (_of_disk(problem) if isinstance(problem, OSError) else None) or unforeseen(problem)


def _of_disk(problem: OSError) -> SkerryError | None:
    """The error of a full or read-only disk: a state of the machine, no mistake of the program."""
    path = problem.filename or Message.of("the output")
    message = Message.of("{path}: {error}", path=path, error=problem.strerror or problem)
    if problem.errno in (errno.ENOSPC, errno.EDQUOT):
        return SkerryError(DISK_FULL, message)
    if problem.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return Refused(READ_ONLY, message)
    return None


def _open_closed_streams() -> None:
    """Opens /dev/null for streams that the caller closed (``>&-``): no other file gets their numbers."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115


def _said(error: SkerryError, cli: CliContext) -> str:
    """Its message in the reader's language."""
    with suppress(Exception):  # a broken workspace.yaml must not hide the error that says so
        return failure_words(error.code, error.message, cli.language, lambda code: catalogue({}).find(code))
    return error.message


def _more(error: SkerryError) -> dict[str, Any]:
    findings = error.details.get("findings")
    return {"findings": findings} if findings else {}
