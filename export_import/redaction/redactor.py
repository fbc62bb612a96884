"""Redaction: one automaton finds secrets, patterns and names; what it finds is masked or renamed."""

from __future__ import annotations

import hmac
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from engine.context.line import seal
from engine.model.codes import bundles as codes
from engine.model.errors import Refused, SkerryError
from engine.secrets.mask_stream import SHORTEST
from engine.secrets.vault import Vault
from export_import.collecting import Form
from export_import.keys import Keys
from export_import.redaction.forms import forms_of
from export_import.redaction.inventory import Inventory, inventory_of
from export_import.redaction.patterns import IPV4, IPV6, MAC, MAIL, MASK, SECRETS, Pattern, address_kind
from export_import.redaction.pseudonyms import Pseudonyms
from export_import.redaction.windows import through
from export_import.site import Site

VERSION = 1  # of the rules; a change makes an earlier, broken-off export useless
# Fields of rows and context lines that are ids or words of our own; only secrets are taken out of them.
_OWN_FIELDS = frozenset(
    {
        "id",
        "task",
        "job",
        "node",
        "status",
        "trigger",
        "type",
        "directory",
        "kind",
        "path",
        "level",
        "stage",
        "sum",
    }
)
_OPENERS = ("SKERRY_PASSPHRASE",)
_MEMORY = 64 << 20


