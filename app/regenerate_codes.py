"""``python -m app.regenerate_codes``: make the modules of error codes from the data files beside them.

It imports nothing of the program, which may already use a name that is not made yet.
"""

from __future__ import annotations

from pathlib import Path

import yaml

Entries = dict[str, dict[str, object]]
ROOT = Path(__file__).resolve().parent.parent
_HEAD = '''"""{about}

Made from {name} by ``python -m app.regenerate_codes``.
"""

'''
_CONSTANTS = """from engine.model.listed_code import ListedCode

"""
_FAMILY = '''from engine.model.listed_code import CodeFamily, ListedCode


class {kind}(CodeFamily):
    """The entries below the ``number`` of one of its users."""

    def __init__(self, number: int) -> None:
{entries}'''


def modules() -> dict[Path, str]:
    """Every made module by its path: a line for each code."""
    files = [*ROOT.glob("engine/model/codes/*.yaml"), *ROOT.glob("jobs_builtin/**/*codes.yaml")]
    files += ROOT.glob("resources/**/*codes.yaml")
    return {file.with_suffix(".py"): _module(file) for file in sorted(files)}


def _module(file: Path) -> str:
    text = file.read_text("utf-8")
    about = text.partition("\n")[0].removeprefix("# ")
    entries = yaml.load(text, yaml.CSafeLoader)
    body = _constants(entries) if next(iter(entries)).isupper() else _family(file.stem, entries)
    return _HEAD.format(about=about, name=file.name) + body


def _constants(entries: Entries) -> str:
    return _CONSTANTS + "".join(f"{name} = {_code(entry)}\n" for name, entry in entries.items())


def _family(stem: str, entries: Entries) -> str:
    """What several users have, each with a number of its own."""
    lines = (f"        self.{name} = {_code(entry, ', below=number')}\n" for name, entry in entries.items())
    return _FAMILY.format(kind=stem.title().replace("_", ""), entries="".join(lines))


def _code(entry: dict[str, object], more: str = "") -> str:
    extra = "" if entry.get("retryable", True) else ", retryable=False"
    return f"ListedCode(__file__, {entry['code']}{extra}{more})"


def main() -> None:
    for path, text in modules().items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
