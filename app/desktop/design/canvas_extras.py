"""What lies on the canvas beside the definitions: frames, comments, pins; in a file of the workspace."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from app.desktop.canvas.graph import NOTE_SIZE, GraphFrame, GraphNote, Point
from app.desktop.canvas.task_picture import point
from app.desktop.design.edits import free_id
from app.desktop.design.tree import REMOVE, Tree, edit, get, put
from engine.execution.files import replace
from engine.planning.outline import map_of

_FOLDER = "design"  # in the workspace


def frames(extras: Tree) -> tuple[GraphFrame, ...]:
    found = map_of(extras.get("frames"))
    return tuple(
        GraphFrame(id, str(each.get("title") or ""), frozenset(map(str, each.get("members") or ())))
        for id, each in found.items()
    )


def notes(extras: Tree) -> tuple[GraphNote, ...]:
    found = map_of(extras.get("notes"))
    return tuple(
        GraphNote(
            id,
            str(each.get("text") or ""),
            point(each.get("at")) or (0.0, 0.0),
            point(each.get("size")) or NOTE_SIZE,
        )
        for id, each in found.items()
    )


def pins(extras: Tree) -> frozenset[str]:
    """The nodes that the automatic layout leaves where they are."""
    return frozenset(map(str, extras.get("pins") or ()))


@edit
def frame(extras: Tree, title: str, members: Iterable[str]) -> Tree:
    """A new frame; its nodes leave the frames that they were in."""
    chosen = sorted(members)
    left = left_alone(chosen)(extras)
    id = free_id("frame", map_of(left.get("frames")))
    return put(left, ("frames", id), {"title": title, "members": chosen})


@edit
def left_alone(extras: Tree, nodes: Iterable[str]) -> Tree:
    """These nodes in no frame any more; a frame that is left empty goes."""
    gone, kept = frozenset(nodes), {}
    for id, each in map_of(extras.get("frames")).items():
        members = [node for node in each.get("members") or () if node not in gone]
        if members:
            kept[id] = {**each, "members": members}
    return {**extras, "frames": kept} if kept != map_of(extras.get("frames")) else extras


@edit
def note(extras: Tree, id: str, text: str, at: Point) -> Tree:
    """A comment, new or rewritten; an empty text takes it away."""
    if not text.strip():
        return put(extras, ("notes", id), REMOVE)
    lines = max(2, sum(1 + len(line) // 28 for line in text.splitlines()))
    value = {"text": text, "at": [round(at[0]), round(at[1])], "size": [208, 16 + 17 * min(lines, 12)]}
    return put(extras, ("notes", id), value)


@edit
def pinned(extras: Tree, nodes: Iterable[str], on: bool) -> Tree:
    now = pins(extras) | frozenset(nodes) if on else pins(extras) - frozenset(nodes)
    return {**extras, "pins": sorted(now)} if now != pins(extras) else extras


@edit
def renamed(extras: Tree, old: str, new: str) -> Tree:
    """A node's new id in frames and pins."""
    lists = [("pins",), *(("frames", id, "members") for id in map_of(extras.get("frames")))]
    for path in lists:
        if old in (names := get(extras, path) or ()):
            extras = put(extras, path, [new if each == old else each for each in names])
    return extras


def extras_file(workspace: Path, task: str) -> Path:
    """Where they are kept; not part of the definitions, so that moving a frame makes no revision."""
    return workspace / _FOLDER / f"{task}.json"


def read_extras(workspace: Path, task: str) -> Tree:
    """What was kept; nothing when there is no such file, or it cannot be read."""
    try:
        found = json.loads(extras_file(workspace, task).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return map_of(found)


def write_extras(workspace: Path, task: str, extras: Tree) -> None:
    """Keep them: the whole file or the old one; for the user alone. Nothing to keep leaves no file."""
    file = extras_file(workspace, task)
    if not any(extras.values()):
        file.unlink(missing_ok=True)
        return
    write_private(file, json.dumps(extras, ensure_ascii=False, indent=1))


def write_private(file: Path, text: str, *, safe: bool = True) -> None:
    """A file that only its user may read, replaced as a whole; ``safe`` also against a power cut."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace(str(file), text.encode("utf-8", "surrogateescape"), durable=safe)
