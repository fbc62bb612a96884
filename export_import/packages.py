"""Fixes and deliveries as the engine takes them: verified here, whoever asks, and only as they were shown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.model.clock import Clock
from engine.model.codes.desk import FIX_INVALID
from engine.model.errors import Invalid
from engine.runtime.interventions.amendment import Amendment
from engine.secrets.vault import Vault
from engine.store.sql_store import Store
from export_import.delivery.decisions import decisions_of
from export_import.delivery.importing import amendment_of, arrival, known_here, open_delivery
from export_import.fix.checking import amendment_for, open_fix
from export_import.fix.preview import fix_seen
from export_import.keys import Keys


def verified(
    package: Mapping[str, Any], store: Store, root: Path, clock: Clock, vault: Vault | None
) -> tuple[Amendment, str]:
    """What a package asks for, and the hash of what a person is shown of it. Refused: see its checks."""
    keys, paths = Keys(root, clock), _paths(package)
    if package.get("kind") == "fix":
        amendment = amendment_for(open_fix(paths, keys, clock), keys, store, clock, vault)
        return amendment, fix_seen(amendment, store)
    decisions = decisions_of(package.get("decisions") or {})
    bundle = open_delivery(paths, keys, clock)
    found = arrival(
        bundle, store, decisions, known_here(vault, store), now=clock.now(),
        key=keys.trusted_key(bundle.signer or ""), paths=paths,
    )  # fmt: skip
    return amendment_of(found, decisions), found.seen


def _paths(package: Mapping[str, Any]) -> list[Path]:
    paths, kind = package.get("paths"), package.get("kind")
    fits = (
        isinstance(paths, list) and paths and all(isinstance(each, str) and each[:1] == "/" for each in paths)
    )
    if not fits or kind not in ("fix", "delivery"):
        raise Invalid(FIX_INVALID, "a package is a fix or a delivery, by the whole paths of its parts")
    assert isinstance(paths, list)
    return [Path(each) for each in paths]
