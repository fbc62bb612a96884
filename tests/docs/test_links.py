"""Links between pages lead somewhere, and what changed is recorded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.blocks import PAGES, ROOT

_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in _LINK.findall(_CODE.sub("", page.read_text("utf-8"))):
        place, _, anchor = link.partition("#")
        if "://" in place:
            continue
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), f"{page}: {link}"
        assert not anchor or anchor in _anchors(target), f"{page}: {link}"


def test_the_front_page_leads_to_every_page_of_the_guide() -> None:
    linked = {(ROOT / link).resolve() for link in _LINK.findall((ROOT / "README.md").read_text("utf-8"))}

    guide = {*(ROOT / "docs").glob("*.md"), *(ROOT / "docs/zh").glob("*.md")}
    assert [str(page.relative_to(ROOT)) for page in sorted(guide - linked)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_picture_is_there_and_described(page: Path) -> None:
    for words, place in re.findall(r"!\[([^\]]*)\]\(([^)\s]+)\)", page.read_text("utf-8")):
        assert words, f"{page}: {place}"
        assert (page.parent / place).exists(), f"{page}: {place}"


def _anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def test_what_changed_is_reported() -> None:
    assert "## Unreleased" in (ROOT / "CHANGELOG.md").read_text("utf-8")
