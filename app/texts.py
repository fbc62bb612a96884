"""Texts in the reader's language: English in the source, one catalogue for window and command line.

``translations/<language>/<part>.yaml`` maps an English text to its translation; one text has one translation
wherever it is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

TRANSLATIONS = Path(__file__).parent / "translations"


@cache
def catalogue(language: str, part: str = "*") -> Mapping[str, str]:
    """The translations of a language (``zh``, ``zh_CN``) by their English text; none for English.

    The command line reads its own ``part`` alone: all of them take it 30 ms.
    """
    files = sorted((TRANSLATIONS / language.partition("_")[0]).glob(f"{part}.yaml"))
    if not files:
        return {}
    import yaml

    found = (yaml.load(file.read_bytes(), yaml.CSafeLoader) for file in files)
    return {english: text for texts in found for english, text in texts.items()}
