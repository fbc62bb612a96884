"""What a delivery holds: definitions with the author's catalogue entries and rules, examples, a letter."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engine.model.clock import Clock
from engine.model.codes.desk import FIX_INVALID, NOT_A_DELIVERY, NOTHING_TO_DO
from engine.model.errors import Invalid, Refused
from engine.model.message import Message
from engine.model.names import sections_of
from engine.model.plain_words import wording
from engine.store.revisions import items
from export_import.container import Bundle, BundleWriter
from export_import.container.form import ReadLimits, zoned
from export_import.container.strict_json import parse
from export_import.fix.fix_content import is_id
from export_import.keys import Keys

FORMAT = "skerry-delivery/1"
CONTENT = "delivery.json"
LARGEST = 64 << 20  # bytes of delivery.json
_KEYS = {"format", "id", "title", "letter", "made_at", "definitions"}
Key = tuple[str, str]  # kind and id


@dataclass(frozen=True, slots=True)
class Delivery:
    """``definitions`` are contents by (kind, id), in the order of the author's files."""

    id: str
    title: str
    letter: str
    made_at: str
    definitions: Mapping[Key, Any] = field(default_factory=dict)


def of_tree(tree: Mapping[str, Any], title: str, letter: str, clock: Clock) -> Delivery:
    """A delivery of the sections of a definition file; Invalid when there are none."""
    found = dict(definitions_in(tree))
    if not found:
        raise Invalid(NOTHING_TO_DO, "there is no definition to deliver")
    made_at = clock.now().isoformat()
    return Delivery(uuid.uuid4().hex, title, letter, made_at, found)


def definitions_in(tree: Mapping[str, Any]) -> Iterable[tuple[Key, Any]]:
    """Everything in the tree of a definition file, by kind and id, as loading it would keep it."""
    if any(not isinstance(rule, Mapping) or "id" not in rule for rule in tree.get("rules") or ()):
        raise Invalid(FIX_INVALID, "a handling rule that comes from outside needs an id")
    return (((item.kind, item.id), item.content) for item in items(tree))


def write_delivery(
    delivery: Delivery,
    path: Path,
    keys: Keys,
    clock: Clock,
    files: Mapping[str, Path] | None = None,
    recipients: Sequence[str] = (),
) -> Path:
    """The signed bundle; ``files`` are examples and handbooks by their names in it."""
    tree = {"format": FORMAT, **asdict(delivery), "definitions": sections_of(delivery.definitions)}
    with BundleWriter(path, kind="delivery", clock=clock, keys=keys, recipients=recipients) as writer:
        writer.add(CONTENT, [json.dumps(tree, ensure_ascii=False, indent=1).encode()], role="delivery")
        for name, file in (files or {}).items():
            writer.add(f"files/{name}", [file.read_bytes()], role="example")
        return writer.finish(delivery=delivery.id, title=delivery.title)


def read_delivery(bundle: Bundle) -> Delivery:
    """Refused when the bundle is no delivery, or not of its form. Only of a verified bundle."""
    if bundle.kind != "delivery" or CONTENT not in bundle.entries:
        raise Refused(NOT_A_DELIVERY, "it is a {kind} bundle", kind=Message.of(bundle.kind))
    if more := sorted(name for name in bundle.entries if name != CONTENT and not name.startswith("files/")):
        raise Refused.at(NOT_A_DELIVERY, "it holds {where!r}, which no delivery does", more[0])
    tree = parse(bundle.read(CONTENT, LARGEST), ReadLimits(), CONTENT)
    texts = [tree.get(name) for name in ("id", "title", "letter", "made_at")]
    if tree.keys() != _KEYS or tree["format"] != FORMAT or not all(type(each) is str for each in texts):
        raise Refused.at(NOT_A_DELIVERY, "{where} is no {format}", CONTENT, format=FORMAT)
    try:
        found = list(definitions_in(tree["definitions"]))
    except (TypeError, AttributeError, Invalid) as problem:
        message = wording(problem, "it has not the form of a delivery")
        raise Refused.at(NOT_A_DELIVERY, "{where}: {message}", CONTENT, message=message) from problem
    definitions = dict(found)
    if len(definitions) < len(found) or not is_id(tree["id"]) or zoned(tree["made_at"]) is None:
        message = Message.of("a definition is there twice, or its id or time is none")
        raise Refused.at(NOT_A_DELIVERY, "{where}: {message}", CONTENT, message=message)
    return Delivery(tree["id"], tree["title"], tree["letter"], tree["made_at"], definitions)
