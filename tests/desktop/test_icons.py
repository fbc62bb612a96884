"""Icons are drawn when they are shown, at the size and in the colour that is asked for."""

from __future__ import annotations

import gc

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QAction, QColor, QIcon, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QApplication

from app.desktop.kernel.icons import Icons
from app.desktop.kernel.theme import Theme

OWN = "#123456"


def colour_of(pixmap: QPixmap) -> str:
    """Of the first pixel that is drawn in full."""
    image = pixmap.toImage()
    pixels = (image.pixelColor(x, y) for y in range(image.height()) for x in range(image.width()))
    return next(each.name() for each in pixels if each.alpha() == 255)


def test_each_mode_has_its_colour(qapp: QApplication) -> None:
    theme = Theme(qapp)
    icon = Icons(theme).get("run", OWN)

    drawn = {mode: colour_of(icon.pixmap(QSize(24, 24), 1.0, mode)) for mode in QIcon.Mode}

    assert drawn[QIcon.Mode.Normal] == drawn[QIcon.Mode.Active] == OWN
    assert drawn[QIcon.Mode.Disabled] == theme.colours.border.lower()
    assert drawn[QIcon.Mode.Selected] == theme.colours.accent_text.lower()


def test_an_icon_has_every_pixel_of_a_fine_screen(qapp: QApplication) -> None:
    icon = Icons(Theme(qapp)).get("run", OWN)

    pixmap = icon.pixmap(QSize(20, 20), 2.0)

    assert (pixmap.size(), pixmap.deviceIndependentSize().toSize()) == (QSize(40, 40), QSize(20, 20))


def test_a_painted_icon_keeps_to_its_rectangle(qapp: QApplication) -> None:
    image = QImage(60, 60, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor("white"))
    painter = QPainter(image)
    Icons(Theme(qapp)).get("run", OWN).paint(painter, QRect(20, 20, 20, 20))
    painter.end()

    drawn = [QPoint(x, y) for y in range(60) for x in range(60) if image.pixelColor(x, y).name() != "#ffffff"]

    assert drawn
    assert all(QRect(20, 20, 20, 20).contains(each) for each in drawn)


def test_a_copy_that_is_changed_is_drawn_on_its_own(qapp: QApplication) -> None:
    icon = Icons(Theme(qapp)).get("run", OWN)

    changed = QIcon(icon)
    changed.setIsMask(True)
    gc.collect()

    assert (icon.isMask(), changed.isMask()) == (False, True)
    assert colour_of(changed.pixmap(20, 20)) == OWN


def test_what_shows_an_icon_draws_it_also_after_its_icons_were_collected(qapp: QApplication) -> None:
    action, icons = QAction(), Icons(Theme(qapp))
    action.setIcon(icons.get("run", OWN))
    icons.itself = icons  # type: ignore[attr-defined]  # a cycle, as a window's parts are

    del icons
    gc.collect()

    assert colour_of(action.icon().pixmap(33, 33)) == OWN


def test_an_icon_without_a_colour_follows_the_theme(qapp: QApplication) -> None:
    theme = Theme(qapp)
    icon = Icons(theme).get("run")

    for dark in (True, False):
        theme.switch(dark=dark)
        assert colour_of(icon.pixmap(24, 24)) == theme.colours.text.lower()
