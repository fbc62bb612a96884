"""The words that names and values of secrets are made of, and what is known of programs and tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

_LISTS: dict[str, Any] = yaml.load(Path(__file__).with_suffix(".yaml").read_bytes(), yaml.CSafeLoader)


def _words(name: str) -> frozenset[str]:
    return frozenset(_LISTS[name].split())


def _pattern(words: str) -> bytes:
    return "|".join(words.split()).encode()


SECRET, KEY_OF, CODE_OF, SHORT_WORDS = map(_words, ("secret", "key_of", "code_of", "short"))
ABOUT, EXACT = map(_words, ("about", "exact"))
ID_OF, CHINESE, CHINESE_ABOUT = (
    tuple(_LISTS[name].split()) for name in ("id_of", "chinese", "chinese_about")
)
HARMLESS = frozenset(word.encode() for word in _words("harmless"))
COMMON_HOSTS, COMMON_USERS = map(_words, ("common_hosts", "common_users"))
PROGRAMS_BY_OPTION = {letter.encode(): _pattern(names) for letter, names in _LISTS["options"].items()}
TOKENS = _pattern(_LISTS["tokens"])
