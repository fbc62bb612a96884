"""``skerry rerun``: parts of ended instances again; or what that would do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import click

from app import wiring
from app.cli.cli_context import CliContext, one_or_all
from app.cli.engine_access import detached, reading, working
from app.cli.engine_delays import watching
from app.cli.following_runs import well
from app.cli.interrupts import Interrupts
from app.cli.running import cancelled_by_interrupts, end_text, say_what_does_not_fire, see_through
from app.cli.shell import BAD, OK, CliCommand, key_option
from app.cli.terminal_text import visible
from app.cli.value_types import INSTANCE, NAME, OneOf
from app.cli.whole_values import whole
from engine.api.documents import Document, Rerun, RunDocument
from engine.api.service import Service
from engine.model.codes.commands import WRONG_USE
from engine.model.errors import Invalid
from engine.model.plain_words import quoted

_SPREAD = ("--from", "--only")  # they take as many nodes as follow
_WITH_VALUE = ("--set", "--reason", "--definition", "--key", "--workspace")


class Spread(CliCommand):
    """Reads ``--only a b`` as ``--only a --only b``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, spread(args))


def spread(args: Sequence[str]) -> list[str]:
    """Every word that follows ``--from`` or ``--only`` up to the next option is one more node.

    Numbers at the end of the nodes are the instances where none is given elsewhere.

    >>> spread(["7", "--only", "a", "b", "--json"])
    ['7', '--only', 'a', '--only', 'b', '--json']
    >>> spread(["--from", "a", "7"])
    ['7', '--from', 'a']
    """
    head, rest = (args[: args.index("--")], args[args.index("--") :]) if "--" in args else (args, [])
    made: list[str] = []
    nodes: list[str] = []
    others = False
    for position, word in enumerate(head):
        option = _spreads(head, position)
        if option is None:
            made.append(word)
            others |= word.isdecimal() and _is_free(head, position)
        elif not word.startswith("-"):
            nodes.append(word)
            made += [option, word]
    moved = [] if others or rest else _trailing_numbers(nodes)
    return [*moved, *_without(made, moved), *rest]


def _spreads(words: Sequence[str], position: int) -> str | None:
    """The option whose nodes include the word at ``position``, or which it is itself."""
    if words[position] in _SPREAD:
        return words[position]
    while position >= 0 and not words[position].startswith("-"):
        position -= 1
    return words[position] if position >= 0 and words[position] in _SPREAD else None


def _is_free(words: Sequence[str], position: int) -> bool:
    """Whether a word is an argument: it does not follow an option that takes a value."""
    before = words[position - 1] if position else ""
    return before not in _WITH_VALUE


def _trailing_numbers(nodes: Sequence[str]) -> list[str]:
    """The numbers at the end, but never the only node."""
    kept = len(nodes)
    while kept > 1 and nodes[kept - 1].isdecimal():
        kept -= 1
    return list(nodes[kept:])


def _without(words: Sequence[str], nodes: Sequence[str]) -> list[str]:
    """The words without the last pairs of option and node that end in ``nodes``."""
    kept = list(words)
    for node in reversed(nodes):
        position = max(i for i, word in enumerate(kept) if word == node and kept[i - 1] in _SPREAD)
        del kept[position - 1 : position + 1]
    return kept


@click.command(cls=Spread)
@click.argument("instances", type=INSTANCE, nargs=-1, required=True, metavar="INSTANCE…")
@click.option("--all", "all_of_it", is_flag=True, help="Everything, with the parameters of the beginning.")
@click.option(
    "--from", "starts", type=NAME, multiple=True, metavar="NODE…", help="These and what depends on them."
)
@click.option("--failed", is_flag=True, help="What failed, and what depends on it.")
@click.option("--only", type=NAME, multiple=True, metavar="NODE…", help="Just these.")
@click.option("--with-upstream", is_flag=True, help="Also what they depend on.")
@click.option("--downstream", is_flag=True, help="Then also the instances that depend on it.")
@click.option("texts", "--set", multiple=True, metavar="PATH=VALUE", help="Change a value before.")
@click.option("--reason", default="", metavar="TEXT", help="Why; it stays with the run and with each change.")
@click.option(
    "--definition",
    type=OneOf(["captured", "current"]),
    default="captured",
    show_default=True,
    help="As it ran before, or as it is now.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would run, be kept, be skipped.")
