"""A fix at the site: verified before it is parsed, translated, and compared with what stands here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.context import MISSING, parse_path, target
from engine.model.codes import desk as codes
from engine.model.errors import Refused, SkerryError
from engine.runtime.amending import log_hash, records
from engine.runtime.amendment import Amendment, Base, NewDefinition, NewValue
from export_import.fix.likeness import Translate, seen_as, translated, unmasked
from export_import.fix.plan import LARGEST, PLAN, Fix, FixDefinition, FixValue, Target, read_fix

if TYPE_CHECKING:
    from engine.model.clock import Clock
    from engine.store.port import Store
    from export_import.container import Bundle
    from export_import.keys import Keys

_APART = timedelta(days=1)  # that two clocks may be, time zones set wrongly included


@dataclass(frozen=True)
class Opened:
    """A fix whose signature holds."""

    fix: Fix
    bundle: Bundle

    @property
    def signer(self) -> str:
        """The fingerprint of who signed it."""
        return self.bundle.signer or ""


def open_fix(paths: Sequence[Path], keys: Keys, clock: Clock) -> Opened:
    """Refused for anything but an intact fix bundle, signed by a key that is trusted here.

    Nothing inside is decrypted or parsed before.
    """
    from export_import.container import open_bundle

    bundle = open_bundle(paths, keys, clock=clock, must_be_trusted=True)
    if bundle.kind != "fix" or PLAN not in bundle.entries:
        raise Refused(codes.NOT_A_FIX, f"it is a {bundle.kind} bundle", where=str(paths[0]))
    if wrong := bundle.verify():
        raise Refused(codes.NOT_A_FIX, wrong[0].message, where=wrong[0].where)
    return Opened(read_fix(bundle.read(PLAN, LARGEST)), bundle)


def amendment_for(opened: Opened, keys: Keys, store: Store, clock: Clock) -> Amendment:
    """What the engine is asked to apply; Refused with the reason when the fix does not fit this site now."""
    from export_import.redaction.pseudonyms import Pseudonyms

    fix = opened.fix
    _check_site(fix, keys)
    if any(each["id"] == fix.id for each in records(store)):
        raise Refused(codes.REPLAYED, f"fix {fix.id} was applied before", where=fix.id)
    _check_time(fix, clock.now())
    translate = Pseudonyms(keys).translate
    base = _base(fix.target, store, keys) if fix.target else None
    origin = {
        "title": fix.title, "letter": fix.letter, "signer": opened.signer, "bundle": opened.bundle.id,
        "rerun": fix.to_json()["rerun"],
    }  # fmt: skip
    return Amendment(
        fix.id,
        "fix",
        fix.expires,
        base,
        tuple(_definition(each, store, translate) for each in fix.definitions),
        tuple(_value(each, fix, store, translate) for each in fix.values),
        origin,
    )


def _check_site(fix: Fix, keys: Keys) -> None:
    if fix.site is None or not keys.is_own(fix.site):
        named = f"the site {fix.site}" if fix.site else "no site"
        raise Refused(codes.FOREIGN, f"it was made for {named}, this one is {keys.fingerprint}", where=fix.id)


def _check_time(fix: Fix, now: datetime) -> None:
    if _time(fix.expires) <= now:
        raise Refused(codes.EXPIRED, f"it was good until {fix.expires}", where=fix.id)
    if _time(fix.made_at) - now > _APART:
        told = f"it was made at {fix.made_at}, but it is {now.isoformat(timespec='seconds')} here"
        raise Refused(codes.EXPIRED, f"{told}: with this clock nobody can tell whether it has expired")


def _time(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise Refused(codes.NOT_A_FIX, "its expiry is no time", where=PLAN)
    return found


def _base(seen: Target, store: Store, keys: Keys) -> Base:
    """The instance as it must stand; the site's own hashes are compared here, where its secret is."""
    row = store.instance(seen.instance)
    if row is None or row.task != seen.task:
        told = f"there is no instance {seen.instance} of task {seen.task!r} here"
        raise Refused(codes.FOREIGN, told, where=str(seen.instance))
    lines = list(store.lines(seen.instance))
    told = f"the log of instance {seen.instance} is not the one that the supporter saw"
    if row.run != seen.run or (seen.site_hash and _site_hash(keys, lines) != seen.site_hash):
        raise Refused(codes.OUTDATED, told, where=str(seen.instance))
    _check_definitions(seen, store, keys)
    run = store.run(row.id, row.run)
    return Base(row.id, row.task, seen.seq, seen.time, log_hash(lines), run.snapshot if run else None)


def _site_hash(keys: Keys, lines: Sequence[str]) -> str:
    digest = keys.site_digest()
    for line in lines:
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def _check_definitions(seen: Target, store: Store, keys: Keys) -> None:
    if seen.definitions_hash is None:
        return
    raw = store.snapshot(seen.instance, seen.run)
    digest = keys.site_digest()
    digest.update(json.dumps(raw, ensure_ascii=False, separators=(",", ":")).encode())
    if digest.hexdigest() != seen.definitions_hash:
        told = f"instance {seen.instance} ran with other definitions than the supporter saw"
        raise Refused(codes.OUTDATED, told, where=str(seen.instance))


def _definition(fix: FixDefinition, store: Store, translate: Translate) -> NewDefinition:
    row = store.definition(fix.kind, fix.id)
    was, now = translated(fix.was, translate), row.content if row else None
    if not seen_as(was, now):
        told = f"{fix.kind} {fix.id!r} is not what the supporter saw"
        raise Refused(codes.OUTDATED, told, where=fix.id)
    content = unmasked(translated(fix.content, translate), was, now)
    return NewDefinition(fix.kind, fix.id, content, row.hash if row else None)


def _value(fix: FixValue, whole: Fix, store: Store, translate: Translate) -> NewValue:
    if whole.target is None:
        raise Refused(codes.NOT_A_FIX, f"{fix.path}: no instance is named", where=PLAN)
    now = standing_value(store, whole.target.instance, fix.path)
    if now is MISSING or not seen_as(translated(fix.was, translate), now):
        raise Refused(codes.OUTDATED, f"{fix.path} is not what the supporter saw", where=fix.path)
    return NewValue(fix.path, translated(fix.value, translate), translate(fix.reason), now)


def standing_value(store: Store, instance: int, path: str) -> Any:
    """What stands at a path of the context now; MISSING when nothing does."""
    from engine.context.timeline import Timeline

    timeline = Timeline(store.lines(instance))
    found: Any = timeline.at(timeline.last).tree
    try:
        for step in target(found, parse_path(path)):
            found = found[step]
    except (SkerryError, KeyError, IndexError, TypeError):
        return MISSING
    return found
