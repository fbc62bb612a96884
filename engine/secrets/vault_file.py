"""The secret file: its format, and writing it so that the old one or the new one is there, never less."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Any, NamedTuple

from engine.model.codes import secrets as codes
from engine.model.disk import read_file, sync_path
from engine.model.errors import Refused, SkerryError
from engine.secrets.sealing import Sealed, as_bytes, as_text

FORMAT = 2  # 1 had neither a counter nor a seal


class KeySlot(NamedTuple):
    """One way in: the vault's key, sealed with what a passphrase or key file gives."""

    kind: str
    salt: bytes
    key: Sealed


class Record(NamedTuple):
    """One secret. ``version`` counts its values; label and version are part of the seal."""

    version: int
    value: Sealed


@dataclass(frozen=True)
class Content:
    """What the file holds. Names are readable without a key, values are not.

    ``counter`` grows with every change, ``seal`` is over all the rest; 0 and None: format 1, not sealed.
    """

    key_id: str
    slots: tuple[KeySlot, ...]
    records: Mapping[str, Record] = field(default_factory=dict)
    counter: int = 0
    seal: Sealed | None = None

    def dump(self) -> bytes:
        tree = self._tree() | {"seal": self.seal.as_json() if self.seal else None}
        return json.dumps(tree, indent=1).encode() + b"\n"

    def sealed_text(self) -> str:
        """What the seal is over: everything else, in order."""
        return json.dumps(self._tree())

    def _tree(self) -> dict[str, Any]:
        slots = [{"kind": s.kind, "salt": as_text(s.salt), "key": s.key.as_json()} for s in self.slots]
        records = {n: {"version": r.version, "value": r.value.as_json()} for n, r in self.records.items()}
        head = {"skerry_secrets": FORMAT, "key_id": self.key_id, "counter": self.counter}
        return head | {"slots": slots, "records": records}


def read(path: Path) -> Content | None:
    """The content of the file, None when there is none; coded errors when it is not ours."""
    try:
        data = read_file(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SkerryError.at(codes.VAULT_DAMAGED, "{where}: {error}", path, error=error.strerror) from error
    return parse(data, path)


def parse(data: bytes, path: Path) -> Content:
    """The content of bytes that ``dump`` made."""
    try:
        tree = json.loads(data)
        version = tree["skerry_secrets"]
        if isinstance(version, int) and version > FORMAT:
            raise Refused.at(codes.VAULT_NEWER, "{where} has format {version}", path, version=version)
        return _content(tree)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise SkerryError.at(codes.VAULT_DAMAGED, "{where} is not a secret file", path) from error


def _content(tree: Mapping[str, Any]) -> Content:
    slots = tuple(
        KeySlot(str(s["kind"]), as_bytes(s["salt"]), Sealed.of_json(s["key"])) for s in tree["slots"]
    )
    records = {n: Record(int(r["version"]), Sealed.of_json(r["value"])) for n, r in tree["records"].items()}
    content = Content(str(tree["key_id"]), slots, records)
    if tree["skerry_secrets"] != FORMAT:
        return content
    return replace(content, counter=int(tree["counter"]), seal=Sealed.of_json(tree["seal"]))


def mark_of(path: Path) -> Path:
    """The file beside it that says which change was the last."""
    return path.with_name(f"{path.name}.known")


def last_known(path: Path) -> int | None:
    """The counter of the last change that was made here; None when nothing says it."""
    try:
        return int(read_file(mark_of(path)))
    except (OSError, ValueError):
        return None


def write(path: Path, content: Content, test: Callable[[Content], None]) -> None:
    """Replace the file; what was written is read back and given to ``test`` before it counts.

    The mark comes after it: a cut between them leaves a file that is newer than its mark, never an older
    one. Before the first change the mark is 0, so that a file of this format is never without one.
    """
    mark = mark_of(path)
    try:
        if last_known(path) is None:
            with _draft(mark, b"0\n") as first:
                _put(first, mark)
        with _draft(path, content.dump()) as draft, _draft(mark, b"%d\n" % content.counter) as marked:
            test(parse(draft.read_bytes(), draft))
            _put(draft, path)
            _put(marked, mark)
    except OSError as error:
        raise SkerryError.at(codes.VAULT_UNWRITTEN, "{where}: {error}", path, error=error.strerror) from error


@contextmanager
def _draft(path: Path, data: bytes) -> Iterator[Path]:
    """A durable file that may take the place of ``path``; gone afterwards otherwise."""
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(descriptor)
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def _put(draft: Path, path: Path) -> None:
    os.replace(draft, path)
    sync_path(path.parent)


@contextmanager
def only_writer(path: Path) -> Iterator[None]:
    """One process at a time changes the file."""
    try:
        descriptor = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise SkerryError.at(codes.VAULT_UNWRITTEN, "{where}: {error}", path, error=error.strerror) from error
    try:
        flock(descriptor, LOCK_EX)
        yield
    finally:
        os.close(descriptor)
