"""``skerry keys``: our own keys, and those of others that are trusted here."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import workspace_of
from app.cli.input_files import check_folder
from app.cli.shell import CliGroup
from app.cli.terminal_text import clock_time, columns, pairs, visible
from app.cli.value_types import OneOf
from engine.model.codes.bundles import CARD_UNWRITTEN, ROLE_NEEDED
from engine.model.errors import Invalid, Refused, SkerryError
from engine.runtime.clock import SystemClock
from export_import.key_cards import KeyCard, card_bytes, read_card
from export_import.keys import Keys
from export_import.trust import ROLES, Role, TrustedKey, read_roles, read_scope

_HEADS = ("name", "standing", "role", "may send", "fingerprint", "added")
_KEYS = ("ssh-ed25519 ", "age1")
_NO_ROLE = (
    "{name} was trusted before keys had roles: it may send bundles to look at, nothing that changes "
    "this site; say its role: skerry keys trust NAME --role site, support or author"
)

keys = CliGroup("keys", default="list", help="Keys to sign, verify and encrypt bundles with")


@keys.command()
@click.pass_obj
def show(cli: CliContext) -> None:
    """Our own fingerprint and public keys; made now if there are none."""
    own = _keys(cli)
    payload = {"fingerprint": own.fingerprint, "signing": own.public, "encryption": own.recipient}
    cli.answer(payload, pairs(cli.facts(payload.items()), indent=""))


@keys.command("list")
@click.pass_obj
def list_keys(cli: CliContext) -> None:
    """The keys of others."""
    found = _keys(cli).trusted()
    cli.answer({"keys": [_document(each) for each in found]}, _list_lines(cli, found))


def _list_lines(cli: CliContext, found: Sequence[TrustedKey]) -> Iterator[str]:
    yield from columns(cli.heads(_HEADS), (_row(cli, each) for each in found))
    for each in found:
        if each.signing and not each.roles and _standing(each) == "trusted":
            yield cli.tell(_NO_ROLE, name=visible(each.name))


def _row(cli: CliContext, key: TrustedKey) -> tuple[str, ...]:
    standing, roles = cli.tell(_standing(key)), ", ".join(map(cli.tell, key.roles))
    return key.name, standing, roles, _may(cli, key), key.id, clock_time(key.added_at)


def _may(cli: CliContext, key: TrustedKey) -> str:
    """What it may send, and how that is narrowed."""
    if not key.signing:
        return ""
    parts = [", ".join(map(cli.tell, key.may)), *key.scope.sites, *key.scope.projects]
    return "; ".join(visible(each) for each in parts)


@keys.command()
@click.argument("key")
@click.option("--name", metavar="NAME", help="What it is called here; by default what its card says.")
@click.option(
    "--role", "roles", multiple=True, metavar="ROLE", help="site, support or author; may be repeated."
)
@click.option(
    "--scope", "scopes", multiple=True, metavar="WHAT=VALUE",
    help="Narrows the role: site=SHA256:…, project=NAME, may=KIND (bundle, fix, delivery, receipt).",
)  # fmt: skip
@click.pass_obj
def trust(
    cli: CliContext, key: str, name: str | None, roles: tuple[str, ...], scopes: tuple[str, ...]
) -> None:
    """Trust a key from now on, in a role: a key card (file), or a key. Compare its fingerprint first.

    A site sends bundles and receipts, support sends fixes, an author sends deliveries. The name of a key
    that is trusted already gets another role.
    """
    own = _keys(cli)
    known = None if _is_given(key) else _known(own, key)
    card = None if known else read_card(_card_of(key), name or "")
    before = _roles_before(own, card) if card else ()
    given = read_roles(roles)
    if not given and not before and (card is None or card.signing):
        given = _ask_role(cli, key)
    scope = read_scope(scopes, given or before) if scopes else None
    added = own.say_role(known, given, scope) if known else own.trust(_card_of(key), name, given, scope)
    lines = [
        cli.tell("{name} is trusted: {id}", name=visible(added.name), id=added.id),
        cli.tell("it may send: {what}", what=_may(cli, added)),
        cli.tell("compare this fingerprint with its owner"),
    ]
    cli.answer(_document(added), lines if added.signing else [lines[0], lines[2]])


def _known(own: Keys, key: str) -> str | None:
    """The name or fingerprint of a key that is trusted already; None where it is none."""
    found = (each for each in own.trusted() if key in (each.id, each.name) and _standing(each) == "trusted")
    return next((each.id for each in found), None)


def _roles_before(own: Keys, card: KeyCard) -> tuple[Role, ...]:
    """The roles that the key of a card has already, or the key which it follows."""
    like = own.trusted_key(card.fingerprint) or own.before(card)
    return like.roles if like else ()


def _ask_role(cli: CliContext, key: str) -> tuple[Role, ...]:
    """Ask a person; Invalid where there is none."""
    if cli.json or not sys.stdin.isatty():
        message = "say in which role the key is trusted: --role site, support or author"
        raise Invalid(ROLE_NEEDED, message, where=key)
    question = cli.tell("Role (site: sends bundles and receipts; support: fixes; author: deliveries)")
    return read_roles([click.prompt(question, type=OneOf(ROLES), err=True)])


@keys.command()
@click.argument("key")
@click.option("--reason", required=True, metavar="TEXT", help="Why; kept with it.")
@click.pass_obj
def revoke(cli: CliContext, key: str, reason: str) -> None:
    """Never trust a key again, by its fingerprint; by a name all keys that have it."""
    own = _keys(cli)
    done = own.revoke(key, reason)
    found = [each for each in own.trusted() if each.id == done.id or key == each.name]
    lines = [cli.tell("{name} is revoked: {id}", name=visible(each.name), id=each.id) for each in found]
    cli.answer(_document(done), lines)


@keys.command()
@click.option("-o", "--output", metavar="FILE", help="Where the new card goes; by default standard output.")
@click.pass_obj
def rotate(cli: CliContext, output: str | None) -> None:
    """Take new keys; the card says, signed by the old one, that they follow it."""
    own = _keys(cli)
    _check_target(output)
    own.rotate()
    _write_card(cli, own, None, output)


@keys.command()
@click.option("-o", "--output", metavar="FILE", help="Where it goes; by default standard output.")
@click.option("--name", metavar="NAME", help="What others will see.")
@click.pass_obj
def export(cli: CliContext, output: str | None, name: str | None) -> None:
    """Write our key card, to be given to others."""
    _write_card(cli, _keys(cli), name, output)


def _keys(cli: CliContext) -> Keys:
    return Keys(workspace_of(cli).root, SystemClock())


def _is_given(key: str) -> bool:
    """Whether that is a key or a file, and not just a name."""
    return key.startswith(_KEYS) or os.path.lexists(key)


def _card_of(key: str) -> bytes:
    if key.startswith(_KEYS):
        return key.encode()
    return card_bytes(Path(key))


def _write_card(cli: CliContext, own: Keys, name: str | None, output: str | None) -> None:
    _check_target(output)
    card = own.card(name)
    if output:
        try:
            Path(output).write_bytes(card)
        except OSError as error:
            raise SkerryError.at(CARD_UNWRITTEN, "{where}: {error}", output, error=error.strerror) from error
    payload = {"fingerprint": own.fingerprint, "card": card.decode(), "file": output}
    cli.answer(payload, _card_lines(cli, card, own, output))


def _check_target(output: str | None) -> None:
    """Refused where something else than a key card would be lost, or nothing can be written."""
    if not output:
        return
    path = Path(output)
    if os.path.lexists(path) and not _is_card(path):
        raise Refused.at(CARD_UNWRITTEN, "{where} is already there, and is no key card", output)
    check_folder(output, CARD_UNWRITTEN)


def _is_card(path: Path) -> bool:
    try:
        read_card(card_bytes(path))
    except SkerryError:
        return False
    return True


def _card_lines(cli: CliContext, card: bytes, own: Keys, output: str | None) -> Iterator[str]:
    if output:
        yield cli.tell("{path} is the key card of {id}", path=visible(output), id=own.fingerprint)
    else:
        yield card.decode().rstrip("\n")


def _document(key: TrustedKey) -> dict[str, Any]:
    return {**asdict(key), "standing": _standing(key), "may": list(key.may)}


def _standing(key: TrustedKey) -> str:
    return "revoked" if key.revoked_at else "replaced" if key.replaced_by else "trusted"
