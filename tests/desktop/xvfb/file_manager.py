"""Another program with one file in it, to be dragged out: ``python -m tests.desktop.xvfb.file_manager FILE``."""

from __future__ import annotations

import sys

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QDrag, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel

WIDTH, HEIGHT = 160, 60


class OneFile(QLabel):
    """Its name, at the upper left corner of the screen and above other windows."""

    def __init__(self, path: str) -> None:
        super().__init__(path.rpartition("/")[2])
        self._path = path
        self.setWindowFlags(Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint)
        self.setGeometry(0, 0, WIDTH, HEIGHT)

    def mouseMoveEvent(self, _event: QMouseEvent) -> None:
        data, drag = QMimeData(), QDrag(self)
        data.setUrls([QUrl.fromLocalFile(self._path)])
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.CopyAction)
        self.hide()  # not closed: who took the file asks this program for its name


if __name__ == "__main__":
    application = QApplication(sys.argv)
    application.setQuitOnLastWindowClosed(False)
    file = OneFile(sys.argv[1])
    file.show()
    sys.stdout.write("shown\n")
    sys.stdout.flush()
    application.exec()
