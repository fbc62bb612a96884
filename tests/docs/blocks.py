"""The fenced blocks of a page, and the marks that tell what is done with them.

A mark follows the language, where readers do not see it::

    ```yaml                a definition (``skerry: 1`` may be left out): it is checked
    ```yaml run            its task runs and succeeds; ``run=failed``: it ends so
    ```yaml name=a.yaml    the commands of the page find it under this name
    ```yaml wrong          it has errors
    ```yaml settings       a workspace.yaml
    ```sh                  its skerry commands are ones that the program understands
    ```sh run              it is carried out, with exit status 0; ``run=1``: with this one
    ```sh serve            it is started, and ended after the page
    ```text output         what the commands before it print; … matches anything
    ```python              it runs
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("benchmarks/*.md")])
_FENCE = re.compile(
    r"^(?P<fence>```+)(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=fence)\s*$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Block:
    """One fenced block; ``marks`` maps each mark to its value ("" without one)."""

    page: Path
    line: int
    language: str
    marks: dict[str, str]
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def definition(self) -> str:
        """The whole definition file that it means."""
        return self.text if re.search(r"^skerry:", self.text, re.MULTILINE) else f"skerry: 1\n{self.text}"


def blocks(page: Path) -> list[Block]:
    """Every fenced block of a page, in order."""
    text = page.read_text("utf-8")
    return [_block(page, text, found) for found in _FENCE.finditer(text)]


def blocks_of(*languages: str) -> list[Block]:
    """Those of every page in one of these languages."""
    return [block for page in PAGES for block in blocks(page) if block.language in languages]


def _block(page: Path, text: str, found: re.Match[str]) -> Block:
    language, *marks = found["info"].split() or [""]
    pairs = (mark.partition("=") for mark in marks)
    line = text.count("\n", 0, found.start()) + 1
    return Block(page, line, language, {name: value for name, _, value in pairs}, found["text"])
