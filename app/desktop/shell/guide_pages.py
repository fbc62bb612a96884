"""The pages of the user guide, beside the program, in both languages; no Qt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.desktop.shell.other_words import wordings

_HERE = Path(__file__).resolve()
_PLACES = (_HERE.parents[1] / "guide", _HERE.parents[3] / "docs")  # in an installed program, in a checkout
_FOLDERS = ("", "job-types", "resources")
_FIRST = ("guide", "designing", "watching", "repairing", "definitions", "expressions", "schedules")
_LEFT_OUT = {
    "style",
    "simulation",
    "embedding",
    "delivery",
    "bundle-format",
    "tables",
}  # for those who build with it


@dataclass(frozen=True, slots=True)
class GuidePage:
    """``name`` is its path below the guide without the ending, such as ``job-types/shell``."""

    name: str
    title: str
    text: str
    folder: Path


def pages(chinese: bool) -> tuple[GuidePage, ...]:
    """All of them, the guide first; none where the program came without."""
    place = next((each for each in _PLACES if (each / "guide.md").is_file()), None)
    return () if place is None else _pages(place, chinese)


@cache
def _pages(place: Path, chinese: bool) -> tuple[GuidePage, ...]:
    files = [file for folder in _FOLDERS for file in sorted((place / folder).glob("*.md"))]
    names = [str(file.relative_to(place).with_suffix("")) for file in files]
    kept = sorted((name for name in names if name not in _LEFT_OUT), key=_rank)
    return tuple(_page(place, name, chinese) for name in kept)


def _rank(name: str) -> tuple[int, str]:
    if name in _FIRST:
        return _FIRST.index(name), ""
    return len(_FIRST) + name.count("/"), name


def _page(place: Path, name: str, chinese: bool) -> GuidePage:
    own = place / "zh" / f"{name}.md"
    file = own if chinese else place / f"{name}.md"
    text = file.read_text("utf-8")
    heading = re.search(r"^# +(.+)$", text, re.MULTILINE)
    return GuidePage(name, heading[1].replace("`", "") if heading else name, text, file.parent)


def found(among: Iterable[GuidePage], typed: str) -> list[GuidePage]:
    """Those that hold every word: in their title first, then what one reads first, then by how often."""
    words = [wordings(word) for word in typed.casefold().split()]
    hits = [page for page in among if all(_times(page.text, word) for word in words)]
    if not words:
        return hits
    return sorted(hits, key=lambda page: _order(page, words))


def _order(page: GuidePage, words: Sequence[Sequence[str]]) -> tuple[bool, bool, int]:
    titled = any(_times(page.title, word) for word in words)
    return not titled, page.name not in _FIRST, -_times(page.text, words[0])


def _times(text: str, word: Sequence[str]) -> int:
    """How often a text has a word, in any of its wordings."""
    return sum(text.casefold().count(each) for each in word)


def named(among: Iterable[GuidePage], here: GuidePage, link: str) -> GuidePage | None:
    """The page that a link of another one leads to; None where it is no page of the guide.

    A link is relative to the folder of the page that has it, in either language.
    """
    target = (here.folder / link.partition("#")[0]).resolve()
    return next((page for page in among if target in _files(page)), None)


def _files(page: GuidePage) -> tuple[Path, ...]:
    file = page.folder / f"{page.name.rpartition('/')[2]}.md"
    parts = file.parts
    plain = Path(*(part for at, part in enumerate(parts) if not (part == "zh" and at > len(parts) - 4)))
    return file, plain
