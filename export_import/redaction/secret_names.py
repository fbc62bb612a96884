"""Whether a name is the name of a secret: what decides for keys, columns, options and variables."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from export_import.redaction.word_lists import (
    ABOUT,
    CHINESE,
    CHINESE_ABOUT,
    CODE_OF,
    EXACT,
    ID_OF,
    KEY_OF,
    SECRET,
    SHORT_WORDS,
)

_CASE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


class SecretNames:
    """The names of secrets, with those that a site adds: words of a name, or names as a whole."""

    def __init__(self, further: Iterable[str] = ()) -> None:
        self.further = frozenset(each.casefold() for each in further if each.strip())
        self._known = lru_cache(maxsize=1 << 14)(self._looked_up)

    def has(self, name: object) -> bool:
        """Whether ``name`` (``db.rootPassword``, ``X-Api-Key``, ``密码``) is the name of a secret."""
        return isinstance(name, str) and 0 < len(name) <= 200 and self._known(name)

    def _looked_up(self, name: str) -> bool:
        folded = name.casefold().strip()
        if folded in EXACT or not self.further.isdisjoint((folded, *folded.split("."))):
            return True
        words = words_of(name)
        if self.further and self.further.intersection(words):
            return True
        if any(each in folded for each in CHINESE):
            return not folded.endswith(CHINESE_ABOUT)
        return is_secret(words)


def words_of(name: str) -> list[str]:
    """``dbRootPassword_2`` -> db, root, password: split at case, ``_``, ``-``, ``.``; digits left out."""
    return [each.lower() for each in _CASE.findall(name) if not each.isdigit() and each not in "vV"]


def is_secret(words: list[str]) -> bool:
    """The last word that counts decides: ``password_policy`` is none, ``reset_password`` is one."""
    if "".join(words).endswith(ID_OF):
        return True
    for position in range(len(words) - 1, -1, -1):
        word = words[position]
        if word in SECRET or _compound(word):
            return word not in SHORT_WORDS or position == len(words) - 1
        if word in ("key", "keys") and position and words[position - 1] in KEY_OF:
            return "public" not in words
        if word in ("code", "codes") and position and words[position - 1] in CODE_OF:
            return True
        if word in ABOUT:
            return False
    return False


def _compound(word: str) -> bool:
    """Words written together, as ``smtppassword`` or ``ansiblebecomepass``."""
    return word.endswith(
        ("password", "passwd", "passphrase", "secretkey", "apikey", "token", "secret", "pwd")
    ) or (word.startswith(("password", "passwd")) and len(word) <= 10)
