"""Redaction of files, texts and trees: known secrets are masked, names are replaced by pseudonyms."""

from __future__ import annotations

import hmac
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import re2

from engine.context.line import seal
from engine.model.codes import bundles as codes
from engine.model.errors import Refused, SkerryError
from engine.secrets.spellings import SHORTEST
from engine.secrets.vault import Vault
from export_import.collecting import Form
from export_import.container.pieces import Bytes
from export_import.export_source import Site
from export_import.keys import Keys
from export_import.redaction.appearances import Looks
from export_import.redaction.inventory import Inventory, inventory_of
from export_import.redaction.own_words import is_own_word
from export_import.redaction.pseudonyms import Pseudonyms
from export_import.redaction.rule import MASK
from export_import.redaction.secret_names import SecretNames
from export_import.redaction.stored_secrets import StoredSecretMask
from export_import.redaction.trees import Trees
from export_import.redaction.windows import Finder, both, replaced, through
from export_import.redaction.worker_names import WorkerNames, WorkerPlaces, field_of

VERSION = 5  # of the rules; where their outcome changes, an earlier, broken-off export is not gone on with
# Fields of rows and context lines that are ids or words of our own; only secrets are taken out of them.
_OWN_FIELDS = frozenset({
    "id", "task", "job", "node", "status", "trigger", "type", "directory", "kind", "path", "level",
    "stage", "sum",
})  # fmt: skip
_SMALL = 1 << 20  # bytes of a file that is read as a whole if it may be JSON
_ESCAPES = ((b"\\n", b"\n"), (b"\\t", b"\t"), (b"\\r", b"\r"), (b"\\/", b"/"))
_LINE = 128  # bytes of a file that may be one name
_OPENERS = ("SKERRY_PASSPHRASE",)
_OWN_NUMBERS = {"id", "seq", "run", "instance", "job_instance", "parent", "attempt"}


