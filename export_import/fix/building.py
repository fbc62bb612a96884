"""Making a fix from a case: what differs from what the site sent, bound to it, signed."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from engine.api.examine import examine
from engine.context import MISSING, format_path
from engine.context.line import json_text
from engine.definitions.writer import dump
from engine.model.clock import Clock
from engine.model.codes.desk import FIX_INVALID, NOTHING_TO_DO
from engine.model.errors import Invalid, Refused
from engine.runtime.clock import SystemClock
from engine.runtime.library import Types
from engine.store.rows import InstanceRow
from export_import.case import Case, is_case
from export_import.container import BundleWriter
from export_import.delivery.content import definitions_in
from export_import.desk.evidence import Evidence
from export_import.fix.checking import definitions_site_hash, log_site_hash
from export_import.fix.fix_content import (
    LETTER,
    PLAN,
    Fix,
    FixDefinition,
    FixValue,
    RepairedInstance,
    RerunPlan,
    letter_of,
)
from export_import.fix.site_snapshot import value_at
from export_import.keys import Keys

GOOD_FOR = timedelta(days=30)


@dataclass(frozen=True)
class FixSource:
    """Where the record comes from: the site's fingerprint, and its own hashes of an instance.

    ``hashes`` gives those of the log and of the definitions as run, for the evidence and an instance.
    """

    site: str | None
    hashes: Callable[[Evidence, InstanceRow], tuple[str | None, str | None]]

    @classmethod
    def of(cls, root: Path) -> FixSource:
        """Of a case, with the hashes that came in its bundle; a workspace is its own site and makes them."""
        if is_case(root):
            case = Case(root)
            return cls(case.bundle_facts.get("site"), partial(_told_hashes, case.files))
        keys = Keys(root, SystemClock())
        return cls(keys.fingerprint, partial(_own_hashes, keys))


def _told_hashes(files: Mapping[str, Any], _: Evidence, row: InstanceRow) -> tuple[str | None, str | None]:
    names = (f"instances/task-{row.task}-{row.id}/ctx.log", f"definitions/{row.id}-{row.run}.json")
    log, ran = (files.get(name, {}).get("facts", {}).get("site_hash") for name in names)
    return log, ran


def _own_hashes(keys: Keys, evidence: Evidence, row: InstanceRow) -> tuple[str | None, str | None]:
    log = log_site_hash(keys, list(evidence.store.lines(row.id)))
    return log, definitions_site_hash(keys, evidence.store, row.id, row.run)


@dataclass(frozen=True)
class Repair:
    """What the supporter decided. ``definitions``: tree of a definition file; ``values``: path -> value."""

    title: str
    letter: str = ""
    instance: int | None = None
    definitions: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    rerun: RerunPlan | None = None
    good_for: timedelta = GOOD_FOR


def make_fix(evidence: Evidence, source: FixSource, repair: Repair, clock: Clock, types: Types) -> Fix:
    """The fix for what is in a case; Invalid when it changes nothing or does not fit the case."""
    _examine(evidence, repair, types)
    if repair.instance is None and (repair.values or repair.rerun):
        raise Invalid(FIX_INVALID, "name the instance whose values change or that runs again: --instance N")
    definitions = tuple(_changed(evidence, repair.definitions))
    values = _values(evidence, repair)
    if not definitions and not values and repair.rerun is None:
        raise Invalid(NOTHING_TO_DO, "it changes nothing")
    now = clock.now()
    return Fix(
        uuid.uuid4().hex,
        repair.title,
        repair.letter,
        now.isoformat(timespec="seconds"),
        (now + repair.good_for).isoformat(timespec="seconds"),
        source.site,
        _target(evidence, source, repair.instance) if repair.instance is not None else None,
        definitions,
        values,
        repair.rerun,
    )


@dataclass(frozen=True, slots=True)
class Kept:
    """A parameter with a new default that what runs again does not take: it keeps its ``value``."""

    path: str
    value: Any
    new: Any


def kept_parameters(evidence: Evidence, repair: Repair) -> tuple[Kept, ...]:
    """Parameters of the task whose default changes, while its rerun goes on with those of its beginning."""
    if repair.instance is None or repair.rerun is None or repair.rerun.mode == "all":
        return ()
    task = evidence.instance(repair.instance).task
    new, old = (_defaults(tree, task) for tree in (repair.definitions, evidence.definitions(repair.instance)))
    now = evidence.task_values(repair.instance).get("PARAMS", {})
    paths = {name: format_path(("TASK", "PARAMS", name)) for name in new if name in now}
    return tuple(
        Kept(path, now[name], new[name])
        for name, path in paths.items()
        if new[name] != old.get(name) and now[name] != new[name] and path not in repair.values
    )


def _defaults(tree: Mapping[str, Any], task: str) -> dict[str, Any]:
    params = ((tree.get("tasks") or {}).get(task) or {}).get("params") or {}
    return {name: spec.get("value") if isinstance(spec, Mapping) else spec for name, spec in params.items()}


def write_fix(fix: Fix, path: Path, keys: Keys, clock: Clock, recipients: Sequence[str] = ()) -> Path:
    """The signed bundle at ``path``; Refused when the path exists."""
    with BundleWriter(path, kind="fix", clock=clock, keys=keys, recipients=recipients) as writer:
        data = json.dumps(fix.to_json(), ensure_ascii=False, indent=1).encode()
        writer.add(PLAN, [data], role="plan")
        writer.add(LETTER, [letter_of(fix)], role="letter")
        return writer.finish(fix=fix.id, title=fix.title, site=fix.site, expires=fix.expires)


def _target(evidence: Evidence, source: FixSource, instance: int) -> RepairedInstance:
    row = evidence.instance(instance)
    lines = list(evidence.store.lines(instance))
    time = json.loads(lines[-1])["time"] if lines else ""
    log, ran = source.hashes(evidence, row)
    if not log or not ran:
        raise Refused.at(
            FIX_INVALID,
            "the case lacks the site's hashes of instance {where}: a part of its bundle is lost",
            instance,
        )
    return RepairedInstance(row.id, row.task, row.run, len(lines), time, log, ran)


def _changed(evidence: Evidence, tree: Mapping[str, Any]) -> list[FixDefinition]:
    """The definitions that are not as they are in the case."""
    stored = evidence.store.content
    found = [FixDefinition(*key, stored(*key), content) for key, content in definitions_in(tree)]
    return [each for each in found if json_text(each.was) != json_text(each.content)]


def _values(evidence: Evidence, repair: Repair) -> tuple[FixValue, ...]:
    if repair.instance is None or not repair.values:
        return ()
    timeline = evidence.timeline(repair.instance)
    tree = timeline.at(timeline.last).tree
    reason = repair.reason or repair.title
    return tuple(
        FixValue(path, _standing(tree, path), value, reason) for path, value in repair.values.items()
    )


def _standing(tree: Any, path: str) -> Any:
    found = value_at(tree, path)
    if found is MISSING:
        raise Invalid.at(FIX_INVALID, "{where}: there is no such value in the case", path)
    return found


def _examine(evidence: Evidence, repair: Repair, types: Types) -> None:
    """The definitions must be valid together with the others in the case."""
    tree = {name: each for name, each in repair.definitions.items() if name != "skerry" and each}
    if not tree:
        return
    source = {"name": "fix", "text": dump({"skerry": 1, **tree})}
    stored = evidence.store.content
    examine([source], types.job_types, types.resource_types, stored).valid()  # type: ignore[list-item]
