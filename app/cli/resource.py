"""``skerry resource check``: is what a job needs there?"""

from __future__ import annotations

import json

import click

from app import wiring
from app.cli import input_files
from app.cli.cli_context import CliContext
from app.cli.engine_access import reading
from app.cli.shell import BAD, OK, CliGroup
from app.cli.terminal_text import pairs, visible
from app.cli.value_types import NAME
from app.durations import duration
from engine.api.probing import Probe
from engine.model.message import message_in
from engine.runtime.workspace import Workspace

resource = CliGroup("resource", help="Check a resource now.")


def probe_of(workspace: Workspace) -> Probe:
    """What looks at things outside without an engine."""
    return Probe(wiring.resource_types(), wiring.open_vault(workspace).get, workspace)


@resource.command("check")
@click.argument("id", type=NAME)
@click.option(
    "texts", "-p", metavar="NAME=VALUE", multiple=True, help="A task parameter that it is built from."
)
@click.pass_obj
def check(cli: CliContext, id: str, texts: tuple[str, ...]) -> int:
    """Look whether a resource passes its check; changes nothing."""
    given = input_files.assignments(texts)
    with reading(cli, probe_of) as service:
        found = service.check_resource(id, given)
    word = cli.tell("ok" if found["ok"] else "not ok")
    details = ((name, json.dumps(value, ensure_ascii=False)) for name, value in found["details"].items())
    said = visible(cli.failure(found["code"], message_in(found, "message"), wiring.catalogue({}).find))
    facts = {"id": visible(id), "word": word, "text": said, "took": duration(found["took"], cli.language)}
    head = cli.tell("{id}: {word}: {text} ({took})", **facts)
    cli.answer(found, [head, *pairs(details)])
    return OK if found["ok"] else BAD
