"""The text of a stage that is kept elsewhere: a file of this machine, or a link."""

from __future__ import annotations

from pathlib import Path

from engine.model.codes.runtime import STAGE_UNREADABLE
from engine.model.errors import SkerryError
from engine.model.plain_words import wording

MOST = 16 * 1024 * 1024  # bytes
_SECONDS = 60.0
_SCHEMES = ("http://", "https://", "ftp://", "file://")


def fetch(kind: str, place: str, base: Path) -> bytes:
    """The bytes at ``place``; a relative file belongs to ``base``. SkerryError when they cannot be had."""
    try:
        if kind == "link":
            return _download(place)
        with (base / place).open("rb") as file:
            return _limited(file.read(MOST + 1), place)
    except (OSError, ValueError) as error:  # URLError is an OSError
        problem = (isinstance(error, OSError) and error.strerror) or wording(error)
        raise SkerryError.at(STAGE_UNREADABLE, "{where}: {error}", place, error=problem) from error


def _download(url: str) -> bytes:
    if not url.lower().startswith(_SCHEMES):
        raise ValueError(f"only {', '.join(_SCHEMES)} links")
    from urllib.request import urlopen  # takes a while to load, and few stages are links

    with urlopen(url, timeout=_SECONDS) as answer:
        return _limited(answer.read(MOST + 1), url)


def _limited(data: bytes, place: str) -> bytes:
    if len(data) > MOST:
        raise ValueError(f"more than {MOST:,} bytes")
    return data
