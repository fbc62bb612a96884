"""Commands on the pages are the program's, and the page of commands has all of them."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from app.cli.cli_context import CliContext
from app.cli.main import COMMANDS, cli
from tests.docs.blocks import DOCS, Block, blocks_of


@pytest.mark.parametrize("block", [pytest.param(block, id=str(block)) for block in blocks_of("sh")])
def test_every_command_is_one_that_the_program_understands(block: Block) -> None:
    for words in _commands(block.text):
        _understand(words)


def _commands(text: str) -> list[list[str]]:
    """The words after ``skerry`` of every simple command in a shell text."""
    lexer = shlex.shlex(
        text.replace("\\\n", " ").replace("\n", " \n "), posix=True, punctuation_chars="();<>|&\n"
    )
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t", True, ""
    found: list[list[str]] = []
    words: list[str] = []
    for word in [*lexer, ";"]:
        if not set(word) <= set("();<>|&\n"):
            words.append(word)
            continue
        found += [words[_first(words) :]] if _first(words) else []
        words = []
    return found


def _first(words: list[str]) -> int:
    """Where the arguments of ``skerry`` begin; 0 when it is another command."""
    names = [place for place, word in enumerate(words) if word.rsplit("/", 1)[-1] == "skerry"]
    before = words[: names[0]] if names else []
    return names[0] + 1 if names and all("=" in word or word in ("exec", "nohup") for word in before) else 0


def _understand(words: list[str]) -> None:
    """Read the arguments as the program would; a click error says what is wrong."""
    if words == ["--version"]:
        return
    command: click.Command = cli
    context = command.make_context("skerry", words, obj=CliContext(), resilient_parsing=False)
    while isinstance(command, click.Group) and (rest := [*context._protected_args, *context.args]):
        name, found, rest = command.resolve_command(context, rest)
        assert found is not None, rest
        command, context = found, found.make_context(name, rest, parent=context, obj=CliContext())


def _all_commands(group: click.Group, before: str = "skerry") -> list[str]:
    context = click.Context(group)
    found: list[str] = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inner = _all_commands(command, f"{before} {name}") if isinstance(command, click.Group) else []
        found += inner or [f"{before} {name}"]
    return found


def test_every_command_has_its_place_in_the_page_of_commands() -> None:
    text = (DOCS / "cli.md").read_text("utf-8")
    assert [name for name in _all_commands(cli) if f"`{name}" not in text] == []


def test_every_option_is_told_in_the_page_of_commands() -> None:
    words = set(re.findall(r"--?[a-z-]+", (DOCS / "cli.md").read_text("utf-8")))
    context = click.Context(cli)
    commands = [cli.get_command(context, name) for name in COMMANDS]
    options = {name for each in commands if each for param in each.params for name in param.opts}
    assert [name for name in sorted(options) if name.startswith("-") and name not in words] == []
