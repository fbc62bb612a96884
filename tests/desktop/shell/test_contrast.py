"""Every text and every sign can be told from what is behind it, in both looks."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QDockWidget,
    QLabel,
    QMainWindow,
    QRadioButton,
    QTabWidget,
    QWidget,
)
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


@BOTH
def test_the_buttons_of_a_dock_are_seen_and_nothing_glares(
    looks: QApplication, colours: Colours, qtbot: QtBot
) -> None:
    looks.setPalette(palette(colours))
    window, dock, pages = QMainWindow(), QDockWidget("Dock"), QTabWidget()
    qtbot.addWidget(window)
    pages.setDocumentMode(True)
    pages.addTab(QLabel("a"), "one")
    dock.setWidget(QLabel("x"))
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    window.setCentralWidget(pages)
    window.resize(400, 120)
    with qtbot.waitExposed(window):
        window.show()
    buttons = [each for each in dock.findChildren(QAbstractButton) if each.isVisible()]
    bar = pages.tabBar()
    line = bar.rect().adjusted(bar.tabRect(0).right() + 2, 0, 0, 4)

    seen = {each.objectName(): strongest(each, each.rect(), colours) for each in buttons}

    assert len(seen) == 2
    assert min(seen.values()) >= _LINE
    assert strongest(pages, line, colours) < READABLE


def strongest(widget: QWidget, part: QRect, colours: Colours) -> float:
    """The highest contrast of a pixel to the window's ground."""
    image = widget.grab(part).toImage()
    pixels = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    return max(ratio(each, colours.window) for each in pixels)
