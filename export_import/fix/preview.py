"""What a fix would do here, for people, and the hash of it: the engine applies only what was shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.api.documents import Document, Rerun
from engine.api.service import Service
from engine.context.tree import MISSING
from engine.definitions.writer import dump
from engine.model.clock import Clock
from engine.model.errors import SkerryError
from engine.model.line_diff import line_diff
from engine.model.message import with_facts
from engine.model.names import sections_of
from engine.runtime.interventions.amendment import Amendment, NewDefinition
from engine.store.sql_store import Store
from export_import.container.form import canonical
from export_import.fix.checking import Opened, amendment_for
from export_import.fix.effects import FixEffect, effects_of, new_nodes
from export_import.fix.fix_content import RerunPlan
from export_import.keys import Keys

_KINDS = ("resource", "job", "task", "calendar", "rule", "error")


@dataclass(frozen=True, slots=True)
class DefinitionDiff:
    """One definition: the lines of its difference; ``new``: there is none of this id yet."""

    kind: str
    id: str
    new: bool
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ValueDiff:
    path: str
    old: Any
    new: Any
    reason: str


@dataclass(frozen=True, slots=True)
class FixPreview:
    """All that ``apply`` would do; ``refused`` is why it would not (code and message), else None.

    ``reruns`` is ``{"run", "keep", "skip"}`` of what runs again. ``effects`` is what it does beyond that,
    now or later; ``seen`` the hash of all this and of the definitions here: without it nothing is applied.
    """

    id: str
    title: str
    letter: str
    signer: str
    made_at: str
    expires: str
    instance: int | None
    definitions: tuple[DefinitionDiff, ...] = ()
    values: tuple[ValueDiff, ...] = ()
    rerun: dict[str, Any] | None = None
    reruns: dict[str, Any] | None = None
    effects: tuple[FixEffect, ...] = ()
    seen: str | None = None
    refused: dict[str, Any] | None = None


def preview(opened: Opened, service: Service, store: Store, keys: Keys, clock: Clock) -> FixPreview:
    """Looks only. SkerryError when the service cannot be asked."""
    fix = opened.fix
    facts: dict[str, Any] = {
        "id": fix.id,
        "title": fix.title,
        "letter": fix.letter,
        "signer": opened.signer,
        "made_at": fix.made_at,
        "expires": fix.expires,
        "instance": fix.target.instance if fix.target else None,
        "rerun": asdict(fix.rerun) if fix.rerun else None,
    }
    try:
        amendment = amendment_for(opened, keys, store, clock)
        service.amend(fix_package(opened.paths), dry_run=True)
    except SkerryError as error:
        return FixPreview(**facts, refused=with_facts({"code": error.code, "message": error.message}))
    return FixPreview(
        **facts,
        definitions=tuple(diffs(amendment.definitions, store)),
        values=tuple(ValueDiff(each.path, each.old, each.value, each.reason) for each in amendment.values),
        reruns=_again(fix.rerun, amendment, service, store),
        effects=effects_of(amendment, store),
        seen=fix_seen(amendment, store),
    )


def _again(
    plan: RerunPlan | None, amendment: Amendment, service: Service, store: Store
) -> dict[str, Any] | None:
    """What would run, as far as that is known before the definitions are changed."""
    if plan is None or amendment.base is None:
        return None
    try:
        planned = service.preview(rerun_of(plan, amendment.base.instance, amendment, current=False))
    except SkerryError as error:
        wrong = with_facts({"code": error.code, "message": error.message})
        return {"run": [], "keep": [], "skip": [], "error": wrong}
    added = _added(plan, amendment, store)
    return {"run": [*planned["run"], *added], "keep": planned["keep"], "skip": planned["skip"]}


def _added(plan: RerunPlan, amendment: Amendment, store: Store) -> list[str]:
    """The nodes that the fix adds to the task that runs again: they run with it."""
    task = amendment.base.task if amendment.base and plan.current else None
    new = next((each for each in amendment.definitions if (each.kind, each.id) == ("task", task)), None)
    if task is None or new is None:
        return []
    nodes = new_nodes(new.content, store.content("task", task))
    return [node for node in nodes if plan.mode != "only" or node in plan.nodes]


def rerun_of(plan: RerunPlan, instance: int, amendment: Amendment, *, current: bool) -> Rerun:
    """The plan as the service takes it."""
    reason = f"fix {amendment.id}: {(amendment.origin or {}).get('title', '')}"
    mode: Any = plan.mode
    return Rerun(instance, mode, plan.nodes, plan.with_upstream, reason=reason, current=current)


def diffs(new: Iterable[NewDefinition], store: Store, brings: str = "fix") -> Iterator[DefinitionDiff]:
    """How definitions would change, as lines of a unified difference; ``brings`` is what brings them."""
    for each in new:
        row = store.definition(each.kind, each.id)
        old = _lines(each.kind, each.id, row.content) if row else []
        fresh = _lines(each.kind, each.id, each.content)
        lines = line_diff(old, fresh, "here", brings)
        yield DefinitionDiff(each.kind, each.id, row is None, tuple(lines))


def _lines(kind: str, id: str, content: Any) -> list[str]:
    return dump(sections_of({(kind, id): content})).splitlines()[1:]


def shown_hash(shown: Any, effects: tuple[FixEffect, ...], store: Store) -> str:
    """Of ``shown`` (JSON), the effects of what would come, and the definitions that are in the store."""
    rows = (row for kind in _KINDS for row in store.definitions(kind))
    state = [[row.kind, row.id, row.hash, row.state] for row in rows]
    whole = {"shown": shown, "effects": [asdict(each) for each in effects], "state": state}
    return sha256(canonical(whole)).hexdigest()


def fix_package(paths: list[Path], seen: str | None = None) -> Document:
    """A fix as the service takes it."""
    return {"kind": "fix", "paths": [str(each.absolute()) for each in paths], "seen": seen}


def fix_seen(amendment: Amendment, store: Store) -> str:
    """The hash of what is shown of a fix: what it changes, does and reaches, and the definitions here."""
    return shown_hash(_document(amendment), effects_of(amendment, store), store)


def _document(amendment: Amendment) -> Document:
    """The amendment as JSON; a missing ``old`` is left out."""
    tree = asdict(amendment)
    for each, content in zip(amendment.values, tree["values"], strict=True):
        if each.old is MISSING:
            del content["old"]
    return {**tree, "origin": dict(amendment.origin or {})}
