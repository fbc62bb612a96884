"""One name means one thing: no two classes of the program have the same name."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("app", "engine", "export_import", "jobs_builtin", "resources")


def test_no_two_classes_have_the_same_name() -> None:
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    trees = [ast.parse(file.read_text("utf-8")) for file in files]

    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))

    assert [name for name, times in names.items() if times > 1] == []
