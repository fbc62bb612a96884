"""A function imports only what is heavy, and only where a process that loads its module goes without it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from app.desktop.shell.modes import MODES

# Some of the processes are the window's: without its libraries (scripts/test names them) nothing can be said of them.
pytest.importorskip(
    "PySide6.QtWidgets", reason="the window lacks libraries of the system", exc_type=ImportError
)

PACKAGES = ("app", "engine", "export_import", "jobs_builtin", "resources")
ROOT = Path(__file__).parents[1]

# What each of them loads before it does anything.
PROCESSES: Mapping[str, str] = {
    "skerry --help": "app.cli.main",
    "list and show": "app.cli.instances",
    "list and show, no engine": "app.cli.instances, engine.api.read_only",
    "an engine": "app.cli.serving, engine.runtime.engine, engine.runtime.upkeep.database_opening",
    "an engine that answers": "engine.api.local, engine.api.listener",
    "the types": "app.wiring; app.wiring.installed_types()",
    "run": "app.cli.running",
    "watch": "app.cli.watching",
    "logs": "app.cli.logs",
    "expressions": "engine.model.expression, engine.context",
    "a host over SSH": "engine.execution.ssh.ssh_host",
    "PostgreSQL without a driver": "engine.store.postgresql",
    "a window without Qt's libraries": "app.desktop.main",
    "the first paint": "app.desktop.shell.window_process",
    "the window of a case": "app.desktop.bundles.case_window",
    **{f"the mode {each.key}": each.location.partition(":")[0] for each in MODES},
}

# What may be imported in a function, and how many milliseconds of CPU it costs where that matters most.
HEAVY: Mapping[str, float] = {
    # libraries
    "PySide6": 56,  # and where it cannot be loaded, a sentence says what is missing
    "croniter": 5,
    "cryptography": 6,
    "difflib": 2,
    "importlib.metadata": 8,
    "lark": 23,
    "paramiko": 100,
    "psycopg": 50,
    "pkgutil": 1,
    "pymysql": 22,
    "regex": 7,
    "shutil": 2,
    "sqlalchemy": 111,
    "subprocess": 3,
    "traceback": 2,
    "urllib.request": 4,
    "urllib3": 21,
    "uvicorn": 12,
    "yaml": 10,
    "zoneinfo": 2,
    # what an engine has, and who only asks for its answers has not
    "engine.api.calendar_effects": 310,
    "engine.api.client": 3,
    "engine.api.documents": 6,
    "engine.api.examine": 156,
    "engine.api.listener": 5,
    "engine.api.local": 424,
    "engine.api.next_fires": 135,
    "engine.api.read_only": 23,
    "engine.api.server": 112,
    "engine.api.sockets": 2,
    "engine.api.worker_check": 350,
    "engine.context": 21,
    "engine.definitions.document": 11,
    "engine.definitions.json_source": 13,
    "engine.definitions.writer": 3,
    "engine.definitions.yaml_source": 12,
    "engine.model.expression": 18,
    "engine.model.rules": 95,
    "engine.planning.handling": 101,
    "engine.plugins.registry": 107,
    "engine.runtime.clock": 3,
    "engine.runtime.engine": 413,
    "engine.runtime.interventions.amending": 349,
    "engine.model.times": 2,
    "engine.runtime.queue.sizing": 108,
    "engine.runtime.reruns.preparation": 361,
    "engine.runtime.settings": 82,
    "engine.runtime.timing": 361,
    "engine.runtime.upkeep.database_opening": 198,
    "engine.runtime.upkeep.ownership": 209,
    "engine.runtime.upkeep.retention": 73,
    "engine.runtime.workspace": 2,
    "engine.secrets.vault": 6,
    "engine.store.migrations": 3,
    "engine.store.opening": 200,
    "engine.store.postgresql": 20,
    "engine.store.quick_reader": 21,
    "engine.store.rebuild": 22,
    "engine.store.taking_in": 27,
    "export_import.packages": 548,
    "export_import.packed_logs": 74,
    "jobs_builtin.archives": 9,
    "resources.clients.ftp": 6,
    "resources.clients.sftp": 100,
    "resources.clients.http": 23,
    # what a terminal shows, and what a click opens
    "app.cli.progress_picture": 23,
    "app.cli.workspace_folder": 3,
    "app.desktop.bundles.case_window": 256,
    "app.desktop.bundles.export_dialog": 119,
    "app.desktop.design.forms.node_form": 77,
    "app.desktop.design.forms.run_form": 59,
    "app.desktop.design.library.job_library": 62,
    "app.desktop.design.resources.resource_editor": 63,
    "app.desktop.monitor.chart_stack": 121,
    "app.desktop.monitor.mode": 126,
    "app.desktop.plan.calendars.calendar_library": 640,
    "app.desktop.shell.guide": 5,
    "app.desktop.shell.locator": 15,
    "app.desktop.shell.shortcuts": 3,
    "app.desktop.shell.tour": 5,
    "app.desktop.shell.window_process": 104,
    "app.desktop.widgets.charts": 199,
    "app.desktop.workers.commands": 36,
}


class FunctionImport(NamedTuple):
    """A statement within a function, or one of the modules that it names."""

    importer: str
    line: int
    imported: str

    @property
    def heavy(self) -> str | None:
        """The entry of the table that covers it."""
        names = self.imported.split(".")
        above = (".".join(names[:count]) for count in range(len(names), 0, -1))
        return next((each for each in above if each in HEAVY), None)

    @property
    def spares(self) -> bool:
        """Whether a process that loads the importer is spared what is imported."""
        return any(self.importer in loaded(each) and self.imported not in loaded(each) for each in PROCESSES)


def test_a_function_imports_only_what_is_known_to_be_heavy() -> None:
    """What is not belongs at the top of its module, where a reader looks for it."""
    assert [each for each in function_imports() if each.heavy is None] == []


def test_what_a_function_imports_is_spared_to_a_process_that_loads_its_module() -> None:
    assert [each for each in function_imports() if not each.spares] == []


def test_all_that_is_known_to_be_heavy_is_imported_by_a_function() -> None:
    assert HEAVY.keys() - {each.heavy for each in function_imports()} == set()


@cache
def function_imports() -> tuple[FunctionImport, ...]:
    """All of them in the packages."""
    files = (file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py")))
    return tuple(each for file in files for each in _within_functions(file))


def _within_functions(file: Path) -> Iterator[FunctionImport]:
    importer = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for function in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for line, imported in _imports(function):
                yield FunctionImport(importer, line, imported)


def _imports(function: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(function):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, each.name) for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from {(node.lineno, _module(node.module, each.name)) for each in node.names}


def _module(package: str, name: str) -> str:
    """``package.name`` where that is a module, else the package."""
    with suppress(ModuleNotFoundError):  # it has no modules
        if find_spec(f"{package}.{name}"):
            return f"{package}.{name}"
    return package


@cache
def loaded(process: str) -> frozenset[str]:
    """The modules that such a process has."""
    done = subprocess.run(
        [sys.executable, "-c", f"import {PROCESSES[process]}; import sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    return frozenset(done.stdout.split())
