"""A log line as it is safe to draw: colours from its escapes, every other control character visible."""

from __future__ import annotations

import re
from typing import NamedTuple

from app.desktop.kernel.visible_text import STEERING

TAB = 8
_SGR = re.compile(r"\x1b\[([0-9;:]*)m")
_CUBE = (0, 95, 135, 175, 215, 255)
SIXTEEN = (
    "#3A3D42", "#C2361B", "#1B8A6B", "#A87400", "#0B5FB0", "#8E3FA8", "#00838A", "#8A8F98",
    "#5F656E", "#E0563C", "#2FA882", "#C98F00", "#3D8FE0", "#B060CC", "#00A0A8", "#C9CDD3",
)  # fmt: skip


class Style(NamedTuple):
    """How a span is drawn; colours ``#rrggbb`` or None for the view's own."""

    ink: str | None = None
    paper: str | None = None
    bold: bool = False
    underline: bool = False


class Span(NamedTuple):
    """A piece of text with one style."""

    start: int
    length: int
    style: Style


class Shown(NamedTuple):
    """A line as it is drawn."""

    text: str
    spans: tuple[Span, ...] = ()


PLAIN = Style()


def shown(raw: bytes) -> Shown:
    """Decode a line; undecodable bytes, controls and direction marks become visible, tabs become blanks."""
    text = raw.decode("utf-8", "replace")
    if text.isascii() and text.isprintable():
        return Shown(text)
    parts: list[str] = []
    spans: list[Span] = []
    style, length, at = PLAIN, 0, 0
    for found in [*_SGR.finditer(text), None]:
        piece = _visible(text[at : found.start() if found else len(text)], length)
        if piece and style != PLAIN:
            spans.append(Span(length, len(piece), style))
        parts.append(piece)
        length += len(piece)
        if found:
            style, at = _after(style, found.group(1)), found.end()
    return Shown("".join(parts), tuple(spans))


def plain(raw: bytes) -> str:
    """The text alone, without colours, tabs as they are: what copying gives."""
    return _SGR.sub("", raw.decode("utf-8", "replace"))


def _visible(text: str, column: int) -> str:
    if "\t" in text:
        blank = " " * (column % TAB)
        text = (blank + text).expandtabs(TAB)[len(blank) :]
    return STEERING.sub(lambda found: _name(found.group()), text)


def _name(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return f"^{chr(code + 64)}"
    return "^?" if code == 0x7F else f"‹U+{code:04X}›"


def _after(style: Style, codes: str) -> Style:
    numbers = [int(each) if each.isdigit() else 0 for each in re.split("[;:]", codes)] or [0]
    while numbers:
        style = _one(style, numbers)
    return style


def _one(style: Style, numbers: list[int]) -> Style:
    """The style after the first code; takes it, and what belongs to it, away from ``numbers``."""
    code = numbers.pop(0)
    if code in (38, 48):
        colour = _wide(numbers)
        return style._replace(ink=colour) if code == 38 else style._replace(paper=colour)
    if 30 <= code <= 37 or 90 <= code <= 97:
        return style._replace(ink=SIXTEEN[code - 30 if code < 90 else code - 82])
    if 40 <= code <= 47 or 100 <= code <= 107:
        return style._replace(paper=SIXTEEN[code - 40 if code < 100 else code - 92])
    simple = {
        0: PLAIN,
        1: style._replace(bold=True),
        4: style._replace(underline=True),
        7: style._replace(ink=style.paper, paper=style.ink),
        22: style._replace(bold=False),
        24: style._replace(underline=False),
        39: style._replace(ink=None),
        49: style._replace(paper=None),
    }
    return simple.get(code, style)


def _wide(numbers: list[int]) -> str | None:
    """The colour of ``38;5;n`` or ``38;2;r;g;b``."""
    kind = numbers.pop(0) if numbers else 0
    if kind == 5 and numbers:
        return _of_256(numbers.pop(0))
    if kind == 2 and len(numbers) >= 3:
        red, green, blue = (min(255, numbers.pop(0)) for _ in range(3))
        return f"#{red:02x}{green:02x}{blue:02x}"
    numbers.clear()
    return None


def _of_256(n: int) -> str:
    if n < 16:
        return SIXTEEN[n]
    if n >= 232:
        grey = 8 + 10 * min(n - 232, 23)
        return f"#{grey:02x}{grey:02x}{grey:02x}"
    red, rest = divmod(n - 16, 36)
    return "#" + "".join(f"{_CUBE[each]:02x}" for each in (red, *divmod(rest, 6)))
