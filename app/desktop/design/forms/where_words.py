"""What ``on`` of a job comes to with the workers that are registered, in words; no widgets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.desktop.kernel.language import tr, trn
from app.desktop.kernel.statuses import look_of
from app.desktop.workers.registered import registered
from engine.definitions.params import holds_expression
from engine.model.worker import LOCAL
from engine.planning.worker_choice import Where, is_meant

Row = Mapping[str, Any]
_NAMED = 8  # names that are listed; the rest is counted


def consequence(on: Mapping[str, Any], rows: Sequence[Row], movable: bool) -> list[str]:
    """Where it runs, then what keeps workers from it; one sentence each.

    ``on`` as it is written; ``movable``: its type runs on SSH hosts.
    """
    if not any(on.get(key) for key in ("workers", "group", "labels")):
        return [tr("It runs on this machine.") + _alone(on)]
    if holds_expression([on.get(key) for key in ("workers", "group", "labels")]):
        return [tr("An expression decides which workers are meant, when the job begins.") + _alone(on)]
    meant, missing = _meant(on, rows)
    return [_where(on, [str(row["name"]) for row in meant] + missing), *_obstacles(meant, missing, movable)]


def _meant(on: Mapping[str, Any], rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """The lines of the workers that are meant, and the names that nobody has."""
    listed = on.get("workers") or []
    names = [str(each) for each in (listed if isinstance(listed, list) else [listed])]
    labels = on.get("labels") if isinstance(on.get("labels"), Mapping) else {}
    given = tuple((str(key), str(value)) for key, value in (labels or {}).items())
    where = Where(tuple(names), str(on["group"]) if on.get("group") else None, given)
    pairs = zip(rows, registered(rows), strict=True)
    known = {str(row["name"]) for row in rows}
    return [row for row, worker in pairs if is_meant(where, worker)], [
        each for each in names if each not in known
    ]


def _where(on: Mapping[str, Any], names: Sequence[str]) -> str:
    if not names:
        return tr("No registered worker is meant: it waits for one (no worker) until its time is up.")
    shown = _listed(names)
    if on.get("strategy") == "all":
        one = on.get("success") == "single"
        ends = tr("succeeds if one does") if one else tr("succeeds if all do")
        text = trn(len(names), "On {names} alone: {ends}.", "On each of {n} workers ({names}): {ends}.",
                   names=shown, ends=ends)  # fmt: skip
    elif len(names) == 1:
        text = tr("On {names}.", names=shown)
    elif on.get("choose") == "random":
        text = tr("On any of {n} workers ({names}).", n=len(names), names=shown)
    else:
        words = "On one of {n} workers ({names}): the one with most free slots, then the lowest load."
        text = tr(words, n=len(names), names=shown)
    return text + _alone(on)


def _alone(on: Mapping[str, Any]) -> str:
    if on.get("exclusive") is True:
        return " " + tr("It waits until nothing runs there, and nothing starts beside it.")
    return ""


def _obstacles(meant: Sequence[Row], missing: Sequence[str], movable: bool) -> Iterator[str]:
    if missing:
        yield tr("Not registered: {names}", names=_listed(missing))
    far = [str(row["name"]) for row in meant if row["name"] != LOCAL]
    if far and not movable:
        yield tr(
            "Jobs of this type do not run on SSH hosts, so these are passed over: {names}", names=_listed(far)
        )
    away = [
        f"{row['name']} ({tr(look_of('worker_' + str(row['state'])).word)})"
        for row in meant
        if row["state"] != "online"
    ]
    if away:
        yield tr("Takes no jobs now: {names}", names=_listed(away))


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_NAMED])
    rest = len(names) - _NAMED
    return shown + (tr(" and {n} more", n=rest) if rest > 0 else "")
