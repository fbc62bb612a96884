"""The context and its log (contract 4): every change is a line, and the lines replay byte for byte."""

from __future__ import annotations

import json
from datetime import timedelta, timezone
from enum import StrEnum
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.context import MISSING, Line, TaskContext, drop, put, read_line
from engine.model.codes.context import CANNOT_SET, LOG_ALTERED, LOG_GAP, LOG_TORN, NOT_JSON, NOTHING_THERE
from engine.model.errors import SkerryError
from engine.model.expression import FileText, Path, parse_path
from tests.context.clocks import HandClock

CLOCK = HandClock()


def record(line: Line) -> dict[str, Any]:
    """The JSON of a line."""
    found: dict[str, Any] = json.loads(line.text)
    return found


def test_a_line_has_the_keys_of_the_contract() -> None:
    context = TaskContext(CLOCK)
    context.set(("JOB", "x"), {"STATUS": "running"}, run=1)

    line = context.set(
        ("JOB", "x", "RESULT", "a'b", 0),
        "é\n",
        run=2,
        actor="anna",
        why="a repair",
        expression="{$.ITEM}",
        inputs={"$.ITEM": 1},
    )

    assert line.text == (
        r'{"seq":2,"time":"2026-11-21T08:00:00.000000+00:00","run":2,"actor":"anna","path":"$.JOB['
        "'x'].RESULT['a"
        r"\\'b'][0]" + '","new":"é\\n","expression":"{$.ITEM}","inputs":{"$.ITEM":1},"why":"a repair","sum":"'
        f'{crc32(line.text.encode()[:-18]):08x}"}}'
    )
    assert (line.seq, line.path, line.new, line.old) == (2, ("JOB", "x", "RESULT", "a'b", 0), "é\n", MISSING)
    assert context.tree == {"JOB": {"x": {"STATUS": "running", "RESULT": {"a'b": ["é\n"]}}}}


def test_lines_are_numbered_from_one_and_drained_once() -> None:
    context = TaskContext(CLOCK)
    lines = [context.set(("TASK", "ID"), n, run=1) for n in range(3)]
    assert [line.seq for line in lines] == [1, 2, 3]
    assert context.seq == 3
    assert context.drain() == lines
    assert context.drain() == []


def test_old_is_recorded_when_there_was_a_value() -> None:
    context = TaskContext(CLOCK)
    first = context.set(("TASK", "ID"), None, run=1)
    second = context.set(("TASK", "ID"), [1], run=1)
    third = context.set(("TASK", "ID"), "x", run=1)
    assert "old" not in record(first)
    assert record(first)["new"] is None
    assert record(second)["old"] is None
    assert record(third)["old"] == [1]


def test_only_old_removes_and_neither_changes_nothing() -> None:
    context = TaskContext(CLOCK)
    context.set(("TASK",), {"ID": "t", "RUN": 1}, run=1)

    removed = context.remove(("TASK", "RUN"), run=1, actor="anna", why="wrong")
    noted = context.note(("TASK",), run=1, expression="1 == 1", inputs={}, why="when", value=True)

    assert record(removed)["old"] == 1
    assert "new" not in record(removed)
    assert "new" not in record(noted)
    assert "old" not in record(noted)
    assert record(noted)["value"] is True
    assert context.tree == {"TASK": {"ID": "t"}}


def test_times_have_an_offset_and_six_digits_of_microseconds() -> None:
    clock = HandClock()
    context = TaskContext(clock)
    first = record(context.set(("TASK", "ID"), 1, run=1))
    clock.tick(0.000123)
    second = record(context.set(("TASK", "ID"), 2, run=1))
    assert first["time"] == "2026-11-21T08:00:00.000000+00:00"
    assert second["time"] == "2026-11-21T08:00:00.000123+00:00"


def test_a_clock_of_another_zone_is_written_with_its_offset() -> None:
    class Shanghai(HandClock):
        def now(self) -> Any:
            return super().now().astimezone(timezone(timedelta(hours=8)))

    line = TaskContext(Shanghai()).set(("TASK", "ID"), 1, run=1)
    assert record(line)["time"] == "2026-11-21T16:00:00.000000+08:00"


@pytest.mark.parametrize(
    ("path", "tree"),
    [
        (("JOB", "x", "RESULT", "y"), {"JOB": {"x": {"RESULT": {"y": 1}}}}),
        (("JOB", "x", 2), {"JOB": {"x": [None, None, 1]}}),
        (("JOB", "x", 1, "STATUS"), {"JOB": {"x": [None, {"STATUS": 1}]}}),
        (("A", 0, 0), {"A": [[1]]}),
    ],
)
def test_missing_parents_are_made(path: Path, tree: Any) -> None:
    context = TaskContext(CLOCK)
    context.set(path, 1, run=1)
    assert context.tree == tree


def test_null_counts_as_a_missing_parent() -> None:
    context = TaskContext(CLOCK)
    context.set(("JOB", "x", 1, "STATUS"), "running", run=1)
    context.set(("JOB", "x", 0, "STATUS"), "running", run=1)
    assert context.tree == {"JOB": {"x": [{"STATUS": "running"}, {"STATUS": "running"}]}}


