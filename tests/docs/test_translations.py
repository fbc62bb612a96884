"""A translated page shows the same commands and definitions as the page that it translates."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.blocks import DOCS, blocks

TRANSLATED = [page for page in (DOCS / "zh").glob("*.md") if page.name != "errors.md"]
_COMMENT = re.compile(r"\s*#\s.*")


def _shown(page: Path) -> list[str]:
    """The blocks without their comments, which may be translated."""
    return [_COMMENT.sub("", f"{block.language} {block.marks}\n{block.text}") for block in blocks(page)]


@pytest.mark.parametrize("page", TRANSLATED, ids=lambda page: page.stem)
def test_a_translation_has_the_blocks_of_its_original(page: Path) -> None:
    assert _shown(page) == _shown(DOCS / page.name)


@pytest.mark.parametrize("page", TRANSLATED, ids=lambda page: page.stem)
def test_a_translation_has_the_sections_of_its_original(page: Path) -> None:
    depths = [
        re.findall(r"^(#+) ", each.read_text("utf-8"), re.MULTILINE) for each in (page, DOCS / page.name)
    ]

    assert depths[0] == depths[1]