class Redactor:
    """Takes out what must not leave. Without names and secrets (``redact=False``) it changes nothing.

    First the known secrets go, then what looks like one, and the names of hosts, users and addresses.
    """

    def __init__(
        self,
        secrets: frozenset[str],
        names: Inventory | None,
        pseudonyms: Pseudonyms | None,
        further: Iterable[str] = (),
    ) -> None:
        self.secrets = secrets
        self.mark = ""
        self._pseudonyms = pseudonyms
        self._short = {each for each in secrets if len(each) < SHORTEST or is_own_word(each)}
        self._short_hosts = names.short if names else frozenset()
        self._stored = StoredSecretMask(self.sought, self._masked)
        secret_names = SecretNames(further)
        self._looks = Looks(names, secret_names, self._renamed, self._counted) if names else None
        self._trees = Trees(secret_names, self._under_a_name, self._spoken)
        self._workers = WorkerPlaces(names.workers if names else WorkerNames(), self._worker)
        self._finds: Finder = both(self._known, self._looks) if self._looks else self._stored
        self._hits: Counter[str] = Counter()

    @property
    def sought(self) -> frozenset[str]:
        """The secrets that must not be anywhere in it; the others are masked as whole values only."""
        return self.secrets - self._short

    @property
    def redacts(self) -> bool:
        return self._looks is not None

    def over(self, form: Form, pieces: Iterable[bytes], skip: int = 0) -> Iterator[Bytes]:
        """The content of a file without what must not leave; of bytes from ``skip`` on."""
        if self._looks is None:
            yield from pieces
        elif form == "bytes":
            rest = iter(pieces)
            begun = b"" if skip else _begun(rest)
            if _is_json(begun):
                yield self._json(begun, foreign=True)
                return
            if len(begun) <= _LINE and (shown := self._whole(begun.decode("utf-8", "replace").strip())):
                begun = shown.encode() + begun[len(begun.rstrip()) :]
            overlap = max(Looks.OVERLAP, self._stored.longest)
            yield from through(chain((begun,), rest), self._finds, overlap, self._looks.before, skip)
        elif form == "json":
            yield self._json(b"".join(pieces))
        else:
            yield from map(self._line, _lines(pieces))

    def taken(self) -> dict[str, int]:
        """How often each rule has acted since it was last asked."""
        hits, self._hits = dict(self._hits), Counter()
        return hits

    def text(self, text: str, field: str = "") -> str:
        if self._looks is None:
            return text
        if (shown := self._whole(text, field)) is not None:
            return shown
        data = text.encode("utf-8", "surrogatepass")
        done = self._json(data, foreign=True) if _may_be_json(data) else replaced(data, self._finds)
        return text if done is data else done.decode("utf-8", "surrogatepass")

    def _whole(self, text: str, field: str = "") -> str | None:
        """What stands for a text that is as a whole a secret or a name; None where it is none."""
        if text in self._short:
            return self._masked().decode()
        if (shown := self._workers.value(text, field)) is not None:
            return shown
        return self._renamed("host", text.lower()) if text.lower() in self._short_hosts else None

    def name(self, name: str) -> str:
        """The name of a file or an id: secrets are taken out of it, and names of workers."""
        data = name.encode("utf-8", "surrogateescape")
        done = replaced(data, both(self._secrets, self._workers) if self._workers else self._secrets)
        return name if done is data else done.replace(MASK, b"XXXXXX").decode("utf-8", "surrogateescape")

    def tree(self, tree: Any) -> Any:
        """A JSON tree; keys keep their names, unless they are secrets."""
        return tree if self._looks is None else self._tree(self._trees.masked(tree))

    def _tree(self, tree: Any, field: str = "") -> Any:
        if isinstance(tree, str):
            return self.name(tree) if field in _OWN_FIELDS else self.text(tree, field)
        if isinstance(tree, Mapping):
            return {
                self._workers.key(key, field) or self.name(key): self._tree(value, field_of(tree, key, field))
                for key, value in tree.items()
            }
        if isinstance(tree, (list, tuple)):
            return [self._tree(each, field) for each in tree]
        is_number = type(tree) in (int, float) and field not in _OWN_NUMBERS
        return self._masked().decode() if is_number and json.dumps(tree) in self.secrets else tree

    def _foreign(self, tree: Any) -> Any:
        """A tree of which nothing is known: any key or number may be a name or hold a secret."""
        if isinstance(tree, str):
            return self.text(tree)
        if isinstance(tree, Mapping):
            return {self.text(key): self._foreign(value) for key, value in tree.items()}
        if isinstance(tree, list):
            return [self._foreign(each) for each in tree]
        is_number = tree is not None and not isinstance(tree, bool)
        return MASK.decode() if is_number and self.text(digits := json.dumps(tree)) != digits else tree

    def facts(self, counts: Mapping[str, int]) -> dict[str, Any]:
        """The manifest's facts about the redaction, never what was searched for."""
        rules = VERSION if self.redacts else None
        return {"done": self.redacts, "rules": rules, "secrets": len(self.secrets), "counts": dict(counts)}

    def rest(self) -> None:
        """Nothing more is to be redacted: free the memory of what finds it."""
        self._finds = self._stored = StoredSecretMask((), self._masked)
        self._workers = WorkerPlaces(WorkerNames(), self._worker)
        self._looks = None
        re2.purge()  # it keeps its automata otherwise, and with them the beginnings of secrets

    def save(self) -> None:
        if self._pseudonyms is not None:
            self._pseudonyms.save()

    @property
    def _known(self) -> Finder:
        """Known secrets and names of workers."""
        return both(self._stored, self._workers) if self._workers else self._stored

    @property
    def _secrets(self) -> Finder:
        """Known secrets and what looks like one; no names of hosts and users."""
        return both(self._stored, self._looks.secrets) if self._looks else self._stored

    def _json(self, data: bytes, foreign: bool = False) -> bytes:
        """A whole JSON text, ours or not; byte for byte as it was when there is nothing to take out."""
        if self._is_clean(data):
            return data
        try:
            tree, exact = _parsed(data)
        except (ValueError, RecursionError):
            return replaced(data, self._finds)
        masked = self._foreign(self._trees.masked(tree)) if foreign else self.tree(tree)
        if exact and masked == tree:
            return data
        style: dict[str, Any] = {"indent": 2} if b"\n" in data.strip() else {"separators": (",", ":")}
        done = json.dumps(masked, ensure_ascii=False, **style)
        return done.encode("utf-8", "surrogatepass") + (b"\n" if data.endswith(b"\n") else b"")

    def _line(self, line: bytes) -> bytes:
        """A line of a context log, with a sum of its own where it was changed."""
        if self._is_clean(line):
            return line
        try:
            record = json.loads(line)
            record.pop("sum")
        except (ValueError, KeyError, AttributeError, RecursionError):
            return replaced(line, self._finds)
        done = json.dumps(self.tree(record), ensure_ascii=False, separators=(",", ":"))
        return seal(done[:-1]).encode("utf-8", "surrogatepass") + b"\n"

    def _is_clean(self, data: bytes) -> bool:
        """Whether nothing in it can be anything to take out, escaped or not; finds are not counted."""
        if self._short or any(f'"{each}"'.encode() in data.lower() for each in self._short_hosts):
            return False
        if self._workers.is_hidden(data) or (self._looks is not None and self._looks.mentioned(data)):
            return False
        texts = _texts(data)
        before = self._hits.copy()
        clean = texts is not None and replaced(texts, self._finds) is texts
        self._hits = before
        return clean

    def _spoken(self, text: str) -> str:
        return replaced(text.encode("utf-8", "surrogatepass"), self._secrets).decode("utf-8", "surrogatepass")

    def _masked(self) -> bytes:
        self._hits["secret"] += 1
        return MASK

    def _under_a_name(self, _name: str) -> str:
        self._counted("named")
        return MASK.decode()

    def _counted(self, rule: str) -> None:
        self._hits[rule] += 1

    def _worker(self, name: str) -> str:
        return self._renamed("worker", name)

    def _renamed(self, kind: str, name: str) -> str:
        assert self._pseudonyms is not None
        self._hits[kind] += 1
        return self._pseudonyms.of(kind, name)