@pytest.mark.parametrize(
    "path",
    [
        (),
        (0,),
        ("T", "a", "b"),
        ("T", "a", 0),
        ("T", 0),
        ("L", "a"),
        ("L", 0, "a"),
        ("L", -1),
        ("N", 10**9),
        ("T", "b", -1, "c"),
    ],
)
def test_a_path_through_a_plain_value_changes_nothing(path: Path) -> None:
    context = TaskContext(CLOCK)
    context.set(("T",), {"a": "text"}, run=1)
    context.set(("L",), [1], run=1)
    before = context.canonical()

    with pytest.raises(SkerryError) as caught:
        context.set(path, 1, run=1)

    assert caught.value.entry is CANNOT_SET
    assert (context.canonical(), context.seq) == (before, 2)


@pytest.mark.parametrize("path", [("T",), ("L", 5), ("L", 0, "a"), ("L", "a"), ("X", "y"), ()])
def test_nothing_can_be_removed_where_there_is_nothing(path: Path) -> None:
    context = TaskContext(CLOCK)
    context.set(("L",), [1], run=1)
    with pytest.raises(SkerryError) as caught:
        context.remove(path, run=1)
    assert caught.value.entry is NOTHING_THERE
    assert context.seq == 1


@pytest.mark.parametrize("value", [object(), float("nan"), float("inf"), {"a": {1, 2}}, b"bytes"])
def test_what_is_no_json_value_changes_nothing(value: Any) -> None:
    context = TaskContext(CLOCK)
    for given_as in ({"new": value}, {"new": 1, "inputs": {"x": value}}):
        with pytest.raises(SkerryError) as caught:
            context.set(("TASK", "ID"), run=1, **given_as)
        assert caught.value.entry is NOT_JSON
    assert context.tree == {}
    assert context.seq == 0


def test_the_tree_keeps_a_copy_of_its_own() -> None:
    context = TaskContext(CLOCK)
    given_value: dict[str, Any] = {"rows": [1, 2]}
    context.set(("TASK", "PARAMS"), given_value, run=1)
    given_value["rows"].append(3)
    assert context.tree["TASK"]["PARAMS"] == {"rows": [1, 2]}
    assert replayed(context).canonical() == context.canonical()


class Colour(StrEnum):
    RED = "red"


def test_values_become_what_a_replay_reads() -> None:
    context = TaskContext(CLOCK)
    context.set(("A",), (1, (2,)), run=1)
    context.set(("B",), {1: "x", None: Colour.RED}, run=1)
    context.set(("C",), FileText("/x"), run=1)
    context.set(("D",), "half \ud800 pair", run=1)
    context.set(("E",), ["\udfff", {"\ud800": 1}], run=1)
    assert context.tree["A"] == [1, [2]]
    assert context.tree["B"] == {"1": "x", "null": "red"}
    assert type(context.tree["C"]) is str
    assert type(context.tree["B"]["null"]) is str
    assert context.tree["D"] == "half ? pair"
    assert context.tree["E"] == ["?", {"?": 1}]
    assert replayed(context).tree == context.tree


def test_a_path_that_no_file_can_hold_is_refused() -> None:
    context = TaskContext(CLOCK)
    with pytest.raises(SkerryError) as caught:
        context.set(("TASK", "\ud800"), 1, run=1)
    assert caught.value.entry is CANNOT_SET
    assert context.tree == {}


def test_everything_that_is_written_is_masked() -> None:
    def mask(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace("s3cret", "******")
        if isinstance(value, dict):
            return {mask(key): mask(each) for key, each in value.items()}
        return [mask(each) for each in value] if isinstance(value, list) else value

    context = TaskContext(CLOCK, mask)
    context.set(("A",), {"x": ["s3cret"]}, run=1, why="s3cret", expression="s3cret", inputs={"$.A": "s3cret"})
    context.note(("A",), run=1, why="s3cret", value="s3cret", inputs={"s3cret": 1})
    context.remove(("A",), run=1, why="s3cret")
    assert all("s3cret" not in line.text for line in context.drain())
    assert "s3cret" not in repr(context.tree)


def test_canonical_is_compact_json_in_order_of_first_writing_with_one_newline() -> None:
    context = TaskContext(CLOCK)
    context.set(("b",), 1, run=1)
    context.set(("a",), {"z": 1.5, "é/": '\u2028\x7f\x01"\\'}, run=1)
    context.set(("b",), [True, None], run=1)
    assert context.canonical() == '{"b":[true,null],"a":{"z":1.5,"é/":"\u2028\x7f\\u0001\\"\\\\"}}\n'.encode()
    assert TaskContext(CLOCK).canonical() == b"{}\n"


# -- replay ---------------------------------------------------------------------------------------


def replayed(context: TaskContext, upto: int | None = None) -> TaskContext:
    """The context that the drained lines make."""
    return TaskContext.replay([line.text for line in context.drain()], CLOCK, upto)


KEYS = st.sampled_from(["TASK", "JOB", "x", "a'b", "a\\", "", "作业", "y z", "]['", "\n", "0"])
PATHS = st.tuples(KEYS, *([KEYS | st.integers(0, 4)] * 3)).flatmap(
    lambda path: st.integers(1, 4).map(lambda n: path[:n])
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | KEYS
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | KEYS, inner, max_size=3),
    max_leaves=6,
)
STEPS = st.lists(
    st.tuples(st.sampled_from(["set", "set", "set", "remove", "note"]), PATHS, VALUES), max_size=25
)