class Redactor:
    """Takes out what must not leave. Without names and secrets (``redact=False``) it changes nothing."""

    def __init__(
        self, secrets: frozenset[str], names: Inventory | None, pseudonyms: Pseudonyms | None
    ) -> None:
        self.secrets = secrets
        self._pseudonyms = pseudonyms
        self._short_hosts = names.short if names else frozenset()
        self._short = {each for each in secrets if len(each) < SHORTEST}
        self._forms = forms_of(secrets)
        self._names = _kinds(names) if names else {}
        self._rules = dict(_compiled()) if names else {}
        self._find = _automaton(self._forms, self._names, SECRETS if names else ())
        self._inner = _automaton(self._forms, self._names, ())
        self._overlap = max(32 << 10, 2 * max(map(len, self._forms), default=0)) if self._find else 0
        self._hits: Counter[str] = Counter()
        self.mark = ""

    def over(self, form: Form, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The content of a file without what must not leave."""
        if self._find is None:
            yield from pieces
        elif form == "bytes":
            yield from through(pieces, self._find, self._replaced, self._overlap)
        elif form == "json":
            yield self._json(b"".join(pieces))
        else:
            yield from map(self._line, _lines(pieces))

    def taken(self) -> dict[str, int]:
        """How often each rule has acted since it was last asked."""
        found, self._hits = dict(self._hits), Counter()
        return found

    def text(self, text: str) -> str:
        """A single text."""
        if self._find is None:
            return text
        if text in self._short:
            return self._masked().decode()
        if text.lower() in self._short_hosts:
            return self._renamed("host", text.lower())
        data = text.encode("utf-8", "surrogatepass")
        if self._find.search(data) is None:
            return text
        done = b"".join(through([data], self._find, self._replaced, self._overlap))
        return done.decode("utf-8", "surrogatepass")

    def name(self, name: str) -> str:
        """The name of a file: only secrets are taken out of it."""
        data = name.encode("utf-8", "surrogateescape")
        for form in self._forms if any(form in data for form in self._forms) else ():
            data = data.replace(form, b"XXXXXX")
        return data.decode("utf-8", "surrogateescape")

    def tree(self, tree: Any, field: str = "") -> Any:
        """A JSON tree; keys keep their names, unless they are secrets."""
        if isinstance(tree, str):
            return self.name(tree) if field in _OWN_FIELDS else self.text(tree)
        if isinstance(tree, Mapping):
            return {self.name(key): self.tree(value, key) for key, value in tree.items()}
        if isinstance(tree, (list, tuple)):
            return [self.tree(each, field) for each in tree]
        is_number = type(tree) in (int, float) and field not in ("id", "seq", "run", "instance")
        return self._masked().decode() if is_number and json.dumps(tree) in self.secrets else tree

    def facts(self, counts: Mapping[str, int]) -> dict[str, Any]:
        """What the manifest tells of the redaction: never what was looked for."""
        on = self._find is not None
        return {
            "done": on,
            "rules": VERSION if on else None,
            "secrets": len(self.secrets),
            "counts": dict(counts),
        }

    def save(self) -> None:
        """Keep the pseudonyms that were given."""
        if self._pseudonyms is not None:
            self._pseudonyms.save()

    def _json(self, data: bytes) -> bytes:
        """A whole JSON file; byte for byte as it was when there is nothing to take out."""
        if self._find.search(data) is None and not self._has_whole(data):
            return data
        try:
            tree = json.loads(data)
        except (ValueError, RecursionError):
            return b"".join(through([data], self._find, self._replaced, self._overlap))
        done = json.dumps(self.tree(tree), ensure_ascii=False, separators=(",", ":"))
        return done.encode("utf-8", "surrogatepass") + (b"\n" if data.endswith(b"\n") else b"")

    def _line(self, line: bytes) -> bytes:
        """A line of a context log, with a sum of its own where it was changed."""
        if self._find.search(line) is None and not self._has_whole(line):
            return line
        try:
            record = json.loads(line)
            record.pop("sum")
        except (ValueError, KeyError, AttributeError, RecursionError):
            return b"".join(through([line], self._find, self._replaced, self._overlap))
        done = json.dumps(self.tree(record), ensure_ascii=False, separators=(",", ":"))
        return seal(done[:-1]).encode("utf-8", "surrogatepass") + b"\n"

    def _masked(self) -> bytes:
        self._hits["secret"] += 1
        return MASK

    def _replaced(self, found: bytes) -> bytes:
        """What stands in the place of something that the automaton found."""
        if found in self._forms:
            return self._masked()
        lower = found.lower()
        kind = self._names.get(lower) or self._names.get(found)
        if kind is None and (kind := address_kind(found)) is None:
            return self._by_pattern(found)
        name = found if kind == "user" else lower
        return self._renamed(kind, name.decode("utf-8", "replace")).encode()

    def _renamed(self, kind: str, name: str) -> str:
        assert self._pseudonyms is not None
        self._hits[kind] += 1
        return self._pseudonyms.of(kind, name)

    def _has_whole(self, data: bytes) -> bool:
        """Whether a value may be a short secret or a short host as a whole."""
        if self._short:
            return True
        return any(f'"{each}"'.encode() in data.lower() for each in self._short_hosts)

    def _by_pattern(self, found: bytes) -> bytes:
        for name, (rule, replaced) in self._rules.items():
            if rule.fullmatch(found):
                done = replaced(found)
                if done is not None:
                    self._hits[name] += 1
                    return self._again(done)
        return self._again(found)

    def _again(self, data: bytes) -> bytes:
        """What a pattern left standing may still hold a secret or a name."""
        if self._inner is None or self._inner.search(data) is None:
            return data
        return b"".join(through([data], self._inner, self._replaced_inside, 0))

    def _replaced_inside(self, found: bytes) -> bytes:
        return self._replaced(found) if found in self._forms or found.lower() in self._names else found


def redactor_for(site: Site, keys: Keys, vault: Vault | None, wanted: bool) -> Redactor:
    """The redactor of a site; Refused when its secrets cannot be read."""
    if not wanted:
        return Redactor(frozenset(), None, None)
    secrets = frozenset(_secrets(vault or Vault(site.workspace.secret_file, os.environ)))
    names = inventory_of(site)
    redactor = Redactor(secrets, names, Pseudonyms(keys))
    told = [VERSION, sorted(secrets), sorted(names.hosts | names.domains), sorted(names.users)]
    redactor.mark = hmac.new(keys.site_secret, json.dumps(told).encode(), "sha256").hexdigest()
    return redactor


def _secrets(vault: Vault) -> Iterator[str]:
    try:
        for name in vault.names():
            yield vault.get(name)
    except SkerryError as error:
        raise Refused(codes.SECRETS_CLOSED, f"the secrets cannot be read: {error.message}") from error
    yield from (os.environ[name] for name in _OPENERS if os.environ.get(name))


def _kinds(names: Inventory) -> dict[bytes, str]:
    found = {each.encode(): "user" for each in names.users}
    found |= {each.encode(): "domain" for each in names.domains}
    return found | {each.encode(): "host" for each in names.hosts}


def _compiled() -> Iterator[tuple[str, tuple[Any, Any]]]:
    import re2

    for each in SECRETS:
        yield each.name, (re2.compile(each.finds, _options()), each.replaced)


def _options() -> Any:
    import re2

    options = re2.Options()
    options.max_mem = _MEMORY
    options.never_capture = True
    options.encoding = re2.Options.Encoding.LATIN1  # bytes as they come, valid text or not
    options.dot_nl = True
    return options


def _automaton(forms: Iterable[bytes], names: Mapping[bytes, str], patterns: Iterable[Pattern]) -> Any:
    """One expression for everything, what is surest first; None when there is nothing to look for."""
    import re2

    looks = [each.finds for each in patterns]
    parts = [re2.escape(each) for each in sorted(forms, key=lambda form: (-len(form), form))]
    parts += [*looks, MAIL] if looks else []
    for fold, users in ((b"(?i:", False), (b"(?:", True)):
        wanted = [name for name, kind in names.items() if (kind == "user") is users]
        if wanted:
            longest_first = sorted(wanted, key=lambda name: (-len(name), name))
            parts.append(rb"\b" + fold + b"|".join(map(re2.escape, longest_first)) + rb")\b")
    parts += [MAC, IPV6, IPV4] if looks else []
    return re2.compile(b"|".join(parts), _options()) if parts else None


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Whole lines with their ends, and what follows the last."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from (line + b"\n" for line in lines)
    if rest:
        yield rest
