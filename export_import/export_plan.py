"""The plan of an export: what the collectors have, named for the bundle, the most important first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.model.plain_words import wording
from export_import.bundle_names import Namer
from export_import.collecting import BundleItem, Guard, found
from export_import.container import Omission
from export_import.export_source import Site
from export_import.redaction.packed import unpacked_only
from export_import.redaction.redactor import Redactor


@dataclass(frozen=True)
class ExportPlan:
    """All items of all collectors with their deadlines, the most important first; ``total`` in bytes."""

    items: Sequence[tuple[BundleItem, float]]
    omitted: Sequence[Omission]
    total: int


def plan_export(site: Site, guard: Guard, redactor: Redactor) -> ExportPlan:
    """Ask every collector; one that fails is listed as omitted."""
    namer = Namer()
    items: list[tuple[BundleItem, float]] = []
    omitted: list[Omission] = []
    for name, collector in found():
        try:
            for each in guard.each(lambda c=collector: c.items(site), collector.DEADLINE):  # type: ignore[misc]
                if isinstance(each, Omission):
                    omitted.append(replace(each, name=_shown(each.name)))
                else:
                    items.append((_named(_readable(each, redactor), namer, redactor), collector.DEADLINE))
        except Exception as error:  # one collector that fails must not cost the bundle
            omitted.append(Omission(f"collector {name}", reason_of(error)))
    items.sort(key=lambda each: (each[0].priority, each[0].name))
    return ExportPlan(items, omitted, sum(item.size for item, _ in items))


def _readable(item: BundleItem, redactor: Redactor) -> BundleItem:
    """Where secrets are taken out, what cannot be looked into is left out."""
    return replace(item, read=lambda: unpacked_only(item.read())) if redactor.redacts else item


def _named(item: BundleItem, namer: Namer, redactor: Redactor) -> BundleItem:
    name = namer.name(redactor.name(item.name))
    if name == item.name:
        return item
    return replace(item, name=name, facts={**item.facts, "as": redactor.text(_shown(item.name))})


def left_out(item: BundleItem, error: Exception) -> Omission:
    """An item that could not be read."""
    return Omission(item.name, reason_of(error), item.size)


def reason_of(error: Exception) -> str:
    """Why something is left out, for people."""
    if isinstance(error, OSError):
        return error.strerror or wording(error)
    return wording(error)


def _shown(name: str) -> str:
    """A name that may be no proper text, for people."""
    return name.encode("utf-8", "backslashreplace").decode()