@given(STEPS)
def test_replaying_gives_the_context_byte_for_byte_at_every_prefix(
    steps: list[tuple[str, Path, Any]],
) -> None:
    context = TaskContext(CLOCK)
    states = [context.canonical()]
    for kind, path, value in steps:
        try:
            if kind == "set":
                context.set(path, value, run=1, why="a 'why'", inputs={"$.x": value})
            elif kind == "remove":
                context.remove(path, run=1)
            else:
                context.note(path, run=1, value=value)
        except SkerryError:
            assert context.canonical() == states[-1]
            continue
        states.append(context.canonical())
    lines = [line.text for line in context.drain()]
    data = "".join(f"{line}\n" for line in lines).encode().splitlines(keepends=True)
    assert TaskContext.replay(lines, CLOCK).canonical() == states[-1]
    assert TaskContext.replay(data, CLOCK).tree == context.tree
    for seq, state in enumerate(states):
        assert TaskContext.replay(lines, CLOCK, upto=seq).canonical() == state


@given(PATHS, VALUES)
def test_what_is_put_is_there_and_can_be_dropped(path: Path, value: Any) -> None:
    tree: dict[str, Any] = {}
    assert put(tree, path, value) is MISSING
    found: Any = tree
    for step in path:
        found = found[step]
    assert found == value
    assert put(tree, path, 1) == value
    assert drop(tree, path) == 1


def test_a_replayed_context_goes_on() -> None:
    context = TaskContext(CLOCK)
    context.set(("TASK", "ID"), 1, run=1)
    again = replayed(context)
    assert again.seq == 1
    assert again.drain() == []
    assert again.torn is None
    assert again.set(("TASK", "ID"), 2, run=2).seq == 2


LINES = [
    line.text for line in (lambda c: [c.set(("A", f"k{n}"), n, run=1) for n in range(4)])(TaskContext(CLOCK))
]


@pytest.mark.parametrize("cut", range(1, len(LINES[3])))
def test_a_torn_last_line_is_left_out_and_reported(cut: int) -> None:
    for form in (str, str.encode):
        lines = [form(line) for line in [*LINES[:3], LINES[3][:cut]]]
        context = TaskContext.replay(lines, CLOCK)
        assert context.seq == 3
        assert context.torn is not None
        assert context.torn.entry is LOG_TORN
        assert context.tree == {"A": {"k0": 0, "k1": 1, "k2": 2}}


def test_a_tail_of_zeros_or_of_half_a_character_is_torn_too() -> None:
    for tail in (b"\0" * 40, LINES[3].encode()[:60] + b"\xe4\xbd"):
        assert TaskContext.replay([*LINES[:3], tail], CLOCK).torn is not None


def test_a_whole_last_line_needs_no_newline() -> None:
    data = "\n".join(LINES).encode()
    context = TaskContext.replay(data.splitlines(keepends=True), CLOCK)
    assert context.seq == 4
    assert context.torn is None
    assert TaskContext.replay([*LINES, ""], CLOCK).torn is None
    assert TaskContext.replay([], CLOCK).canonical() == b"{}\n"


@pytest.mark.parametrize("line", range(4))
@pytest.mark.parametrize("place", [0, 8, 20, 60, -30, -5])
def test_an_altered_line_is_noticed(line: int, place: int) -> None:
    damaged = bytearray(LINES[line].encode())
    damaged[place] ^= 1
    lines: list[bytes | str] = [*LINES[:line], bytes(damaged), *LINES[line + 1 :]]
    with pytest.raises(SkerryError) as caught:
        TaskContext.replay(lines, CLOCK)
    assert caught.value.entry is LOG_ALTERED


def test_a_torn_line_in_the_middle_is_damage() -> None:
    with pytest.raises(SkerryError) as caught:
        TaskContext.replay([LINES[0], LINES[1][:30], LINES[2]], CLOCK)
    assert caught.value.entry is LOG_ALTERED


@pytest.mark.parametrize("kept", [(0, 2, 3), (1, 2), (0, 0), (0, 1, 1), (1,), (2, 1)])
def test_missing_doubled_or_moved_lines_are_noticed(kept: tuple[int, ...]) -> None:
    with pytest.raises(SkerryError) as caught:
        TaskContext.replay([LINES[n] for n in kept], CLOCK)
    assert caught.value.entry is LOG_GAP


def test_a_single_line_can_be_verified() -> None:
    assert read_line(LINES[0])["new"] == 0
    assert parse_path(read_line(LINES[1].encode())["path"]) == ("A", "k1")
    with pytest.raises(SkerryError, match="line 1"):
        read_line(LINES[0].replace('"new":0', '"new":1'))
    with pytest.raises(SkerryError, match="without a readable number"):
        read_line("{}")
