"""A delivery at a site: what is new, what it meets, what is missing; then all of it in one transaction."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from engine.api.documents import Document
from engine.api.service import Service
from engine.context.line import json_text
from engine.model.clock import Clock
from engine.model.codes import desk as codes
from engine.model.errors import Invalid, Refused
from engine.model.message import Message
from engine.model.names import is_id
from engine.model.worker import LOCAL
from engine.runtime.interventions.amending import Record, records
from engine.runtime.interventions.amendment import Amendment, NewDefinition
from engine.secrets.vault import Vault
from engine.store.sql_store import Store
from export_import.container import Bundle, open_bundle
from export_import.container.form import made_later, zoned
from export_import.delivery.content import CONTENT, Delivery, Key, read_delivery
from export_import.delivery.decisions import UNDECIDED, Decisions, delivery_package
from export_import.delivery.references import Name, references, rewritten
from export_import.fix.effects import FixEffect, effects
from export_import.fix.preview import DefinitionDiff, diffs, shown_hash
from export_import.keys import Keys
from export_import.trust import TrustedKey, insist_on_projects

FOLDER = "deliveries"
_MOST = 1 << 30  # bytes of the files of one delivery
_LEFT = 256 << 20  # bytes that they must leave on the disk
_APART = timedelta(days=1)  # that two clocks may be


@dataclass(frozen=True, slots=True)
class SiteKnowledge:
    """What there is at this site besides definitions; None: cannot be known, so nothing is missing."""

    secrets: Collection[str] | None = None
    workers: Collection[str] | None = None
    groups: Collection[str] | None = None


@dataclass(frozen=True, slots=True)
class MissingName:
    """A name that a delivered definition mentions and nothing here has."""

    kind: str
    name: str
    used_by: str  # ``task nightly``


@dataclass(frozen=True)
class Arrival:
    """What would come of a delivery. ``definitions`` is what changes; ``conflicts`` are undecided."""

    delivery: Delivery
    signer: str | None
    definitions: tuple[NewDefinition, ...]
    diffs: tuple[DefinitionDiff, ...]
    conflicts: tuple[Key, ...]
    missing: tuple[MissingName, ...]
    same: tuple[Key, ...]
    files: tuple[str, ...]
    newer: tuple[Key, ...]  # a later delivery of these is here
    effects: tuple[FixEffect, ...]
    paths: list[Path]
    bundle: Bundle = field(repr=False)
    seen: str = ""  # the hash of all this and of what is here


def arrival(
    bundle: Bundle,
    store: Store,
    decisions: Decisions = UNDECIDED,
    known: SiteKnowledge = SiteKnowledge(),
    *,
    now: datetime,
    key: TrustedKey | None = None,
    paths: Sequence[Path] = (),
) -> Arrival:
    """Look at a delivery with what was decided so far; changes nothing. The bundle must be trusted.

    ``key`` is its signer's, where that is another's: what it is trusted for is looked at, too.
    """
    delivery = read_delivery(bundle)
    time = zoned(delivery.made_at)
    if time is None or time - now > _APART:
        raise Refused(codes.NOT_A_DELIVERY, made_later(delivery.made_at, now), where=CONTENT)
    _check_names(delivery, decisions.names)
    contents = dict(_named(delivery, decisions))
    same = tuple(key for key, content in contents.items() if _is_current(store, key, content))
    fresh = {
        key: content for key, content in contents.items() if key not in same and key not in decisions.keep
    }
    new = tuple(NewDefinition(*key, content, _base(store, key)) for key, content in fresh.items())
    insist_on_projects(key, new, None, store)
    conflicts = tuple(name for name in fresh if name not in decisions.take and _is_conflict(store, name))
    files = tuple(name for name in bundle.entries if name.startswith("files/"))
    missing = tuple(_missing(contents, store, known))
    found = tuple(diffs(new, store, "delivery"))
    newer = tuple(name for name in fresh if _is_newer_here(store, name, delivery))
    does = effects(new, store, {})
    made = Arrival(
        delivery, bundle.signer, new, found, conflicts, missing, same, files, newer, does, list(paths), bundle
    )
    return replace(made, seen=_seen(made, does, store))


def _seen(found: Arrival, effects: tuple[FixEffect, ...], store: Store) -> str:
    """The hash of what is shown of a delivery, with what was decided and what lies in its files."""
    shown = {
        "delivery": [found.delivery.id, found.delivery.title, found.delivery.letter, found.signer],
        "definitions": [asdict(each) for each in found.definitions],
        "open": [list(map(list, found.conflicts)), [asdict(each) for each in found.missing],
                 list(map(list, found.newer))],
        "files": [[name, [ref.sha256 for ref in found.bundle.entries[name].objects]] for name in found.files],
    }  # fmt: skip
    return shown_hash(shown, effects, store)


def open_delivery(paths: list[Path], keys: Keys, clock: Clock) -> Bundle:
    """Refused for anything but an intact bundle of a trusted signer; nothing is parsed before."""
    bundle = open_bundle(paths, keys, clock=clock, must_be_trusted=True)
    if bundle.kind != "delivery":
        kind = Message.of(bundle.kind)
        raise Refused(codes.NOT_A_DELIVERY, "it is a {kind} bundle", where=str(paths[0]), kind=kind)
    if wrong := bundle.verify():
        raise Refused(codes.NOT_A_DELIVERY, wrong[0].message, where=wrong[0].where)
    return bundle


def amendment_of(found: Arrival, decisions: Decisions) -> Amendment:
    """The amendment for the engine; Refused while something is to be decided."""
    if found.conflicts:
        named = ", ".join(f"{kind}:{id}" for kind, id in found.conflicts)
        raise Refused(codes.CONFLICTS, "these are here with another content: {named}", named=named)
    if found.missing and not decisions.allow_missing:
        named = ", ".join(f"{each.kind} {each.name!r} (of {each.used_by})" for each in found.missing)
        where = found.missing[0].used_by
        raise Refused(codes.REFERENCES_MISSING, "these are not here: {named}", where=where, named=named)
    if found.newer and not decisions.allow_older:
        named = ", ".join(f"{kind}:{id}" for kind, id in found.newer)
        template = "it was made at {made}; a later delivery has brought {named} here already"
        raise Refused(
            codes.OLDER, template, where=found.delivery.id, made=found.delivery.made_at, named=named
        )
    origin = {"title": found.delivery.title, "letter": found.delivery.letter, "signer": found.signer,
              "made_at": found.delivery.made_at, "files": list(found.files)}  # fmt: skip
    return Amendment(found.delivery.id, "delivery", definitions=found.definitions, origin=origin)


def known_here(vault: Vault | None, store: Store) -> SiteKnowledge:
    """What there is at a site besides definitions: secrets, workers and the groups that these are in."""
    workers = [row.worker for row in store.workers()]
    return SiteKnowledge(
        vault.names() if vault is not None else None,
        frozenset({LOCAL, *(worker.name for worker in workers)}),
        frozenset(group for worker in workers for group in worker.groups),
    )


def bring_in(
    found: Arrival, service: Service, root: Path, decisions: Decisions, *, dry_run: bool = False,
    seen: str | None = None,
) -> Document:  # fmt: skip
    """Apply it: definitions in one transaction, then its files below ``deliveries/``; gives its record.

    Refused while conflicts are undecided or names are missing, and when it is not what ``seen`` is the hash
    of (None: as it was found); it is taken back with ``take_back``.
    """
    amendment = amendment_of(found, decisions)
    package = delivery_package(found.paths, decisions, seen or found.seen)
    _check_room(found, root)
    service.amend(package, dry_run=True)
    if dry_run:
        return {"id": amendment.id, "kind": amendment.kind, "applied_at": None}
    if package["seen"] != found.seen:
        message = "what would be applied now has the hash {hash}"
        raise Refused(codes.NOT_AS_SHOWN, message, where=amendment.id, hash=found.seen)
    _lay_down(found, root)
    return service.amend(package)


def roll_back(service: Service, root: Path, id: str, reason: str) -> Document:
    """Take a delivery out, with its files; Refused when something of it was changed since."""
    record = service.take_back(id, reason)
    shutil.rmtree(root / FOLDER / id[:12], ignore_errors=True)
    return record


def _check_room(found: Arrival, root: Path) -> None:
    """Refused where its files are more than anybody needs, or would fill the disk."""
    size = sum(found.bundle.entries[name].size for name in found.files)
    if not size:
        return
    free = shutil.disk_usage(root).free
    if size > _MOST or size + _LEFT > free:
        template = "its files have {size:,} bytes; {most:,} are the most, and {free:,} are free on the disk"
        where = found.delivery.id
        raise Refused(codes.FILES_TOO_LARGE, template, where=where, size=size, most=_MOST, free=free)


def _lay_down(found: Arrival, root: Path) -> None:
    """Its files, as a whole; before the definitions, so that a delivery that is recorded has them."""
    if not found.files:
        return
    target = root / FOLDER / found.delivery.id[:12]
    draft = target.with_name(f".{target.name}")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(0o700, parents=True)
    for name in found.files:
        path = draft / name.removeprefix("files/")
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        with open(path, "xb", opener=_private) as out:
            out.writelines(found.bundle.chunks(name))
            out.flush()
            os.fsync(out.fileno())
    shutil.rmtree(target, ignore_errors=True)
    os.rename(draft, target)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _check_names(delivery: Delivery, names: Mapping[Name, str]) -> None:
    """Invalid where another name is given for one that nothing in it uses, or one that can be none."""
    used = {name for (kind, _), content in delivery.definitions.items() for name in references(kind, content)}
    for name, here in names.items():
        kind, known = Message.of(name[0]), sorted(id for of, id in used if of == name[0])
        if name not in used:
            template = "nothing in the delivery uses {kind} {name!r}; {used}"
            used_here = (
                Message.of("it uses {names}", names=", ".join(known)) if known else Message.of("it uses none")
            )
            raise Invalid(
                codes.NOT_MAPPED, template, where=":".join(name), kind=kind, name=name[1], used=used_here
            )
        if not is_id(here):
            template = "{kind} {name!r} cannot be called {here!r} here"
            raise Invalid(
                codes.NOT_MAPPED, template, where=":".join(name), kind=kind, name=name[1], here=here
            )


def _named(delivery: Delivery, decisions: Decisions) -> Iterator[tuple[Key, Any]]:
    """The definitions under the names that they get here."""
    renamed = {key: id for key, id in decisions.rename.items() if key in delivery.definitions}
    names: dict[Name, str] = {**decisions.names, **renamed}
    for key, content in delivery.definitions.items():
        kind, id = key
        made = rewritten(kind, content, names)
        if kind == "rule" and key in renamed:
            made = {**made, "id": renamed[key]}
        yield (kind, renamed.get(key, id)), made


def _is_current(store: Store, key: Key, content: Any) -> bool:
    row = store.definition(*key)
    return row is not None and json_text(row.content) == json_text(content)


def _base(store: Store, key: Key) -> str | None:
    row = store.definition(*key)
    return row.hash if row else None


def _is_conflict(store: Store, key: Key) -> bool:
    """Whether it was made or changed here; what an earlier delivery brought may be replaced."""
    row = store.definition(*key)
    if row is None:
        return False
    brought = [made for made, _ in _brought(store, key)]
    return not brought or brought[-1] != row.revision


def _brought(store: Store, key: Key) -> Iterator[tuple[int, Record]]:
    """The deliveries that brought a definition and were not taken back: its revision, and the record."""
    for record in records(store):
        if record["kind"] == "delivery" and record["undone_at"] is None:
            for each in record["definitions"]:
                if (each["kind"], each["id"]) == key:
                    yield each["made"], record


def _is_newer_here(store: Store, key: Key, delivery: Delivery) -> bool:
    """Whether a delivery that was made later brought it; without a time its arrival counts."""
    made = zoned(delivery.made_at)
    assert made is not None
    times = (
        zoned(record["origin"].get("made_at") or record["applied_at"]) for _, record in _brought(store, key)
    )
    return any(each is not None and each > made for each in times)


def _missing(contents: Mapping[Key, Any], store: Store, known: SiteKnowledge) -> Iterator[MissingName]:
    seen: set[tuple[Name, Key]] = set()
    for key, content in contents.items():
        for name in references(key[0], content):
            if (name, key) not in seen and not _is_there(name, contents, store, known):
                yield MissingName(*name, " ".join(key))
            seen.add((name, key))


def _is_there(name: Name, contents: Mapping[Key, Any], store: Store, known: SiteKnowledge) -> bool:
    kind, id = name
    beside = {"secret": known.secrets, "worker": known.workers, "group": known.groups}
    if kind in beside:
        there = beside[kind]
        return there is None or id in there
    return name in contents or store.definition(kind, id) is not None
