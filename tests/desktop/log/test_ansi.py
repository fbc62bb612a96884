"""Log lines as they are drawn: colours from escapes, nothing else that could mislead a terminal or a reader."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.desktop.log.ansi import Style, plain, shown


def test_colours_become_spans_over_the_plain_text() -> None:
    found = shown(b"\x1b[1;31mbad\x1b[0m then \x1b[38;2;1;2;3mx\x1b[38;5;232my\x1b[m")
    assert found.text == "bad then xy"
    assert [(each.start, each.length) for each in found.spans] == [(0, 3), (9, 1), (10, 1)]
    assert found.spans[0].style == Style(ink="#C2361B", bold=True)
    assert found.spans[1].style.ink == "#010203"
    assert found.spans[2].style.ink == "#080808"


def test_inverse_background_and_resets() -> None:
    found = shown(b"\x1b[4;42;94ma\x1b[7mb\x1b[22;24;39;49mc")
    assert found.spans[0].style == Style("#3D8FE0", "#1B8A6B", underline=True)
    assert found.spans[1].style == Style("#1B8A6B", "#3D8FE0", underline=True)
    assert len(found.spans) == 2


def test_everything_else_that_steers_is_made_visible() -> None:
    assert shown(b"\x1b[2J\x07 50%\r60% \x7f").text == "^[[2J^G 50%^M60% ^?"
    assert shown("\u202egpj.exe\u2066".encode()).text == "‹U+202E›gpj.exe‹U+2066›"
    assert shown(b"\xff\xfe").text == "\ufffd\ufffd"
    assert shown(b"<b>not bold</b>").text == "<b>not bold</b>"


def test_tabs_stand_at_their_columns_also_after_a_colour() -> None:
    assert shown(b"ab\tc").text == "ab      c"
    assert shown(b"ab\x1b[31m\tc").text == "ab      c"


def test_what_is_copied_is_the_text_without_colours() -> None:
    assert plain(b"\x1b[31mred\x1b[0m\t\xe9") == "red\t\ufffd"


@given(st.binary())
def test_no_bytes_at_all_break_it(raw: bytes) -> None:
    found = shown(raw.replace(b"\n", b""))
    for span in found.spans:
        assert 0 <= span.start < span.start + span.length <= len(found.text)
