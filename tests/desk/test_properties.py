"""Rules that hold for every value: what was seen, translated, renamed, compared."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.context.tree import with_texts
from export_import.delivery.references import references, rewritten
from export_import.desk.omission_marks import is_marked
from export_import.desk.recorded_expression import same
from export_import.desk.recorded_match import Folders
from export_import.fix.site_snapshot import same as equal
from export_import.fix.site_snapshot import unmasked

NAMES = st.sampled_from(
    ["job", "task", "resource", "resources", "on", "workers", "group", "params", "secret", "a"]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
TREES = st.recursive(
    LEAVES,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(NAMES, below, max_size=4),
    max_leaves=12,
)
NO_FOLDERS = Folders("", "")


@given(TREES)
def test_whatever_is_there_is_the_same_as_itself(tree: Any) -> None:
    assert equal(tree, tree)
    assert with_texts(tree, lambda text: text) == tree


@given(TREES)
def test_what_was_not_masked_stays_as_the_supporter_wrote_it(tree: Any) -> None:
    if not is_marked(tree):
        assert unmasked(tree, None, None) == tree


@given(TREES)
def test_a_masked_value_stays_as_the_site_has_it(tree: Any) -> None:
    if not is_marked(tree):
        assert unmasked({"a": "******", "b": tree}, {"a": "******"}, {"a": tree}) == {"a": tree, "b": tree}


@given(TREES)
def test_names_are_rewritten_only_where_they_are_found(tree: Any) -> None:
    names = set(references("job", tree))

    assert rewritten("job", tree, {}) == tree
    made = rewritten("job", tree, dict.fromkeys(names, "new"))
    assert {name for _, name in references("job", made)} <= {"new"}
    assert rewritten("job", tree, {name: name[1] for name in names if name[1].isalpha()}) == tree


@given(TREES)
def test_a_value_is_the_same_as_itself_and_as_a_part(tree: Any) -> None:
    assert same(tree, tree)
    assert same(tree, {"part": [tree]})
    assert NO_FOLDERS.neutral(tree) == NO_FOLDERS.neutral(NO_FOLDERS.neutral(tree))