@click.option("--detach", is_flag=True, help="Start it and return; an engine in the background goes on.")
@key_option
@click.pass_obj
def rerun(
    cli: CliContext,
    /,
    instances: tuple[int, ...],
    texts: tuple[str, ...],
    dry_run: bool,
    detach: bool,
    **chosen: Any,
) -> int:
    """Run parts of ended instances again, and show their progress until the end.

    Several instances begin together or not at all. With --downstream the instances of tasks that depend on
    this one, and one that waited for it as its sub-task, run again too, each once all that it depends on
    have succeeded; after a failure those behind it stay as they were. A value that --set gives is not
    evaluated; it is read as the kind of the value that it replaces, and stays for later reruns until it is
    taken back or everything runs again. Ctrl-C cancels.
    """
    requests = _requests(dict.fromkeys(instances), tuple(map(assignment, texts)), **chosen)
    if dry_run:
        return _previewed(cli, requests)
    if detach:
        return _started(cli, requests)
    with working(cli) as service:
        _show_difference(cli, service, requests)
        with cancelled_by_interrupts(cli) as interrupts:
            numbers = [each["instance"] for each in service.rerun(requests)]
            say_what_does_not_fire(cli, service)
            documents = list(_through_all(cli, service, numbers, interrupts))
        lines = (line for each in documents for line in end_text(cli, service, each))
        cli.answer(one_or_all([whole(each) for each in documents]), lines)
    return OK if all(map(well, documents)) else BAD


def _requests(
    instances: Iterable[int],
    edits: tuple[tuple[str, str], ...],
    *,
    all_of_it: bool,
    starts: tuple[str, ...],
    failed: bool,
    only: tuple[str, ...],
    definition: str,
    **rest: Any,
) -> list[Rerun]:
    modes: dict[Any, Any] = {"all": all_of_it, "from": starts, "failed": failed, "only": only}
    given = [name for name, value in modes.items() if value]
    if len(given) != 1:
        message = "say what runs again: --all, --from NODE, --failed or --only NODE (one of them)"
        raise Invalid(WRONG_USE, message)
    nodes = tuple(dict.fromkeys((*starts, *only)))
    current = definition == "current"
    return [Rerun(instance, given[0], nodes, edits=edits, current=current, **rest) for instance in instances]


def assignment(text: str) -> tuple[str, str]:
    """``PATH=VALUE``: split at the first ``=`` outside of quotes.

    >>> assignment("$.JOB['a=b'].RESULT['x']=1=2")
    ("$.JOB['a=b'].RESULT['x']", '1=2')
    """
    within = escaped = False
    for position, sign in enumerate(text):
        if sign == "=" and not within and position:
            return text[:position], text[position + 1 :]
        within ^= sign == "'" and not escaped
        escaped = sign == "\\" and not escaped
    raise Invalid(WRONG_USE, "--set takes PATH=VALUE, not {text}", text=quoted(text))


def _previewed(cli: CliContext, requests: Sequence[Rerun]) -> int:
    with reading(cli, types=wiring.installed_types) as service:
        found = {each.instance: service.preview(each) for each in requests}
    documents: list[Any] = [
        preview if len(found) == 1 else {"instance": instance, **preview}
        for instance, preview in found.items()
    ]
    lines = (line for instance, preview in found.items() for line in _preview_lines(cli, instance, preview))
    cli.answer(one_or_all(documents), lines)
    return OK


def _preview_lines(cli: CliContext, instance: int, payload: Document) -> Iterator[str]:
    yield f"{cli.tell('instance')} {instance}{_behind(cli, payload)}"
    for name, what in (("run", "runs"), ("keep", "keeps its outcome"), ("skip", "is skipped")):
        for node in payload[name]:
            yield f"  {visible(node)}: {cli.tell(what)}"
    yield from map(visible, payload.get("diff", ()))
    for each in payload.get("downstream", ()):
        yield from _preview_lines(cli, each["instance"], each)


def _behind(cli: CliContext, payload: Document) -> str:
    """For one that follows: its task, and the instances that it comes after."""
    after = payload.get("after")
    if not after:
        return ""
    numbers = ", ".join(map(str, after))
    return cli.tell(" ({task}), after instance {numbers}", task=visible(payload["task"]), numbers=numbers)


def _show_difference(cli: CliContext, service: Service, requests: Sequence[Rerun]) -> None:
    for each in requests if not cli.json else ():
        if each.current:
            for line in service.preview(each)["diff"]:
                cli.say(visible(line))


def _started(cli: CliContext, requests: Sequence[Rerun]) -> int:
    client = detached(cli)
    with watching(cli, client):
        runs = client.rerun(requests)
    say_what_does_not_fire(cli, client)
    documents = [client.instance(each["instance"]) for each in runs]
    lines = [_started_text(cli, each) for each in runs]
    cli.answer(one_or_all(documents), lines)
    return OK


def _started_text(cli: CliContext, begun: Document) -> str:
    after = begun.get("after")
    message = (
        "instance {n} run {run} comes after instance {numbers}"
        if after
        else "instance {n} run {run} is started"
    )
    numbers = ", ".join(map(str, after or ()))
    return cli.tell(message, n=begun["instance"], run=begun["run"], numbers=numbers)


def _through_all(
    cli: CliContext, service: Service, numbers: Sequence[int], interrupts: Interrupts
) -> Iterator[RunDocument]:
    """The end of each; the first Ctrl-C cancels this one and those after it."""
    for position, number in enumerate(numbers, 1):
        yield see_through(cli, service, number, interrupts, numbers[position:])
