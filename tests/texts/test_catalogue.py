"""Every text of window and command line is there in Chinese, and no translation is left over."""

from __future__ import annotations

import string
from pathlib import Path

import pytest
import yaml

from app.texts import TRANSLATIONS, catalogue
from tests.texts.source import APP, ROOT, files, looked_up, mentioned, shown

CHINESE = catalogue("zh")
PARTS = sorted((TRANSLATIONS / "zh").glob("*.yaml"))
# What reads as words and is not looked up, by the file that has it: parts of messages of errors (English, with a
# code whose title is shown in Chinese), help of commands, names and examples of what programs read, names of types.
NOT_TRANSLATED = {
    "cli/engine_access.py": {
        "the engine did not start; ", " says why", "there is no such folder", "this folder is no workspace",
    },
    "cli/input_files.py": {"no file can have this name"},
    "cli/fixing.py": {"several begin with ", "there is no "},
    "cli/instances.py": {" has no node "},
    "cli/keys.py": {"say in which role the key is trusted: --role site, support or author"},
    "cli/run_progress.py": {"bold red"},
    "cli/rerunning.py": {"say what runs again: --all, --from NODE, --failed or --only NODE (one of them)"},
    "cli/shell.py": {
        " Did you mean ", " is not valid text", "Commands", "Print one JSON document on standard output.",
        "The workspace's folder (also SKERRY_WORKSPACE).", "the output",
    },
    "cli/show_text.py": {"    skerry logs "},
    "cli/task_states.py": {
        "Delete TASK; what ran stays in the history.", "Keep TASK from starting by its schedule.",
        "Let TASK start by its schedule; schedule and dependencies are then fixed.",
    },
    "desktop/admin/settings_page.py": {
        "places, timezone, language, database, durability, grace, idle, monitor, retention, environment, secret_names"
    },
    "desktop/bundles/export_dialog.py": {"Vault | None", "Wanted"},
    "desktop/codes/rule_form.py": {
        "info, warning, error", "manual, schedule, backfill, condition", "nightly, weekly",
    },
    "desktop/codes/rule_tree.py": {"Value error, "},
    "desktop/design/document.py": {"Document", "Sheet"},
    "desktop/design/entries.py": {"echo hello\n"},
    "desktop/design/forms/field_tables.py": {"any value", "whole number"},
    "desktop/design/library/beginnings.py": {"public class Main { public static void main(String[] a) { } }\n"},
    "desktop/kernel/actions.py": {"Edit", "View", "Window"},  # with their & they are translated
    "desktop/kernel/theme.py": {"Fusion", "Skerry Hei", "Skerry Mono"},
    "desktop/log/search.py": {  # a pattern
        r"\b(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC|EMERG|ALERT|Traceback|[A-Z]\w*(?:Error|Exception))\b|错误|异常|失败"
    },
    "desktop/main.py": {
        "the window needs some system libraries that are not there: {problem}\non Debian, as root: apt-get install "
    },
    "desktop/shell/crash.py": {"PySide6-Essentials", "engine's last words:\n"},
    "desktop/shell/fonts.py": {"Skerry Hei"},
    "desktop/shell/menus.py": {"Edit", "View", "Window"},
    "desktop/shell/running.py": {"Skerry"},
    "desktop/shell/tray.py": {"Skerry"},
    "desktop/widgets/foreign.py": {"<qt><pre style='white-space: pre-wrap'>"},
    "desktop/widgets/remedy_words.py": {"keys trust", "secret accept"},
    "wiring.py": {" is full: the reserve on it was given up", "the disk of "},
}  # fmt: skip


@pytest.mark.parametrize("file", files(), ids=lambda file: str(file.relative_to(APP)))
def test_whatever_a_person_reads_is_in_the_catalogue(file: Path) -> None:
    found = looked_up(file) | {text for _, text in shown(file)}

    assert found - CHINESE.keys() - NOT_TRANSLATED.get(str(file.relative_to(APP)), set()) == set()


def test_nothing_is_excused_that_is_not_there() -> None:
    assert {
        (name, text)
        for name, texts in NOT_TRANSLATED.items()
        for text in texts
        if text not in mentioned(APP / name)
    } == set()


def test_no_translation_is_left_over() -> None:
    # some words of the desk, and of what a power cut took, are shown as they come
    elsewhere = (*(ROOT / "export_import").rglob("*.py"), ROOT / "engine" / "context" / "missing.py")
    known = {text for file in (*files(), *elsewhere) for text in mentioned(file)}

    assert CHINESE.keys() - known == set()


@pytest.mark.parametrize("part", PARTS, ids=lambda file: file.stem)
def test_a_translation_has_the_values_of_its_original(part: Path) -> None:
    for english, chinese in _texts(part).items():
        assert _values(english) == _values(chinese), english


def test_one_text_has_one_translation() -> None:
    said: dict[str, set[str]] = {}
    for part in PARTS:
        for english, chinese in _texts(part).items():
            said.setdefault(english, set()).add(chinese)

    assert {english: ways for english, ways in said.items() if len(ways) > 1} == {}


def _texts(part: Path) -> dict[str, str]:
    return yaml.safe_load(part.read_text("utf-8")) or {}


def _values(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name} - {"n"}
