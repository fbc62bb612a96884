"""``skerry keys``: our own keys, and those of others that are trusted here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.connect import workspace_of
from app.cli.desk import Desk
from app.cli.files import insist_folder
from app.cli.shell import Group
from app.cli.text import clock_time, columns, pairs, visible
from engine.model.codes.bundles import CARD_UNWRITTEN
from engine.model.errors import Refused, SkerryError

if TYPE_CHECKING:
    from export_import.keys import Keys, TrustedKey

_HEADS = ("name", "standing", "fingerprint", "added")


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
def keys(context: click.Context) -> None:
    """Keys to sign, verify and encrypt bundles with; without a word after it: list."""
    if context.invoked_subcommand is None:
        context.invoke(list_keys)


@keys.command()
@click.pass_obj
def show(desk: Desk) -> None:
    """Our own fingerprint and public keys; made now if there are none."""
    own = _keys(desk)
    told = {"fingerprint": own.fingerprint, "signing": own.public, "encryption": own.recipient}
    desk.answer(told, pairs(desk.facts(told.items()), indent=""))


@keys.command("list")
@click.pass_obj
def list_keys(desk: Desk) -> None:
    """The keys of others."""
    found = _keys(desk).trusted()
    rows = ((each.name, desk.tell(_standing(each)), each.id, clock_time(each.added_at)) for each in found)
    desk.answer({"keys": [_document(each) for each in found]}, columns(desk.heads(_HEADS), rows))


@keys.command()
@click.argument("key")
@click.option("--name", metavar="NAME", help="What it is called here; by default what its card says.")
@click.pass_obj
def trust(desk: Desk, key: str, name: str | None) -> None:
    """Believe a key from now on: a key card (file), or a key itself. Compare its fingerprint first."""
    added = _keys(desk).trust(_given(key), name)
    lines = [
        desk.tell("{name} is trusted: {id}", name=visible(added.name), id=added.id),
        desk.tell("compare this fingerprint with its owner"),
    ]
    desk.answer(_document(added), lines)


@keys.command()
@click.argument("key")
@click.option("--reason", required=True, metavar="TEXT", help="Why; kept with it.")
@click.pass_obj
def revoke(desk: Desk, key: str, reason: str) -> None:
    """Never believe a key again, by its fingerprint; by a name all keys that have it."""
    own = _keys(desk)
    done = own.revoke(key, reason)
    found = [each for each in own.trusted() if each.id == done.id or key == each.name]
    lines = [desk.tell("{name} is revoked: {id}", name=visible(each.name), id=each.id) for each in found]
    desk.answer(_document(done), lines)


@keys.command()
@click.option("-o", "--output", metavar="FILE", help="Where the new card goes; by default standard output.")
@click.pass_obj
def rotate(desk: Desk, output: str | None) -> None:
    """Take new keys; the card says, signed by the old one, that they follow it."""
    own = _keys(desk)
    _check_place(output)
    own.rotate()
    _give(desk, own, None, output)


@keys.command()
@click.option("-o", "--output", metavar="FILE", help="Where it goes; by default standard output.")
@click.option("--name", metavar="NAME", help="What others will see.")
@click.pass_obj
def export(desk: Desk, output: str | None, name: str | None) -> None:
    """Write our key card, to be given to others."""
    _give(desk, _keys(desk), name, output)


def _keys(desk: Desk) -> Keys:
    from engine.runtime.clock import SystemClock
    from export_import.keys import Keys

    return Keys(workspace_of(desk).root, SystemClock())


def _given(key: str) -> bytes:
    from export_import.key_cards import card_bytes

    if key.startswith(("ssh-ed25519 ", "age1")):
        return key.encode()
    return card_bytes(Path(key))


def _give(desk: Desk, own: Keys, name: str | None, output: str | None) -> None:
    _check_place(output)
    card = own.card(name)
    if output:
        try:
            Path(output).write_bytes(card)
        except OSError as error:
            raise SkerryError(CARD_UNWRITTEN, f"{output}: {error.strerror}", where=output) from error
    told = {"fingerprint": own.fingerprint, "card": card.decode(), "file": output}
    desk.answer(told, _card_lines(desk, card, own, output))


def _check_place(output: str | None) -> None:
    """Refused where something else than a key card would be lost, or nothing can be written."""
    if not output:
        return
    path = Path(output)
    if os.path.lexists(path) and not _is_card(path):
        raise Refused(CARD_UNWRITTEN, f"{output} is already there, and is no key card", where=output)
    insist_folder(output, CARD_UNWRITTEN)


def _is_card(path: Path) -> bool:
    from export_import.key_cards import card_bytes, read_card

    try:
        read_card(card_bytes(path))
    except SkerryError:
        return False
    return True


def _card_lines(desk: Desk, card: bytes, own: Keys, output: str | None) -> Iterator[str]:
    if output:
        yield desk.tell("{path} is the key card of {id}", path=visible(output), id=own.fingerprint)
    else:
        yield card.decode().rstrip("\n")


def _document(key: TrustedKey) -> dict[str, Any]:
    return {**asdict(key), "standing": _standing(key)}


def _standing(key: TrustedKey) -> str:
    return "revoked" if key.revoked_at else "replaced" if key.replaced_by else "trusted"
