"""The window's texts in the operator's language: the catalogue behind Qt's own mechanism.

Switching installs another translator, and every widget gets a ``LanguageChange`` event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QCoreApplication, QEvent, QLibraryInfo, QObject, QTranslator
from PySide6.QtWidgets import QApplication, QWidget

from app.texts import catalogue

LANGUAGES = {"en": "English", "zh_CN": "简体中文"}
_CONTEXT = "skerry"
_FOLLOWER = "follows-language"  # the property of a widget that holds what follows the language for it
_LACKING = frozenset({"&Look in:", "Files of &type:", "Folder", "Drive"})  # of Qt's own catalogue
_CODE = "en"  # what stands for the code of the language among its texts


def tr(text: str, **values: object) -> str:
    """The text in the language that is switched on, its ``{names}`` filled in."""
    found = QCoreApplication.translate(_CONTEXT, text)
    return found.format(**values) if values else found


def code() -> str:
    """Of the language that is switched on: ``en``, ``zh_CN``."""
    return QCoreApplication.translate(_CONTEXT, _CODE)


def trn(n: int, one: str, many: str, **values: object) -> str:
    """One of two texts by number, ``{n}`` filled in with it."""
    return tr(one if n == 1 else many, n=n, **values)


class CatalogueTranslator(QTranslator):
    """Qt's translator over the catalogue."""

    def __init__(self, texts: Mapping[str, str], parent: QObject) -> None:
        super().__init__(parent)
        self._texts = texts

    def isEmpty(self) -> bool:
        return not self._texts

    def translate(
        self, context: str, sourceText: str, disambiguation: str | None = None, n: int = -1
    ) -> str | None:  # None lets Qt go on to the next translator
        return self._texts.get(sourceText) if context == _CONTEXT or sourceText in _LACKING else None


class Language:
    """Which language the window speaks, and the way to change it while it runs."""

    def __init__(self, application: QApplication) -> None:
        self._application = application
        self._installed: list[QTranslator] = []
        self.current = "en"

    def switch(self, language: str) -> None:
        """Speak another language at once; every widget gets a LanguageChange event."""
        for translator in self._installed:
            self._application.removeTranslator(translator)
        self._installed = [] if language == "en" else self._translators(language)
        self.current = language
        for translator in self._installed:
            self._application.installTranslator(translator)

    def _translators(self, language: str) -> list[QTranslator]:
        qt = QTranslator(self._application)
        qt.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
        return [qt, CatalogueTranslator({**catalogue(language), _CODE: language}, self._application)]


class _Follower(QObject):
    """Calls back when the language changes: a widget passes that event, and few others, to its children."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.retranslate: list[Callable[[], None]] = []

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LanguageChange:
            for each in self.retranslate:
                each()
        return super().event(event)


def translated(widget: QWidget, retranslate: Callable[[], None]) -> None:
    """Set the widget's texts now and whenever the language changes."""
    retranslate()
    follower = widget.property(_FOLLOWER)
    if not isinstance(follower, _Follower):
        follower = _Follower(widget)
        widget.setProperty(_FOLLOWER, follower)
    follower.retranslate.append(retranslate)
