"""The fonts that are shipped: a machine without a network may have none with Chinese, or none at all."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QApplication

FONTS = Path(__file__).parents[1] / "fonts"
FAMILY = "Skerry Hei"


def load_fonts(application: QApplication) -> None:
    """Use the shipped fonts; characters that they lack come from the system's own."""
    if FAMILY not in QFontDatabase.families():
        for file in sorted(FONTS.glob("*.ttf")):
            QFontDatabase.addApplicationFont(str(file))
    font = QFont(application.font())
    font.setFamilies([FAMILY, *(each for each in font.families() if each != FAMILY)])
    application.setFont(font)
