"""Whatever a command line can get wrong is refused in words that the catalogue has."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from app.cli.main import cli
from app.cli.usage_words import usage_words
from app.texts import catalogue
from engine.model.message import Message

CHINESE = catalogue("zh", "failures*")
MISFITS = ("nonsense", "-1", "9" * 30, "1e30", "\udcff", "")


def test_every_refusal_of_an_argument_or_option_of_a_command_has_its_chinese() -> None:
    refusals = list(_refusals(cli, click.Context(cli, info_name="skerry")))

    assert len(refusals) > 100
    assert {str(each) for each in refusals if not _known(each)} == set()


def _refusals(command: click.Command, context: click.Context) -> Iterator[Message]:
    """What is said of values that do not fit, and of what is missing, for all parameters below a command."""
    for param in command.params:
        yield usage_words(click.MissingParameter(ctx=context, param=param))
        for value in () if getattr(param, "is_flag", False) else MISFITS:  # a flag takes none
            try:
                param.type.convert(value, param, context)
            except click.BadParameter as problem:
                yield usage_words(problem)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _refusals(below, click.Context(below, info_name=name, parent=context))


def _known(message: Message) -> bool:
    """Whether the catalogue has its template, and those of the messages in it."""
    within = [each for each in message.facts.values() if isinstance(each, Message) and each]
    error = message.facts.get("error")
    plain = isinstance(error, str) and not isinstance(error, Message) and error not in CHINESE
    return message.template in CHINESE and not plain and all(map(_known, within))


@pytest.mark.parametrize(
    "args",
    [["--limit"], ["--json=yes"], ["--nix"], ["much"], ["too", "much"]],
    ids=["no value", "a value for a flag", "unknown", "extra", "several extra"],
)
def test_a_line_that_does_not_fit_its_command_is_refused_in_words_that_have_their_chinese(
    args: list[str],
) -> None:
    command = cli.get_command(click.Context(cli), "list")
    assert command is not None

    with pytest.raises(click.UsageError) as caught:
        command.make_context("list", args)

    assert _known(usage_words(caught.value))