def redactor_for(site: Site, keys: Keys, vault: Vault | None, redact: bool) -> Redactor:
    """The redactor of a site; Refused when its secrets cannot be read."""
    if not redact:
        return Redactor(frozenset(), None, None)
    secrets = frozenset(_secrets(vault or Vault(site.workspace.secret_file, os.environ)))
    names = inventory_of(site)
    further = sorted(site.workspace.settings.secret_names)
    redactor = Redactor(secrets, names, Pseudonyms(keys), further)
    inputs = [VERSION, sorted(secrets), sorted(names.hosts | names.domains), sorted(names.users), further,
              sorted(names.workers.all)]  # fmt: skip
    redactor.mark = hmac.new(keys.site_secret, json.dumps(inputs).encode(), "sha256").hexdigest()
    return redactor


def _secrets(vault: Vault) -> Iterator[str]:
    try:
        names = vault.names()
        if not names and vault.exists:
            vault.check()  # reading one checks the file: an emptied one must not pass for one without secrets
        for name in names:
            yield vault.get(name)
    except SkerryError as error:
        template = "the secrets cannot be read: {message}"
        raise Refused(codes.SECRETS_CLOSED, template, message=error.message) from error
    yield from (os.environ[name] for name in _OPENERS if os.environ.get(name))


def _parsed(data: bytes) -> tuple[Any, bool]:
    """A document, and whether it says all that the bytes say: of a key that is there twice only the last."""
    exact = True

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal exact
        tree = dict(pairs)
        exact = exact and len(tree) == len(pairs)
        return tree

    return json.loads(data, object_pairs_hook=members), exact


def _begun(pieces: Iterator[bytes]) -> bytes:
    """The whole file if it is small and may be JSON, else what it begins with."""
    data = next(pieces, b"")
    while _may_be_json(data) and (piece := next(pieces, None)) is not None:
        data += piece
    return data


def _is_json(data: bytes) -> bool:
    if not _may_be_json(data):
        return False
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def _may_be_json(data: bytes) -> bool:
    return len(data) <= _SMALL and data.lstrip()[:1] in (b"{", b"[")


def _texts(data: bytes) -> bytes | None:
    """The JSON, then what its strings say, each in lines of its own: a rule may ask for the beginning of one.

    None where that takes parsing: rare escapes, and backslashes, behind which there may be JSON within JSON.
    """
    plain = data.replace(b'\\"', b"\0").replace(b'"', b"\n")  # JSON has no NUL
    for escape, meant in _ESCAPES:
        plain = plain.replace(escape, meant)
    if b"\\" in plain:
        return None
    inner = (plain.replace(b"\0", b'"'), plain.replace(b"\0", b"\n")) if b"\0" in plain else (plain,)
    return b"\n".join((data, *inner))


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Whole lines with their ends, and what follows the last."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from (line + b"\n" for line in lines)
    if rest:
        yield rest
