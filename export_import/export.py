"""Exporting a diagnostic bundle: collect, redact, write, look again, and only then publish.

``preview`` shows what would be written; ``export`` does it. Both work while an engine runs, when none
does, and when none can start because the database or the settings are damaged.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.model.clock import Clock
from engine.model.codes import bundles as codes
from engine.model.disk import no_room
from engine.model.errors import Refused, SkerryError
from engine.secrets.vault import Vault
from export_import.collecting import BundleItem, Guard, Stalled
from export_import.container import BundleWriter, Entry, Omission
from export_import.container.memory import give_back, kept
from export_import.container.pieces import Bytes
from export_import.export_plan import left_out, plan_export
from export_import.export_request import (
    Cancelled,
    ExportPreview,
    ExportRequest,
    ExportStep,
    Planned,
    Progress,
    Result,
    never,
    nothing,
)
from export_import.export_source import Site, site_at
from export_import.keys import Keys
from export_import.redaction.leak_check import check_for_leaks
from export_import.redaction.packed import Packed
from export_import.redaction.redactor import Redactor, redactor_for

_RESERVE = 256 << 10  # of a budget, for header, manifest and leaflet
_LEAST_RESERVE = 32 << 10
_OVERHEAD = 2 << 10  # of a file: its member's header and padding, its line in the manifest
_LEAST = 16 << 10  # an end of a log shorter than that is not worth having
_KNOWN = 1 << 20  # bytes before the end of a log that are read: it may begin in a secret, or in a table
_LARGE = 2 << 20  # bytes
_FOREVER = 1e6  # seconds; the source has a deadline of its own
_ON_REQUEST = "left out on request"
_HASHED = {"context", "input", "output", "definition", "rows", "code"}


def preview(
    root: Path,
    request: ExportRequest,
    *,
    clock: Clock,
    vault: Vault | None = None,
    progress: Progress = nothing,
    cancelled: Cancelled = never,
) -> ExportPreview:
    """Every file that ``export`` would write with its size and redactions; reads all, writes nothing."""
    keys = Keys(root, clock)
    with site_at(root, request.choices, clock) as site, closing(Guard()) as guard:
        redactor = redactor_for(site, keys, vault, request.redact)
        plan = plan_export(site, guard, redactor)
        planned, omitted, done = [], list(plan.omitted), 0
        for item, deadline in plan.items:
            _check(cancelled)
            progress(ExportStep(item.name, done, plan.total))
            if _stays(item, request):
                omitted.append(Omission(item.name, _ON_REQUEST, item.size))
                continue
            try:
                size = sum(map(len, redactor.over(item.form, guard.each(item.read, deadline))))
                planned.append(Planned(item.name, item.role, size, redactor.taken(), _is_needed(item)))
            except (OSError, Stalled, Packed, SkerryError) as error:
                omitted.append(left_out(item, error))
            done += item.size
        return ExportPreview(tuple(planned), tuple(omitted), tuple(site.remarks))


def export(
    root: Path,
    path: Path,
    request: ExportRequest,
    *,
    clock: Clock,
    vault: Vault | None = None,
    progress: Progress = nothing,
    cancelled: Cancelled = never,
) -> Result:
    """Write the bundle ``path`` of the workspace in ``root``, signed by its key.

    Refused: nothing such there, the place cannot be written, the secrets are locked, cancelled, or a
    secret was found in the finished bundle (then there is none). An export to the same place after a
    broken one goes on where that one ended.
    """
    keys = Keys(root, clock)
    with kept(), site_at(root, request.choices, clock) as site, closing(Guard()) as guard:
        redactor = redactor_for(site, keys, vault, request.redact)
        to = (*request.recipients, keys.recipient) if request.recipients else ()
        with BundleWriter(
            path,
            kind="diagnostic",
            keys=keys,
            recipients=to,
            clock=clock,
            volume_size=request.volume_size,
            journal=_journal(site, path),
            mark=" ".join([redactor.mark, str(request.budget), *sorted(request.without)]),
        ) as writer:
            work = _ExportWork(site, writer, redactor, guard, keys, request, progress, cancelled)
            try:
                return work.done()
            except Refused as refused:
                if refused.entry in (codes.CANCELLED, codes.SECRET_FOUND):
                    writer.discard()
                raise


@dataclass
class _ExportWork:
    """One export under way."""

    _site: Site
    _writer: BundleWriter
    _redactor: Redactor
    _guard: Guard
    _keys: Keys
    _request: ExportRequest
    _progress: Progress
    _cancelled: Cancelled
    _aside: Guard = field(default_factory=Guard)  # large files are redacted beside their compression
    _omitted: list[Omission] = field(default_factory=list)
    _counts: Counter[str] = field(default_factory=Counter)
    _done: int = 0  # bytes of items, as the next two
    _total: int = 0
    _content: int = 0
    _files: int = 0

    def done(self) -> Result:
        """Everything, up to the published bundle."""
        plan = plan_export(self._site, self._guard, self._redactor)
        self._total = plan.total
        for each in plan.omitted:
            self._omit(each)
        give_back()  # what reading the workspace took
        with closing(self._aside):
            for item, deadline in plan.items:
                self._take(item, deadline)
        self._writer.settle()
        give_back()
        part = self._writer.seal(**self._facts())
        if self._request.redact:
            self._progress(ExportStep("leak check", self._total, self._total))
            self._redactor.rest()
            give_back()
            check_for_leaks(part, self._keys, self._redactor.sought, self._site.clock, self._cancelled)
            self._redactor.save()
        path = self._writer.publish()
        return Result(
            path,
            _size_of(path),
            self._files,
            self._content,
            tuple(self._omitted),
            dict(self._counts),
            tuple(self._site.remarks),
            bool(self._request.recipients),
            self._keys.fingerprint,
        )

    def _take(self, item: BundleItem, deadline: float) -> None:
        """One item, as much of it as the budget allows."""
        if _stays(item, self._request):
            return self._omit(Omission(item.name, _ON_REQUEST, item.size))
        fitting = self._fitting(item)
        if fitting is None:
            return self._omit(Omission(item.name, "over the size budget", item.size))
        digest = self._keys.site_digest() if item.role in _HASHED else None
        before = self._done
        facts = dict(fitting.facts)
        try:
            raw = self._watched(fitting, self._guard.each(fitting.read, deadline), digest)
            entry = self._write(fitting, raw, facts, digest)
        except (OSError, Stalled, Packed, SkerryError) as error:
            if isinstance(error, SkerryError) and _is_about_the_bundle(error):
                raise
            self._redactor.taken()
            self._omit(left_out(item, error))
        else:
            self._files, self._content = self._files + 1, self._content + entry.size
        self._done = before + item.size
        return None

    def _write(self, item: BundleItem, raw: Iterator[bytes], facts: dict[str, Any], digest: Any) -> Entry:
        """``facts`` is filled while the content goes by: what was redacted is known only at its end."""

        def pieces() -> Iterator[Bytes]:
            yield from self._redactor.over(item.form, raw, item.known)
            if hits := self._redactor.taken():
                facts["redacted"] = hits
                self._counts.update(hits)
            if digest is not None:
                facts["site_hash"] = digest.hexdigest()

        content = self._aside.each(pieces, _FOREVER) if item.size > _LARGE else pieces()
        return self._writer.add(item.name, content, role=item.role, facts=facts)

    def _watched(self, item: BundleItem, pieces: Iterator[bytes], digest: Any) -> Iterator[bytes]:
        for piece in pieces:
            _check(self._cancelled)
            if digest is not None:
                digest.update(piece)
            self._done += len(piece)
            self._progress(ExportStep(item.name, self._done, max(self._total, self._done)))
            yield piece

    def _fitting(self, item: BundleItem) -> BundleItem | None:
        """The item, or the end of it, if it fits what is left of the budget for certain."""
        if self._request.budget is None:
            return item
        reserve = min(_RESERVE, max(_LEAST_RESERVE, self._request.budget // 8))
        left = self._request.budget - reserve - self._writer.stored
        if item.size + _OVERHEAD <= left or item.priority == 0:
            return item
        if not item.cut or left < _LEAST:
            return None
        start = item.size - left
        facts = {**item.facts, "cut": {"from": start, "of": item.size}}
        known = min(start, _KNOWN) if self._redactor.redacts else 0
        return replace(item, read=lambda: _end_of(item, start - known), known=known, facts=facts)

    def _omit(self, omission: Omission) -> None:
        reason = self._redactor.text(omission.reason)
        omission = replace(omission, name=self._redactor.text(omission.name), reason=reason)
        self._omitted.append(omission)
        self._writer.omit(omission.name, omission.reason, omission.size)

    def _facts(self) -> dict[str, Any]:
        site = self._site
        instances = [
            {
                "id": each.row.id,
                "task": each.row.task,
                "status": each.row.status,
                "nodes": sorted(each.choice.nodes) if each.choice.nodes else None,
            }
            for each in site.chosen
        ]
        return {
            "site": self._keys.fingerprint,
            "exported_at": site.clock.now().isoformat(timespec="seconds"),
            "timezone": site.workspace.zone.key,
            "instances": self._redactor.tree(instances),
            "remarks": [self._redactor.text(each) for each in site.remarks],
            "redaction": self._redactor.facts(self._counts),
            "budget": self._request.budget,
        }


def _is_needed(item: BundleItem) -> bool:
    return item.priority == 0


def _stays(item: BundleItem, request: ExportRequest) -> bool:
    return item.name in request.without and not _is_needed(item)


def _end_of(item: BundleItem, start: int) -> Iterator[bytes]:
    """What an item has from byte ``start`` on."""
    seen = 0
    for piece in item.read():
        yield piece[max(start - seen, 0) :]
        seen += len(piece)


def _check(cancelled: Cancelled) -> None:
    if cancelled():
        raise Refused(codes.CANCELLED, "the export was cancelled")


def _is_about_the_bundle(error: SkerryError) -> bool:
    """Whether writing failed (then nothing more can be written), not the reading of one item."""
    return isinstance(error, Refused) or error.entry is codes.TARGET or no_room(error)


def _size_of(path: Path) -> int:
    return sum(each.stat().st_size for each in path.iterdir()) if path.is_dir() else path.stat().st_size


def _journal(site: Site, path: Path) -> Path | None:
    """What is kept on this computer to go on with, by the place that is written to."""
    folder = site.workspace.bundles
    if not os.access(folder, os.W_OK):
        return None
    return folder / f".{sha256(os.fsencode(path.absolute())).hexdigest()[:16]}.journal"
