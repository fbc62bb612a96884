"""Importing a diagnostic bundle: it becomes a case, whole or not at all."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.execution.files import write_new
from engine.model.clock import Clock
from engine.model.codes import bundles as codes
from engine.model.errors import Invalid, Refused
from engine.model.message import Message
from engine.model.times import known_zone
from export_import.case import CASE_FILE, Case
from export_import.case_store import fill
from export_import.container import Bundle, BundleFinding, Omission, ReadLimits, open_bundle
from export_import.container.form import USUAL, fault_of_name, too_much
from export_import.container.memory import kept
from export_import.container.workers import memory_reported
from export_import.export_request import Cancelled, ExportStep, Progress, never, nothing
from export_import.keys import Keys
from export_import.unpacking import unpack

_NAME = re.compile(r"\w[\w.-]{0,59}")  # letters and digits of any script
_BEGUN = ".importing-"
_UNTOLD = 1_000  # instances of which nothing is there
_KEPT = 15 << 20  # bytes of memory at hand while objects come and go
# What a bundle may bring into a case; all else stays outside, whatever it calls itself.
_PLACES = ("instances/", "rows/", "definitions/", "monitor/", "logs/", "long-names/")
_FILES = ("environment-now.json", "settings.yaml")


@memory_reported()
def import_bundle(
    root: Path,
    paths: Sequence[Path],
    *,
    clock: Clock,
    name: str | None = None,
    limits: ReadLimits = USUAL,
    progress: Progress = nothing,
    cancelled: Cancelled = never,
) -> Case:
    """Make ``cases/<name>`` in the workspace at ``root`` from the bundle at ``paths``.

    An unknown signer is marked, not refused. What is lost with a damaged volume is listed in the case.
    Refused: the bundle is damaged at its root, breaks a rule, is encrypted to others, or of another kind; a
    case of that name is there; cancelled. NO_MEMORY: the system gives no more of it.
    """
    bundle = open_bundle(paths, Keys(root, clock), clock=clock, limits=limits)
    if bundle.kind != "diagnostic":
        kind = Message.of(bundle.kind)
        raise Refused(codes.WRONG_KIND, "this is a {kind} bundle", where=str(paths[0]), kind=kind)
    _check_names(bundle)
    cases = root / "cases"
    target = _target(cases, name or _own_name(bundle))
    draft = _draft(cases)
    try:
        with kept(_KEPT):
            lost = unpack(bundle, draft, _steps(bundle, progress, cancelled))
        instances = [int(each["id"]) for each in _instances(bundle)]
        problems = fill(draft, instances, clock, bundle.limits)
        _settle(draft, bundle, lost, problems, clock)
        os.rename(draft, target)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return Case(target)


def _steps(bundle: Bundle, progress: Progress, cancelled: Cancelled) -> Callable[[int], None]:
    """Counts the bytes for whoever watches, and stops when cancelled."""
    done, total = 0, sum(entry.size for entry in bundle.entries.values())

    def step(size: int) -> None:
        nonlocal done
        if cancelled():
            raise Refused(codes.CANCELLED, "the import was cancelled")
        done += size
        progress(ExportStep("import", done, max(total, done)))

    return step


def _check_names(bundle: Bundle) -> None:
    for name in bundle.entries:
        if not name.startswith(_PLACES) and name not in _FILES:
            raise Refused.at(codes.BREAKS_RULES, "a diagnostic bundle has no {where!r}", name)


def _instances(bundle: Bundle) -> list[dict[str, Any]]:
    found: Any = bundle.facts.get("instances")
    found = found if isinstance(found, list) else [None]
    fits = all(isinstance(each, dict) and _is_number(each.get("id")) for each in found)
    if not fits or len({each["id"] for each in found}) != len(found):
        message = "the manifest does not name its instances properly"
        raise Refused(codes.BREAKS_RULES, message, where="manifest")
    if len(found) > len(bundle.entries) + _UNTOLD:
        raise too_much("instances", len(bundle.entries) + _UNTOLD, "manifest")
    return list(found)


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 < value < 1 << 62


def _own_name(bundle: Bundle) -> str:
    """The day, the first instance, and enough of the bundle's id to tell two exports apart."""
    numbers = "-".join(str(each["id"]) for each in _instances(bundle)[:3])
    return f"{bundle.created:%Y%m%d-%H%M}-{numbers or 'none'}-{bundle.id[:6]}"


def _target(cases: Path, name: str) -> Path:
    if not _NAME.fullmatch(name) or fault_of_name(name):
        raise Invalid.at(codes.CASE_NAME, "{where!r} cannot be the name of a case", name)
    if os.path.lexists(cases / name):
        raise Refused.at(codes.CASE_TAKEN, "there is already a case {where!r}", name)
    return cases / name


def _draft(cases: Path) -> Path:
    """A folder to fill; what an import that was killed left behind goes."""
    cases.mkdir(0o700, exist_ok=True)
    for left in cases.glob(f"{_BEGUN}*"):
        pid = left.name.removeprefix(_BEGUN).partition("-")[0]
        if not (pid.isdigit() and Path("/proc", pid).exists()):
            shutil.rmtree(left, ignore_errors=True)
    draft = cases / f"{_BEGUN}{os.getpid()}-{os.urandom(4).hex()}"
    draft.mkdir(0o700)
    return draft


def _settle(folder: Path, bundle: Bundle, lost: list[Omission], problems: list[str], clock: Clock) -> None:
    """The settings that concern reading, the list of files, and ``case.json`` at last."""
    zone = bundle.facts.get("timezone")
    lines = ["# Settings of this case; it is for reading only.", f"timezone: {json.dumps(_zone(zone))}", ""]
    write_new(str(folder / "workspace.yaml"), "\n".join(lines).encode())
    files = {e.name: {"size": e.size, "role": e.role, "facts": e.facts} for e in bundle.entries.values()}
    write_new(str(folder / "files.json"), json.dumps(files, ensure_ascii=False).encode())
    damage = [BundleFinding(codes.LOST.number, each) for each in problems]
    case = {
        "case": 1,
        "imported_at": clock.now().isoformat(timespec="seconds"),
        "bundle": {
            "id": bundle.id,
            "created": bundle.created.isoformat(),
            "tool": bundle.tool,
            "trust": bundle.trust,
            "signer": bundle.signer,
            "encrypted": bundle.encrypted,
            "findings": [asdict(each) for each in (*bundle.findings, *damage)],
        },
        "facts": dict(bundle.facts),
        "omitted": [asdict(each) for each in bundle.omitted],
        "lost": [asdict(each) for each in lost],
    }
    write_new(str(folder / CASE_FILE), json.dumps(case, ensure_ascii=False, indent=1).encode())


def _zone(name: Any) -> str:
    """A zone that this machine knows; UTC otherwise."""
    zone = known_zone(name)
    return zone.key if zone else "UTC"
