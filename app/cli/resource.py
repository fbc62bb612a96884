"""``skerry resource check``: is what a job needs there?"""

from __future__ import annotations

import json

import click

from app.cli import files
from app.cli.connect import working
from app.cli.desk import Desk
from app.cli.shell import BAD, OK, Group
from app.cli.text import duration, pairs, visible


@click.group(cls=Group)
def resource() -> None:
    """Check a resource now."""


@resource.command("check")
@click.argument("id")
@click.option(
    "texts", "-p", metavar="NAME=VALUE", multiple=True, help="A task parameter that it is built from."
)
@click.pass_obj
def check(desk: Desk, id: str, texts: tuple[str, ...]) -> int:
    """Look whether a resource passes its check; changes nothing."""
    given = files.assignments(texts)
    with working(desk) as service:
        found = service.check_resource(id, given)
    word = "ok" if found["ok"] else "not ok"
    details = ((name, json.dumps(value, ensure_ascii=False)) for name, value in found["details"].items())
    head = f"{visible(id)}: {word}: {visible(found['message'])} ({duration(found['took'])})"
    desk.answer(found, [head, *pairs(details)])
    return OK if found["ok"] else BAD
