"""The manifest: which files a bundle has, and where the objects of each are. Every entry is checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from export_import.container import form
from export_import.container.form import Entry, Omission, PartNames, ReadLimits, Ref
from export_import.container.frames import expand_manifest
from export_import.container.header import Header
from export_import.container.strict_json import parse

_FILE = {"name", "size", "role", "objects"}


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of a bundle."""

    facts: Mapping[str, Any]
    entries: Mapping[str, Entry]
    omitted: tuple[Omission, ...]


def read_manifest(stored: bytes, header: Header, limits: ReadLimits) -> Manifest:
    """The manifest from its zstd frame; Refused when it breaks a rule."""
    where = header.manifest.name
    tree = parse(expand_manifest(stored, limits.manifest, where), limits, where)
    if tree.get("format") != form.FORMAT or tree.get("kind") != header.kind:
        raise form.hostile("the manifest belongs to another bundle", where)
    facts, files, omitted = tree.get("facts"), tree.get("files"), tree.get("omitted")
    if not isinstance(facts, dict) or not isinstance(files, list) or not isinstance(omitted, list):
        raise form.hostile("the manifest has entries of the wrong kind", where)
    entries = _entries(files, len(header.volumes), limits)
    return Manifest(MappingProxyType(facts), MappingProxyType(entries), tuple(map(_omission, omitted)))


def _entries(files: Sequence[Any], volumes: int, limits: ReadLimits) -> dict[str, Entry]:
    names, total = PartNames(limits), 0
    found: dict[str, Entry] = {}
    sizes: dict[str, int] = {}
    for each in files:
        entry = _entry(each, volumes, limits, sizes)
        if fault := names.add(entry.name):
            raise form.hostile("the name {name!r} {fault}", "manifest", name=entry.name[:200], fault=fault)
        total += entry.size
        if total > limits.total:
            raise form.too_much("bytes", limits.total, "manifest")
        found[entry.name] = entry
    return found


def _entry(tree: Any, volumes: int, limits: ReadLimits, sizes: dict[str, int]) -> Entry:
    if not isinstance(tree, dict) or tree.keys() - {"facts"} != _FILE:
        raise form.hostile("a file has other entries than it may have", "manifest")
    name, size, role, facts = tree["name"], tree["size"], tree["role"], tree.get("facts", {})
    if not form.all_fit([name, role], str) or type(size) is not int or not isinstance(facts, dict):
        raise form.hostile("a file has entries of the wrong kind", "manifest")
    if not isinstance(tree["objects"], list):
        raise form.hostile("a file has no list of objects", "manifest")
    refs = tuple(_ref(each, volumes, limits) for each in tree["objects"])
    if any(sizes.setdefault(ref.sha256, ref.size) != ref.size for ref in refs):
        raise form.hostile("an object of {name!r} would have two sizes", "manifest", name=name)
    if sum(ref.size for ref in refs) != size:
        raise form.hostile("{name!r} has another size than its objects", "manifest", name=name)
    return Entry(name, size, role, facts, refs)


def _ref(tree: Any, volumes: int, limits: ReadLimits) -> Ref:
    if not isinstance(tree, list) or len(tree) != 3 or not form.is_digest(tree[0]):
        raise form.hostile("an object is not named by its sha256", "manifest")
    digest, size, volume = tree
    if not form.all_fit([size, volume], int) or not 0 < size <= limits.object:
        raise form.hostile("an object has a wrong size", "manifest")
    if not 0 <= volume < volumes:
        raise form.hostile("an object is in a volume that there is not", "manifest")
    return Ref(digest, size, volume)


def _omission(tree: Any) -> Omission:
    fits = isinstance(tree, dict) and tree.keys() == {"name", "reason", "size"}
    if not fits or not form.all_fit([tree["name"], tree["reason"]], str):
        raise form.hostile("an omission is not described as it must be", "manifest")
    if tree["size"] is not None and type(tree["size"]) is not int:
        raise form.hostile("an omission has a wrong size", "manifest")
    return Omission(**tree)
