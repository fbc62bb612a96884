"""Secrets this engine has handed out; everything it writes from then on masks them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.model.codes.secrets import SECRET_UNKNOWN
from engine.model.errors import SkerryError
from engine.secrets.masking import ValueMasker
from engine.secrets.vault import Vault


class KnownSecrets:
    """Looks secrets up and remembers their values for masking."""

    def __init__(self, vault: Vault | None) -> None:
        self._vault = vault
        self._values: set[str] = set()
        self._passphrases: set[str] = set()
        self._masker = ValueMasker()

    def get(self, name: str) -> str:
        """A stored secret; SkerryError when there is none of that name or the vault is locked."""
        if self._vault is None:
            raise SkerryError.at(SECRET_UNKNOWN, "there is no secret {where!r}", name)
        value = self._vault.get(name)
        self.remember((value,))
        return value

    def remember_passphrase(self, passphrase: str) -> None:
        """Mask it like a secret, also in the output of every job that is given one."""
        self._passphrases.add(passphrase)
        self.remember((passphrase,))

    def passphrases(self) -> tuple[str, ...]:
        """Those that this engine was given."""
        return tuple(self._passphrases)

    def remember(self, values: Iterable[str]) -> None:
        """Mask these from now on."""
        if not self._values.issuperset(values := tuple(values)):
            self._values.update(values)
            self._masker = ValueMasker(self._values)

    def mask(self, value: Any) -> Any:
        """``value`` without any secret that was handed out."""
        return self._masker.value(value)
