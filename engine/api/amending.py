"""Fixes and deliveries as a service: applied as a whole, listed, taken back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from engine.api.documents import SECTIONS, Document
from engine.api.no_engine import refuse
from engine.api.once import Once
from engine.context import MISSING
from engine.model.codes.desk import FIX_INVALID, NOT_AS_SHOWN
from engine.model.errors import Refused

if TYPE_CHECKING:
    from engine.api.documents import Source
    from engine.model.definitions import Definitions
    from engine.runtime.engine import Engine
    from engine.runtime.interventions.amendment import Amendment
    from engine.store.port import Store

_SECTIONS = {**SECTIONS, "error": "errors"}


class AmendingService(Protocol):
    """What comes from outside; the engine verifies it itself.

    See :class:`engine.runtime.interventions.amendment.Packages`.
    """

    def amend(self, package: Document, dry_run: bool = False) -> Document:
        """Apply a package in one transaction, give its record; ``dry_run``: only whether it could be.

        ``package``: ``kind`` (fix, delivery), ``paths``, ``decisions`` of a delivery, and ``seen``: the hash
        of what was shown. Without it, or with another one, it is Refused, as when it does not fit.
        """

    def take_back(self, amendment: str, reason: str) -> Document:
        """Restore what it changed; its record as it stands then."""

    def amendments(self) -> list[Document]:
        """The records of all that was applied here, the first one first."""


class AmendingReader:
    """Of whoever has the store."""

    _store: Store

    def amendments(self) -> list[Document]:
        """See ``AmendingService``."""
        from engine.runtime.interventions.amending import records

        return records(self._store)


class ClosedAmending(AmendingReader):
    """While no engine runs."""

    def amend(self, package: Document, dry_run: bool = False) -> Document:
        """Refused."""
        refuse("apply it")

    def take_back(self, amendment: str, reason: str) -> Document:
        """Refused."""
        refuse("take it back")


class LocalAmending(AmendingReader, Once):
    """Of an engine in this process."""

    _engine: Engine
    _actor: str
    _read: Callable[[list[Source], Any], Definitions]
    _standing: Callable[[str, str], Any]

    def amend(self, package: Document, dry_run: bool = False) -> Document:
        """See ``AmendingService``; Invalid with every finding when its definitions are not valid here."""
        act = partial(self._amend, package, dry_run)
        return act() if dry_run else self._once(["amend", package], act)

    def _amend(self, package: Document, dry_run: bool) -> Document:
        if self._engine.packages is None:
            raise Refused(FIX_INVALID, "this engine was made without what verifies packages")
        amendment, seen = self._engine.packages.verified(package, self._store)
        if not dry_run and package.get("seen") != seen:
            raise Refused(NOT_AS_SHOWN, f"what would be applied now has the hash {seen}", where=amendment.id)
        return self.amend_verified(amendment, dry_run)

    def amend_verified(self, amendment: Amendment, dry_run: bool = False) -> Document:
        """The same of an amendment that somebody in this process has verified."""
        from engine.runtime.interventions.amending import verify

        verify(self._engine.control, amendment)
        self._examine(amendment)
        if dry_run:
            return {"id": amendment.id, "kind": amendment.kind, "applied_at": None}
        return self._engine.amend(amendment, self._actor)

    def take_back(self, amendment: str, reason: str) -> Document:
        """See ``AmendingService``."""
        act = partial(self._engine.take_back, amendment, reason, self._actor)
        return self._once(["take back", amendment, reason], act)

    def _examine(self, amendment: Amendment) -> None:
        """The definitions as a file of their own, with what stands around them."""
        from engine.api.lifecycle import check_online
        from engine.definitions.writer import dump

        tree = sections_of({(new.kind, new.id): new.content for new in amendment.definitions})
        if tree:
            self._read([{"name": amendment.kind, "text": dump({"skerry": 1, **tree})}], self._standing)
        for id, content in tree.get("tasks", {}).items():
            row = self._store.definition("task", id)
            if row is not None:
                check_online(id, row.state, row.content or {}, content)


class AmendingClient:
    """Of an engine in another process."""

    _ask: Callable[..., Document]
    _list: Callable[..., list[Any]]

    def amend(self, package: Document, dry_run: bool = False) -> Document:
        """See ``AmendingService``."""
        body = {"package": package, "dry_run": dry_run}
        return self._ask("POST", "/v1/amendments", body=body, patience=None)

    def take_back(self, amendment: str, reason: str) -> Document:
        """See ``AmendingService``."""
        body = {"id": amendment, "reason": reason}
        return self._ask("POST", "/v1/amendments/take-back", body=body, patience=None)

    def amendments(self) -> list[Document]:
        """See ``AmendingService``."""
        return self._list("GET", "/v1/amendments")


def sections_of(contents: Mapping[tuple[str, str], Any]) -> dict[str, Any]:
    """The tree of a definition file from contents by (kind, id)."""
    tree: dict[str, Any] = {}
    for (kind, id), content in contents.items():
        if kind == "rule":
            tree.setdefault("rules", []).append(content)
        else:
            tree.setdefault(_SECTIONS[kind], {})[id] = content
    return tree


def document_of(amendment: Amendment) -> Document:
    """The amendment as JSON; a missing ``old`` is left out."""
    tree = asdict(amendment)
    for each, told in zip(amendment.values, tree["values"], strict=True):
        if each.old is MISSING:
            del told["old"]
    return {**tree, "origin": dict(amendment.origin or {})}
