"""Opens a real window on a workspace that is ready, and lets a person walk a story in it.

What must be there before it
begins is made by commands, in the folder's ``site`` and ``desk``; the window shows the one that the story is about.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPlainTextEdit, QTextEdit, QWidget

from app import wiring
from app.desktop.kernel.settings import WindowSettings
from app.desktop.shell.closing import Choice
from app.desktop.shell.startup import link_to, make_console
from app.desktop.shell.window import MainWindow
from app.desktop.shell.window_process import the_application
from tests.desktop.xvfb.eyes import Eyes
from tests.desktop.xvfb.looks import Look
from tests.desktop.xvfb.person import Person

EXAMPLES = Path(__file__).parents[3] / "examples"


@dataclass(frozen=True)
class Stage:
    """Where a story takes place: a window, and the folder with all that it is about."""

    window: MainWindow
    folder: Path
    look: Look

    def shows(self, text: str) -> bool:
        """Whether a text in any window says it, in English (window's thread only)."""
        return any(self.look.text(text) in each for each in _all_texts())


@dataclass(frozen=True)
class Story:
    """``ready``: commands before the window opens, ``at desk …`` or at the site; ``at``: whose window it is."""

    walk: Callable[[Person, Stage], None]
    ready: tuple[str, ...] = ()
    at: str = "site"


def play(story: Story, folder: Path, look: Look) -> int:
    """Open the window, let the person walk, print ``{"clicks": …, "keys": …, "steps": […]}``; 1: it had no end."""
    for line in story.ready:
        command(folder, line)
    application = the_application()
    root = wiring.open_workspace(folder / story.at).root
    link = link_to(wiring.open_workspace(root))
    window = MainWindow(make_console(application, root, link, WindowSettings(folder / "console.ini")))
    window.choose = lambda *_: Choice.STOP
    look.dress(window.console)
    window.resize(*look.size)
    window.show()
    link.start()
    person, failed = Person(Eyes(), look), threading.Event()

    def walk() -> None:
        try:
            story.walk(person, Stage(window, folder, look))
        except BaseException:
            failed.set()
            traceback.print_exc()
        person.leave()
        person.eyes.look(lambda: QApplication.primaryScreen().grabWindow(0).save(str(folder / "end.png")))
        person.eyes.look(_close_all)

    walker = threading.Thread(target=walk)
    walker.start()
    application.exec()
    walker.join()
    took = {"clicks": person.clicks, "keys": person.keys, "steps": person.steps}
    sys.stdout.write(f"{json.dumps(took)}\n")
    return int(failed.is_set())


def command(folder: Path, line: str) -> None:
    """Run ``skerry …`` at the site, or at the desk where the line begins with ``at desk``."""
    words = shlex.split(line.format(examples=EXAMPLES, here=Path(__file__).parent))
    at, words = (words[1], words[2:]) if words[0] == "at" else ("site", words)
    skerry = [sys.executable, "-m", "app.cli.main", "--workspace", str(folder / at), *words]
    done = subprocess.run(skerry, cwd=folder, capture_output=True, text=True, timeout=120)
    if done.returncode not in (0, 1):  # 1: what was run failed, as it should
        raise RuntimeError(f"{line}: {done.stderr}{done.stdout}")


def _close_all() -> None:
    while (dialog := QApplication.activeModalWidget()) is not None:
        if isinstance(dialog, QDialog):
            dialog.done(0)  # close may ask
        else:
            dialog.close()
    for each in sorted(QApplication.topLevelWidgets(), key=lambda each: isinstance(each, MainWindow)):
        if each.isVisible():
            each.close()


def _all_texts() -> list[str]:
    shown = [each for each in QApplication.allWidgets() if each.isVisible()]
    return [_text(each) for each in shown]


def _text(widget: QWidget) -> str:
    if isinstance(widget, QLabel):
        return widget.text()
    return widget.toPlainText() if isinstance(widget, QTextEdit | QPlainTextEdit) else ""
