"""The directories of the chosen instances: contexts, logs, code, inputs and results as they lie there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path, PurePosixPath

from engine.model.errors import SkerryError
from engine.model.states import JOB_BAD
from engine.store.rows import JobRow
from export_import.collecting import BundleItem, Form, file_item, packed_item
from export_import.container import Omission
from export_import.export_source import Chosen, Site
from export_import.packed_logs import LOGS, packed_paths

DEADLINE = 20.0
LARGEST = 64 << 20  # an input or result above that goes by its hash alone
_OWN_JSON = {"ctx.json", "params.json", "environment.json", "definitions.json"}
_FIRST = {"ctx.log", "ctx.json", "params.json", "environment.json"}
_SKIPPED = {"lock"}


def items(site: Site) -> Iterator[BundleItem | Omission]:
    """``instances/task-…/…`` with the files as they are in the workspace."""
    packed: list[Path] = []
    try:
        packed += packed_paths(site.workspace.root)  # a case is handed on
    except SkerryError as error:
        yield Omission("the large logs of the case", str(error))
    for chosen in site.chosen:
        root = site.workspace.task_directory(chosen.row.task, chosen.row.id)
        if not root.is_dir() and not chosen.row.run:
            continue  # it never began
        if not root.is_dir():
            yield Omission(f"instances/{root.name}", "the directory is not there any more")
            continue
        yield from _of_instance(root, f"instances/{root.name}", chosen, packed)


def _of_instance(
    root: Path, base: str, chosen: Chosen, packed: Sequence[Path]
) -> Iterator[BundleItem | Omission]:
    jobs = {PurePosixPath(job.directory).name: job for job in chosen.jobs if job.directory}
    for path in chain(_files(root), (each for each in packed if each.is_relative_to(root))):
        place = PurePosixPath(path.relative_to(root).as_posix())
        job = jobs.get(place.parts[1]) if place.parts[0] == "jobs" and len(place.parts) > 1 else None
        name = f"{base}/{place}"
        unwanted = job is not None and not chosen.choice.has(job.node) and place.name not in _FIRST
        if unwanted:
            yield Omission(name, "its job was not chosen", _size(path))
        elif place.name not in _SKIPPED or place.parent.name != ".skerry":
            yield _item(path, name, place, job)


def _item(path: Path, name: str, place: PurePosixPath, job: JobRow | None) -> BundleItem | Omission:
    role = _role(place, job)
    priority = _priority(place, role, job)
    made = file_item if os.path.lexists(path) else packed_item
    found = made(path, name, role, priority, form=_form(place, role), cut=role == "log")
    if isinstance(found, BundleItem) and role in ("input", "output") and found.size > LARGEST:
        return Omission(name, f"larger than {LARGEST >> 20} MiB", found.size)
    return found


def _role(place: PurePosixPath, job: JobRow | None) -> str:
    inside = place.parts[2:] if job else place.parts
    if inside[:1] == ("attempts",):
        inside = inside[2:]
    folders = {"inputs": "input", "outputs": "output", "executeCode": "code", ".skerry": "state"}
    if len(inside) > 1 and inside[0] in folders:
        return folders[inside[0]]
    if place.name in LOGS and job:
        return "log"
    names = {
        "ctx.log": "context",
        "ctx.json": "context",
        "params.json": "input",
        "environment.json": "environment",
    }
    return names.get(place.name, "file")


def _form(place: PurePosixPath, role: str) -> Form:
    if place.name == "ctx.log" and role == "context":
        return "lines"
    is_json = place.name in _OWN_JSON and role in ("context", "input", "environment", "state")
    return "json" if is_json else "bytes"


def _priority(place: PurePosixPath, role: str, job: JobRow | None) -> int:
    """The context first, then what failed, then the rest; bulk last."""
    if place.name in _FIRST and role != "file":
        return 1
    failed = job is not None and job.status in JOB_BAD
    if role in ("log", "code", "state"):
        return 2 if failed else 4
    return 3 if failed else 6


def _files(root: Path) -> Iterator[Path]:
    """Everything below that is no folder; links are not followed."""
    with os.scandir(root) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            yield from _files(Path(entry.path))
        else:
            yield Path(entry.path)


def _size(path: Path) -> int | None:
    try:
        return os.lstat(path).st_size
    except OSError:
        return None
