"""What the commands on fixes and deliveries share: what is given to them, and what they show of a package."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from app.cli.cli_context import CliContext
from app.cli.engine_access import ask
from app.cli.input_files import content
from app.cli.rerunning import assignment
from app.cli.terminal_text import clock_time, columns, visible
from engine.definitions.reader import SourceFile, read
from engine.model.codes.commands import WRONG_USE
from engine.model.codes.desk import NOT_APPLIED
from engine.model.errors import Invalid, Refused
from engine.model.message import Message
from engine.runtime.interventions.typed_values import value_like

if TYPE_CHECKING:
    from engine.api.service import Service
    from export_import.desk.evidence import Evidence
    from export_import.fix.effects import FixEffect
    from export_import.fix.preview import DefinitionDiff

_EFFECTS = {
    "node": "{where} gets the node {what}",
    "rule": "{where} acts by itself: {what}",
    "online": "{where} comes online: {what}",
    "schedule": "{where} gets other times or dependencies: {what}",
    "used": "{where} changes also for {what}",
    "secret": "{where} reads the secret {what}",
    "worker": "{where} runs on {what}",
    "group": "{where} runs on the group of workers {what}",
    "reach": "{where} may reach {what}",
}


def definitions_of(files: tuple[str, ...], types: Any) -> dict[str, Any]:
    """The tree of the files together; Invalid when one cannot be read."""
    if not files:
        return {}
    given = [SourceFile(name, content(name)) for name in files]
    reading = read(given, types.job_types, types.resource_types)
    return dict(reading.valid().raw)


def values_of(evidence: Evidence, instance: int | None, texts: tuple[str, ...]) -> dict[str, Any]:
    """``PATH=VALUE`` texts, each read as the kind of the value that it replaces."""
    if not texts or instance is None:
        return {}
    timeline = evidence.timeline(instance)
    tree = timeline.at(timeline.last).tree
    return {path: value_like(tree, path, text) for path, text in map(assignment, texts)}


def letter_of(text: str) -> str:
    """The text, or that of the file which it names; Invalid where the file is no text."""
    if "\n" in text or not os.path.isfile(text):
        return text
    try:
        return content(text).decode()
    except UnicodeDecodeError as problem:
        raise Invalid.at(WRONG_USE, "{where} is not UTF-8 text", text) from problem


def title_of(text: str) -> str:
    """Something to read in one line; Invalid for nothing."""
    if not text.strip():
        raise Invalid(WRONG_USE, "--title: say in one line what it is")
    return text.strip()


def diff_lines(cli: CliContext, diffs: Iterable[DefinitionDiff]) -> Iterator[str]:
    """What changes in definitions, each under its name."""
    for each in diffs:
        yield f"{cli.tell(each.kind)} {visible(each.id)}{cli.tell(' (new)') if each.new else ''}"
        yield from (f"  {visible(line)}" for line in each.lines)


def effect_lines(cli: CliContext, found: Iterable[FixEffect]) -> Iterator[str]:
    """What else will run, come online, be read or reached, now or later."""
    for each in found:
        yield cli.tell(_EFFECTS[each.kind], where=visible(each.where), what=visible(each.what))


def list_amendments(cli: CliContext, kind: str, name: str, heads: Sequence[str]) -> None:
    """Answer with what of a kind was brought in here, the newest first, under ``name`` in the document."""
    amendments = ask(cli, lambda service: service.amendments())
    found = [each for each in reversed(amendments) if each["kind"] == kind]
    rows = (
        [
            each["id"], clock_time(each["applied_at"]), each["by"], clock_time(each["undone_at"]),
            each["origin"].get("title"),
        ]
        for each in found
    )  # fmt: skip
    cli.answer({name: found}, columns(cli.heads(heads), rows))


def whole_id(service: Service, id: str, kind: str) -> str:
    """The id of the fix or delivery that begins so, if only one does; Refused where there is none."""
    known = [each["id"] for each in service.amendments() if each["kind"] == kind]
    found = [each for each in known if id and each.startswith(id)]
    if not found:
        raise Refused.at(NOT_APPLIED, "there is no {kind} {where!r} here", id, kind=Message.of(kind))
    if len(found) > 1:
        raise Refused.at(NOT_APPLIED, "several begin with {where!r}", id)
    return str(found[0])
