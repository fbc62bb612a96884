"""Secrets as a service: whether the engine can read them, and the passphrase that lets it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from engine.api.documents import Document
from engine.model.codes.commands import ENGINE_NEEDED
from engine.model.errors import Refused

if TYPE_CHECKING:
    from engine.runtime.engine import Engine


class UnlockService(Protocol):
    """What an engine that was started without a passphrase is told later."""

    def secrets(self) -> Document:
        """``{"stored": number of secrets or None, "locked": bool or None}``; None: nobody knows."""

    def unlock(self, passphrase: str) -> Document:
        """Let the engine read the secrets until it ends: as ``secrets``.

        Refused when it does not fit, or their file is not what the last change left.
        """


class LocalUnlock:
    """Of an engine in this process."""

    _engine: Engine

    def secrets(self) -> Document:
        """See ``UnlockService``."""
        vault = self._engine.vault
        if vault is None or not vault.exists:
            return {"stored": 0, "locked": False}
        return {"stored": len(vault.names()), "locked": vault.closed}

    def unlock(self, passphrase: str) -> Document:
        """See ``UnlockService``."""
        vault = self._engine.vault
        if vault is not None and vault.exists:
            vault.unlock(passphrase=passphrase)
            vault.check()
            self._engine.secrets.remember_passphrase(passphrase)
        return self.secrets()


class UnlockClient:
    """Of an engine in another process."""

    _ask: Callable[..., Document]

    def secrets(self) -> Document:
        """See ``UnlockService``."""
        return self._ask("GET", "/v1/secrets")

    def unlock(self, passphrase: str) -> Document:
        """See ``UnlockService``."""
        return self._ask("POST", "/v1/secrets/unlock", body={"passphrase": passphrase})


class ClosedSecrets:
    """While no engine runs."""

    def secrets(self) -> Document:
        """Nobody can say."""
        return {"stored": None, "locked": None}

    def unlock(self, passphrase: str) -> Document:
        """Refused."""
        raise Refused(ENGINE_NEEDED, "no engine runs, so there is nobody to tell the passphrase")
