"""Commands on the pages are the program's, and the page of commands has all of them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest

import app.cli
from app.cli.cli_context import CliContext
from app.cli.main import cli
from tests.docs.blocks import DOCS, Block, blocks_of

TESTS = Path(__file__).parents[1]
PAGE = DOCS / "cli.md"
MAIN = "app/cli/main.py"


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


def _all_commands(
    group: click.Group, before: str = "skerry", *, groups: bool = False
) -> Iterator[tuple[str, click.Command]]:
    """Every command by its words; with ``groups`` also those that have commands below them."""
    context = click.Context(group)
    for word in group.list_commands(context):
        name, command = f"{before} {word}", group.get_command(context, word)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _all_commands(command, name, groups=groups)
        if groups or not isinstance(command, click.Group):
            yield name, command


def test_every_command_has_its_place_in_the_page_of_commands() -> None:
    text = (DOCS / "cli.md").read_text("utf-8")
    assert [name for name, _ in _all_commands(cli) if not re.search(f"`{name}[ `]", text)] == [], (
        f"add to {PAGE}"
    )


def test_every_option_is_in_the_page_of_commands() -> None:
    words = set(re.findall(r"--?[a-z-]+", (DOCS / "cli.md").read_text("utf-8")))
    options = {(name, each) for name, command in _all_commands(cli) for each in _options(command)}

    assert sorted(each for each in options if each[1] not in words) == [], f"add to {PAGE}"


def _options(command: click.Command) -> list[str]:
    return [name for each in command.params for name in each.opts if name.startswith("-")]


def test_every_command_is_used_by_a_test() -> None:
    sources = "\n".join(file.read_text("utf-8") for file in TESTS.rglob("*.py"))

    assert [name for name, _ in _all_commands(cli) if not _used(name, sources)] == [], (
        f"use it in a test, such as those of {TESTS / 'cli'}"
    )


@pytest.mark.parametrize("file", sorted(Path(app.cli.__path__[0]).glob("*.py")), ids=lambda file: file.stem)
def test_every_command_of_a_module_is_one_of_the_program(file: Path) -> None:
    module = vars(import_module(f"app.cli.{file.stem}"))
    reached = {id(command) for _, command in _all_commands(cli, groups=True)} | {id(cli)}

    lacking = [
        name for name, each in module.items() if isinstance(each, click.Command) and id(each) not in reached
    ]

    assert lacking == [], f"add its line to COMMANDS in {MAIN}, or the command to its group"


def _used(name: str, sources: str) -> bool:
    """Whether the words of a command begin a string, or are several strings; the only one not as a key."""
    words = name.split()[1:]
    end = "[\"' ]" if words[1:] else """(?:"(?!\\s*[]:])| )"""
    first, *others = map(re.escape, words)
    begin = f"{first}(?:(?<=[\"']{first})|(?<=skerry {first}))"  # a search for letters is quick, for quotes it is not
    return re.search("[\\s\"',]+".join((begin, *others)) + end, sources) is not None
