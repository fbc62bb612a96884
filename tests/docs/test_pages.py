"""Every page of the documentation says what the program does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.runtime.settings import Settings
from tests.docs.blocks import PAGES, Block, blocks, blocks_of
from tests.docs.checks import findings
from tests.docs.session import Session
from tests.effort import ALL

_FORM = re.compile(r"there is no (resource|task) ")
_LIVE = {"run", "serve", "output"}


def _lives(page: Path) -> bool:
    """Whether there is something to do on it (a yaml block that runs does so in test_examples)."""
    found = [block for block in blocks(page) if block.language in ("python", "sh", "text")]
    return any(block.language == "python" or _LIVE & block.marks.keys() for block in found)


def _of_one_type(block: Block) -> bool:
    """Whether it shows the form of one job type, with a resource or task that is elsewhere."""
    return block.page.parent.name == "job-types"


def _named(blocks: list[Block]) -> list[Any]:
    return [pytest.param(block, id=str(block)) for block in blocks]


DEFINITIONS = [block for block in blocks_of("yaml") if "settings" not in block.marks]
SETTINGS = [block for block in blocks_of("yaml") if "settings" in block.marks]


@pytest.mark.parametrize("block", _named(DEFINITIONS))
def test_every_definition_is_valid_unless_it_shows_a_mistake(block: Block) -> None:
    found = [each for each in findings(block.definition) if not (_FORM.search(each) and _of_one_type(block))]

    assert bool(found) == ("wrong" in block.marks), found


@pytest.mark.parametrize("block", _named(SETTINGS))
def test_settings_are_those_of_a_workspace(block: Block) -> None:
    Settings.model_validate(yaml.safe_load(block.text))


WALKED = [page for page in PAGES if _lives(page) and "zh" not in page.parts]
OFTEN = [page for page in WALKED if page.stem in ("guide", "embedding")]


@pytest.mark.parametrize("page", WALKED if ALL else OFTEN, ids=lambda page: page.stem)
def test_following_a_page_gives_what_it_says(page: Path, tmp_path: Path) -> None:
    session = Session(tmp_path)
    try:
        for block in blocks(page):
            session.follow(block)
    finally:
        session.close()
