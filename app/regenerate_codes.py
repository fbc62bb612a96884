"""``python -m app.regenerate_codes``: make the modules of error codes from the data files beside them.

It imports nothing of the program, which may already use a name that is not made yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
_HEAD = '''"""{about}

Made from {name} by ``python -m app.regenerate_codes``.
"""

from __future__ import annotations

from engine.model.listed_code import ListedCode

'''


def modules() -> dict[Path, str]:
    """Every made module by its path: a line for each code."""
    files = [*ROOT.glob("engine/model/codes/*.yaml"), *ROOT.glob("jobs_builtin/*/codes.yaml")]
    return {file.with_suffix(".py"): _module(file) for file in sorted(files)}


def _module(file: Path) -> str:
    text = file.read_text("utf-8")
    about = text.partition("\n")[0].removeprefix("# ")
    return _HEAD.format(about=about, name=file.name) + "".join(_lines(yaml.safe_load(text)))


def _lines(entries: dict[str, dict[str, object]]) -> Iterator[str]:
    for name, entry in entries.items():
        extra = "" if entry.get("retryable", True) else ", retryable=False"
        yield f"{name} = ListedCode(__file__, {entry['code']}{extra})\n"


def main() -> None:
    """Write them all."""
    for path, text in modules().items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
