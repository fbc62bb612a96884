"""What click says of a command line that it does not understand, with the facts that it keeps of that."""

from __future__ import annotations

from collections.abc import Sequence

import click

from engine.model.message import Message

_VALUES = "Option {name!r} requires an argument.", "Option {name!r} does not take a value."


def usage_words(problem: click.ClickException) -> Message:
    """As click says it; what it keeps no facts of is text alone."""
    text, known = problem.format_message(), _with_facts(problem)
    return known if known is not None and known == text else Message.of(text)


def _with_facts(problem: click.ClickException) -> Message | None:
    match problem:
        case click.NoSuchOption(option_name=name, possibilities=near):
            return Message.of("No such option {name!r}.{hint}", name=name, hint=_hint(near))
        case click.UsageError() if command := getattr(problem, "command_name", None):  # as of click 8.4
            hint = _hint(getattr(problem, "possibilities", None))
            return Message.of("No such command {name!r}.{hint}", name=command, hint=hint)
        case click.MissingParameter(param=click.Parameter() as param):
            option = isinstance(param, click.Option)
            template = "Missing option {name}.{hint}" if option else "Missing argument {name}.{hint}"
            hint = _choices(param.type.get_missing_message(param, problem.ctx))
            return Message.of(template, name=param.get_error_hint(problem.ctx), hint=hint)
        case click.BadOptionUsage(option_name=name, message=text):
            known = (Message.of(template, name=name) for template in _VALUES)
            return next((each for each in known if each == text), None)
        case click.BadParameter(param=click.Parameter() as param, message=error):
            name = param.get_error_hint(problem.ctx)
            return Message.of("Invalid value for {name}: {error}", name=name, error=error)
        case click.ClickException(message=Message() as message):
            return message
    return None


def _choices(message: str | None) -> str:
    return Message.of(" {message}", message=message) if message else ""


def _hint(near: Sequence[str] | None) -> str:
    return Message.of(" Did you mean {name!r}?", name=near[0]) if near else ""
