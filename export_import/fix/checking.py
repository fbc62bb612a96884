"""A fix at the site: verified before it is parsed, translated, and compared with what is here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from engine.context import MISSING
from engine.context.timeline import Timeline
from engine.context.tree import with_texts
from engine.model.clock import Clock
from engine.model.codes import desk as codes
from engine.model.errors import Refused
from engine.model.message import Message
from engine.runtime.interventions.amending import log_hash, records
from engine.runtime.interventions.amendment import Amendment, Base, NewDefinition, NewValue
from engine.secrets.vault import Vault
from engine.store.sql_store import Store
from export_import.container import Bundle, open_bundle
from export_import.container.form import made_later, zoned
from export_import.fix.fix_content import (
    LARGEST,
    LETTER,
    LONGEST,
    PLAN,
    Fix,
    FixDefinition,
    FixValue,
    RepairedInstance,
    letter_of,
    read_fix,
)
from export_import.fix.site_snapshot import SiteSnapshot, unmasked, value_at
from export_import.keys import Keys
from export_import.trust import insist_on_projects

_APART = timedelta(days=1)  # that two clocks may be, time zones set wrongly included


@dataclass(frozen=True)
class Opened:
    """A fix whose signature holds."""

    fix: Fix
    bundle: Bundle
    paths: list[Path]

    @property
    def signer(self) -> str:
        return self.bundle.signer or ""


def open_fix(paths: Sequence[Path], keys: Keys, clock: Clock) -> Opened:
    """Refused for anything but an intact fix bundle, signed by a key that is trusted here.

    Nothing inside is decrypted or parsed before.
    """
    bundle = open_bundle(paths, keys, clock=clock, must_be_trusted=True)
    if bundle.kind != "fix" or PLAN not in bundle.entries:
        kind = Message.of(bundle.kind)
        raise Refused(codes.NOT_A_FIX, "it is a {kind} bundle", where=str(paths[0]), kind=kind)
    if wrong := bundle.verify():
        raise Refused(codes.NOT_A_FIX, wrong[0].message, where=wrong[0].where)
    fix = read_fix(bundle.read(PLAN, LARGEST))
    _check_files(fix, bundle)
    return Opened(fix, bundle, list(paths))


def _check_files(fix: Fix, bundle: Bundle) -> None:
    """A fix holds its plan and its letter, and the letter says what the plan says."""
    if more := sorted(set(bundle.entries) - {PLAN, LETTER}):
        raise Refused.at(codes.NOT_A_FIX, "it holds {where!r}, which no fix does", more[0])
    if LETTER in bundle.entries and bundle.read(LETTER, LARGEST) != letter_of(fix):
        raise Refused.at(codes.NOT_A_FIX, "{where} tells something else than {file}", LETTER, file=PLAN)


def amendment_for(
    opened: Opened, keys: Keys, store: Store, clock: Clock, vault: Vault | None = None
) -> Amendment:
    """The amendment for the engine; Refused with the reason when the fix does not fit this site now.

    All of it is checked here, whatever its maker wrote: whose site, until when, and what was before.
    """
    fix = opened.fix
    _check_site(fix, keys)
    if any(each["id"] == fix.id for each in records(store)):
        raise Refused.at(codes.REPLAYED, "fix {where} was applied before", fix.id)
    _check_time(fix, clock.now())
    base = _base(fix.target, store, keys) if fix.target else None
    origin = {
        "title": fix.title, "letter": fix.letter, "signer": opened.signer, "bundle": opened.bundle.id,
        "rerun": fix.to_json()["rerun"],
    }  # fmt: skip
    with SiteSnapshot(keys, clock, base.instance if base else None, vault) as shown:
        definitions = tuple(_definition(each, store, shown) for each in fix.definitions)
        values = tuple(_value(each, fix, store, shown) for each in fix.values)
    insist_on_projects(keys.trusted_key(opened.signer), definitions, base.task if base else None, store)
    return Amendment(fix.id, "fix", fix.expires, base, definitions, values, origin)


def _check_site(fix: Fix, keys: Keys) -> None:
    if fix.site is None or not keys.is_own(fix.site):
        site = Message.of("the site {key}", key=fix.site) if fix.site else Message.of("no site")
        template = "it was made for {site}, this one is {key}"
        raise Refused(codes.FOREIGN, template, where=fix.id, site=site, key=keys.fingerprint)


def _check_time(fix: Fix, now: datetime) -> None:
    if _time(fix.expires) <= now:
        raise Refused(codes.EXPIRED, "it was good until {expires}", where=fix.id, expires=fix.expires)
    if _time(fix.expires) - now > LONGEST + _APART:
        template = "it would be good until {expires}; a fix is good for {days} days at most"
        raise Refused(codes.EXPIRED, template, where=fix.id, expires=fix.expires, days=LONGEST.days)
    if _time(fix.made_at) - now > _APART:
        template = "{message}: with this clock nobody can tell whether it has expired"
        raise Refused(codes.EXPIRED, template, message=made_later(fix.made_at, now))


def _time(text: str) -> datetime:
    found = zoned(text)
    if found is None:
        raise Refused(codes.NOT_A_FIX, "its expiry is no time", where=PLAN)
    return found


def _base(seen: RepairedInstance, store: Store, keys: Keys) -> Base:
    """The instance as it must be; the site's own hashes are compared here, where its secret is."""
    row = store.instance(seen.instance)
    if row is None or row.task != seen.task:
        message = "there is no instance {where} of task {task!r} here"
        raise Refused.at(codes.FOREIGN, message, seen.instance, task=seen.task)
    if not seen.site_hash or not seen.definitions_hash:
        raise Refused.at(
            codes.OUTDATED,
            "it lacks the site's own hashes of instance {where}: nobody knows what was seen",
            seen.instance,
        )
    lines = list(store.lines(seen.instance))
    if row.run != seen.run or log_site_hash(keys, lines) != seen.site_hash:
        message = "the log of instance {where} is not the one that the supporter saw"
        raise Refused.at(codes.OUTDATED, message, seen.instance)
    _check_definitions(seen, store, keys)
    run = store.run(row.id, row.run)
    return Base(row.id, row.task, seen.seq, seen.time, log_hash(lines), run.snapshot if run else None)


