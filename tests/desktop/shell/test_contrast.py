"""Every text and every sign can be told from what is behind it, in both looks."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractButton, QApplication, QCheckBox, QRadioButton
from pytestqt.qtbot import QtBot

from app.desktop.design.forms.highlighter import PAIRS
from app.desktop.kernel.contrast import READABLE, on, ratio, readable
from app.desktop.kernel.outlined_style import OutlinedStyle
from app.desktop.kernel.statuses import LOOKS
from app.desktop.kernel.theme import DARK, LIGHT, Colours, Theme, palette
from app.desktop.log.ansi import SIXTEEN

BOTH = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
_INKS = ("text", "muted", "accent", "danger", "warning", "good", "replay")
_LINE = 3.0  # WCAG 2.2, 1.4.11: what is no text


@BOTH
def test_texts_are_readable_on_every_ground(colours: Colours) -> None:
    ratios = {(ink, paper): ratio(getattr(colours, ink), paper) for ink in _INKS for paper in colours.grounds}

    assert {pair: found for pair, found in ratios.items() if found < READABLE} == {}


@BOTH
def test_selected_texts_and_links_are_readable(colours: Colours) -> None:
    assert ratio(colours.accent_text, colours.accent) >= READABLE
    assert ratio(colours.link, colours.canvas) >= _LINE


@BOTH
def test_signs_of_states_are_readable_on_every_ground(looks: QApplication, colours: Colours) -> None:
    theme = Theme(looks)
    theme.switch(dark=colours.dark)

    least = {
        status: min(ratio(theme.status_ink(status), paper) for paper in colours.grounds) for status in LOOKS
    }

    assert {status: found for status, found in least.items() if found < READABLE} == {}


@BOTH
def test_signs_upon_the_colour_of_a_state_are_readable(colours: Colours) -> None:
    fills = {look.colour(colours.dark) for look in LOOKS.values()}

    assert {fill for fill in fills if ratio(on(fill), fill) < READABLE} == set()


@BOTH
def test_scripts_are_readable(colours: Colours) -> None:
    inks = {pair[colours.dark] for pair in PAIRS.values()}

    assert {ink for ink in inks if ratio(ink, colours.base) < READABLE} == set()


@BOTH
def test_colours_of_a_log_are_readable(colours: Colours) -> None:
    papers = (colours.base, colours.selection)

    drawn = {ink: readable(ink, papers) for ink in SIXTEEN}

    assert all(ratio(found, paper) >= READABLE for found in drawn.values() for paper in papers)
    assert any(ink == found for ink, found in drawn.items())  # one that was readable is left as it was


@BOTH
@pytest.mark.parametrize("kind", [QCheckBox, QRadioButton])
def test_what_is_not_ticked_has_an_outline(
    looks: QApplication, qtbot: QtBot, colours: Colours, kind: type[QAbstractButton]
) -> None:
    looks.setPalette(palette(colours))
    style = OutlinedStyle()
    box = kind("Trace")
    qtbot.addWidget(box)
    box.setStyle(style)
    box.resize(box.sizeHint())

    picture = box.grab().toImage()
    row = [picture.pixelColor(QPoint(x, picture.height() // 2)) for x in range(18)]

    assert max(ratio(_name(each), colours.window) for each in row) >= _LINE
    box.setStyle(None)


def _name(colour: QColor) -> str:
    return colour.name().upper()
