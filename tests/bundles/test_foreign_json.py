"""JSON of a bundle read piece by piece: the same as read at once, and never more than a measured amount."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.codes.bundles import TOO_MUCH
from engine.model.errors import SkerryError
from export_import import foreign_json
from export_import.container.form import ReadLimits
from export_import.foreign_json import Ration, load, parts

_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
_TREES = st.recursive(_LEAVES, lambda some: st.lists(some) | st.dictionaries(st.text(), some), max_leaves=20)


def rebuilt(path: Path, deep: tuple[str, ...]) -> dict[str, Any]:
    """The map that the parts make up."""
    found: dict[str, Any] = {}
    for key, inner, value in parts(path, Ration(), deep):
        if inner is None:
            found[key] = value
        elif isinstance(found[key], list):
            found[key].append(value)
        else:
            found[key][inner] = value
    return found


@given(tree=st.dictionaries(st.text(), _TREES), indent=st.none() | st.integers(0, 3), chunk=st.integers(1, 9))
def test_piece_by_piece_gives_the_same_as_at_once(
    tree: dict[str, Any], indent: int | None, chunk: int
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(foreign_json, "_CHUNK", chunk)
        path = Path(folder, "tree.json")
        path.write_text(json.dumps(tree, indent=indent, ensure_ascii=chunk > 4), "utf-8")
        assert rebuilt(path, deep=tuple(tree)[:1]) == tree


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"a":1,}', '{"a":1 "b":2}', '{"a":[1,]}', '{"a":[1 2]}', '{"a":1}x', '{"a":NaN}', '{"a":}',
     '{"a":1,"a":2}', '{1:2}', '{"a":[', '{"a":"\ud800', '{"a":' + "9" * 5000 + "}", '{"a":' + "[" * 100_000],
)  # fmt: skip
def test_what_is_no_such_map_is_an_error_of_values(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, "utf-8", "surrogatepass")

    with pytest.raises((ValueError, RecursionError)):
        list(parts(path, Ration()))


def test_a_long_list_is_not_held_and_its_rows_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps({"rows": [{"n": n} for n in range(1_000)]}))
    few = ReadLimits(rows=999)

    assert sum(inner is not None for _, inner, _ in parts(path, Ration())) == 1_000
    with pytest.raises(SkerryError) as caught:
        list(parts(path, Ration(few)))
    assert caught.value.entry == TOO_MUCH


def test_bytes_are_counted_over_all_files_of_a_bundle(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"x": "y" * 600}))
    ration = Ration(ReadLimits(json=1_000))
    list(parts(path, ration))

    with pytest.raises(SkerryError) as caught:
        list(parts(path, ration))
    assert caught.value.entry == TOO_MUCH


@pytest.mark.parametrize("text", ['"' + "x" * 2_000 + '"', "[" + "[]," * 300 + "0]"])
def test_one_value_has_a_size_and_a_number_of_parts(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign_json, "_CHUNK", 64)
    limits, path = ReadLimits(value=1_000, parts=200), tmp_path / "x.json"
    path.write_text(f'{{"x": {{"y": {text}}}}}')

    with pytest.raises(ValueError, match="has more than"):
        load(path, limits)
    with pytest.raises(ValueError, match="has more than"):
        list(parts(path, Ration(limits)))
