"""The content of an amendment: definitions, values, and the state they require to apply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from engine.context import MISSING

if TYPE_CHECKING:
    from engine.store.sql_store import Store


@dataclass(frozen=True, slots=True)
class Base:
    """What an instance must be: its log up to line ``seq``; ``log`` is the hash of it, None: not known."""

    instance: int
    task: str
    seq: int
    time: str
    log: str | None = None
    snapshot: str | None = None  # the hash of the definitions that its latest run used


@dataclass(frozen=True, slots=True)
class NewDefinition:
    """A definition to put; ``base`` is the hash that it must have now; None: it must not exist; "": any."""

    kind: str
    id: str
    content: Any
    base: str | None = None


@dataclass(frozen=True, slots=True)
class NewValue:
    """A value of the context to be set; ``old`` is what must be there, MISSING: whatever is."""

    path: str
    value: Any
    reason: str
    old: Any = MISSING


@dataclass(frozen=True, slots=True)
class Amendment:
    """What comes together. ``origin`` tells people where from: signer, title, letter …; JSON values."""

    id: str
    kind: str  # fix or delivery
    expires: str | None = None
    base: Base | None = None
    definitions: tuple[NewDefinition, ...] = ()
    values: tuple[NewValue, ...] = ()
    origin: Mapping[str, Any] | None = None


class Packages(Protocol):
    """Verifies fixes and deliveries; handed to the engine, which believes no amendment that a client made."""

    def verified(self, package: Mapping[str, Any], store: Store) -> tuple[Amendment, str]:
        """What a package (``kind``, ``paths``, of a delivery ``decisions``) asks for here, and the hash of
        what a person is shown of it. Refused unless a key that is trusted for it has signed it and it fits.
        """
