"""Fixes and deliveries as the engine takes them: verified here, whoever asks, and only as they were shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.api.amending import document_of
from engine.model.codes.desk import FIX_INVALID
from engine.model.errors import Invalid

if TYPE_CHECKING:
    from engine.api.documents import Document
    from engine.model.clock import Clock
    from engine.runtime.interventions.amendment import Amendment
    from engine.secrets.vault import Vault
    from engine.store.port import Store
    from export_import.delivery.importing import Arrival, Decisions
    from export_import.fix.effects import Effect

_KINDS = ("resource", "job", "task", "rule", "error")


class Packages:
    """See ``engine.runtime.interventions.amendment.Packages``: of the workspace in ``root``."""

    def __init__(self, root: Path, clock: Clock, vault: Vault | None) -> None:
        self._root, self._clock, self._vault = root, clock, vault

    def verified(self, package: Mapping[str, Any], store: Store) -> tuple[Amendment, str]:
        """What a package asks for, and the hash of what a person is shown of it. Refused: see its checks."""
        from export_import.keys import Keys

        keys, paths = Keys(self._root, self._clock), _paths(package)
        if package.get("kind") == "fix":
            from export_import.fix.checking import amendment_for, open_fix

            amendment = amendment_for(
                open_fix(paths, keys, self._clock), keys, store, self._clock, self._vault
            )
            return amendment, fix_seen(amendment, store)
        from export_import.delivery.importing import amendment_of, arrival, known_here, open_delivery

        decisions = decisions_of(package.get("decisions") or {})
        bundle = open_delivery(paths, keys, self._clock)
        found = arrival(
            bundle, store, decisions, known_here(self._vault), now=self._clock.now(),
            key=keys.trusted_key(bundle.signer or ""), paths=paths,
        )  # fmt: skip
        return amendment_of(found, decisions), found.seen


def fix_package(paths: list[Path], seen: str | None = None) -> Document:
    """A fix as the service takes it."""
    return {"kind": "fix", "paths": [str(each.absolute()) for each in paths], "seen": seen}


def delivery_package(paths: list[Path], decisions: Decisions, seen: str | None = None) -> Document:
    """A delivery as the service takes it, with what was decided."""
    told = {
        "take": [list(key) for key in decisions.take],
        "keep": [list(key) for key in decisions.keep],
        "rename": [[*key, id] for key, id in decisions.rename.items()],
        "names": [[*name, here] for name, here in decisions.names.items()],
        "allow_missing": decisions.allow_missing,
        "allow_older": decisions.allow_older,
    }
    return {**fix_package(paths, seen), "kind": "delivery", "decisions": told}


def decisions_of(tree: Mapping[str, Any]) -> Decisions:
    """The decisions of a document; Invalid when it has not their form."""
    from export_import.delivery.importing import Decisions

    try:
        take, keep = ({(str(kind), str(id)) for kind, id in tree.get(name, ())} for name in ("take", "keep"))
        rename, names = (
            {(str(kind), str(id)): str(new) for kind, id, new in tree.get(name, ())}
            for name in ("rename", "names")
        )
        missing, older = (tree.get(name, False) is True for name in ("allow_missing", "allow_older"))
    except (TypeError, ValueError, AttributeError) as problem:
        raise Invalid(FIX_INVALID, "these are no decisions") from problem
    return Decisions(take, keep, rename, names, missing, older)


def fix_seen(amendment: Amendment, store: Store) -> str:
    """The hash of what is shown of a fix: what it changes, does and reaches, and what stands here."""
    from export_import.fix.effects import effects_of

    return _hash(document_of(amendment), effects_of(amendment, store), store)


def delivery_seen(found: Arrival, effects: tuple[Effect, ...], store: Store) -> str:
    """The hash of what is shown of a delivery, with what was decided and what lies in its files."""
    shown = {
        "delivery": [found.delivery.id, found.delivery.title, found.delivery.letter, found.signer],
        "definitions": [asdict(each) for each in found.definitions],
        "open": [list(map(list, found.conflicts)), [asdict(each) for each in found.missing],
                 list(map(list, found.newer))],
        "files": [[name, [ref.sha256 for ref in found.bundle.entries[name].objects]] for name in found.files],
    }  # fmt: skip
    return _hash(shown, effects, store)


def _hash(shown: Any, effects: tuple[Effect, ...], store: Store) -> str:
    from export_import.container.form import canonical

    rows = (row for kind in _KINDS for row in store.definitions(kind))
    state = [[row.kind, row.id, row.hash, row.state] for row in rows]
    told = {"shown": shown, "effects": [asdict(each) for each in effects], "state": state}
    return sha256(canonical(told)).hexdigest()


def _paths(package: Mapping[str, Any]) -> list[Path]:
    paths, kind = package.get("paths"), package.get("kind")
    fits = (
        isinstance(paths, list) and paths and all(isinstance(each, str) and each[:1] == "/" for each in paths)
    )
    if not fits or kind not in ("fix", "delivery"):
        raise Invalid(FIX_INVALID, "a package is a fix or a delivery, by the whole paths of its parts")
    assert isinstance(paths, list)
    return [Path(each) for each in paths]