def log_site_hash(keys: Keys, lines: Sequence[str]) -> str:
    digest = keys.site_digest()
    for line in lines:
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def definitions_site_hash(keys: Keys, store: Store, instance: int, run: int) -> str:
    """The site's own hash of the definitions that a run used."""
    digest = keys.site_digest()
    raw = store.snapshot(instance, run)
    digest.update(json.dumps(raw, ensure_ascii=False, separators=(",", ":")).encode())
    return digest.hexdigest()


def _check_definitions(seen: RepairedInstance, store: Store, keys: Keys) -> None:
    if definitions_site_hash(keys, store, seen.instance, seen.run) != seen.definitions_hash:
        raise Refused.at(
            codes.OUTDATED,
            "instance {where} ran with other definitions than the supporter saw",
            seen.instance,
        )


def _definition(fix: FixDefinition, store: Store, shown: SiteSnapshot) -> NewDefinition:
    row = store.definition(fix.kind, fix.id)
    now = row.content if row else None
    if not shown.definition(fix.kind, fix.id, fix.was, now):
        template = "{kind} {where!r} is not what the supporter saw"
        raise Refused.at(codes.OUTDATED, template, fix.id, kind=Message.of(fix.kind))
    was, content = (with_texts(each, shown.translate) for each in (fix.was, fix.content))
    return NewDefinition(fix.kind, fix.id, unmasked(content, was, now), row.hash if row else None)


def _value(fix: FixValue, whole: Fix, store: Store, shown: SiteSnapshot) -> NewValue:
    if whole.target is None:
        raise Refused(codes.NOT_A_FIX, "{path}: no instance is named", where=PLAN, path=fix.path)
    timeline = Timeline(store.lines(whole.target.instance))
    tree, path = timeline.at(timeline.last).tree, shown.translate(fix.path)
    now = value_at(tree, path)
    if now is MISSING or not shown.value(fix.was, tree, lambda tree: value_at(tree, path)):
        raise Refused.at(codes.OUTDATED, "{where} is not what the supporter saw", path)
    return NewValue(path, with_texts(fix.value, shown.translate), shown.translate(fix.reason), now)
