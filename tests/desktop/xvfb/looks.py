"""How a window looks while a person works in it, and what an English text is called there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from app import wiring
from app.desktop.kernel.console import Console
from app.texts import catalogue
from tests.desktop.xvfb.eyes import plain

_PARTS = {  # of longer texts, and texts with values
    "1 job is not known": "1 个作业的结果未知",
    "it becomes a case": "将成为一个只读的案例",
    "nightly #1, run 2": "nightly #1，第 2 次运行",
    "The program ended with an error status": "程序以错误状态退出",
    "Canvas": "画布",
    "Script": "脚本",
    "File name": "文件名称",
}


@dataclass(frozen=True)
class Look:
    """``size`` in pixels of the window, of which each is ``scale`` of the screen."""

    size: tuple[int, int] = (1360, 860)
    language: str = "en"
    dark: bool = False
    scale: int = 1

    def dress(self, console: Console) -> None:
        """Show everything in it from now on."""
        console.language.switch(self.language)
        console.theme.switch(dark=self.dark)

    def text(self, english: str) -> str:
        """What the window shows for an English text; data has no other words."""
        if self.language != "zh_CN":
            return english
        return catalogue("zh").get(english) or _chinese().get(plain(english), english)


LOOKS: Mapping[str, Look] = {
    "usual": Look(),
    "1280x720, Chinese, dark": Look((1280, 720), "zh_CN", dark=True),
    "800x500 at 200 %, Chinese, dark": Look((800, 500), "zh_CN", dark=True, scale=2),
}


@cache
def _chinese() -> Mapping[str, str]:
    types = dict(each.label for each in wiring.installed_types().job_types.values())
    return {plain(english): text for english, text in (catalogue("zh") | types | _PARTS).items()}
