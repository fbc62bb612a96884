"""docs/tables.md names every table and every column."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.store.schema import metadata
from engine.store.tables import TABLES

PAGE = (Path(__file__).parents[2] / "docs" / "tables.md").read_text("utf-8")


def named_in(text: str) -> list[str]:
    """The names in backquotes that stand for themselves, not in an explanation."""
    return re.findall(r"`([a-z_]+)`", re.sub(r"\([^)]*\)|: [^·|]*", "", text))


@pytest.mark.parametrize("table", TABLES)
def test_the_page_has_the_columns_of_a_table_of_state(table: str) -> None:
    section = re.split(r"\n### \w", PAGE.partition(f"\n### {table}\n")[2])[0]

    names = named_in(section.replace("The record of one failure:", ""))

    assert names == [column.name for column in metadata.tables[table].columns]


@pytest.mark.parametrize("table", sorted(set(metadata.tables) - set(TABLES)))
def test_the_page_has_the_columns_of_every_other_table(table: str) -> None:
    [row] = re.findall(rf"^\| `{table}` \| (.*) \|$", PAGE, re.MULTILINE)

    assert named_in(row) == [column.name for column in metadata.tables[table].columns]
