"""What ``list`` and ``show`` read by SQLite alone is what the store says, whatever the state of the file."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from engine.model.codes.store import ROW_DAMAGED
from engine.model.errors import SkerryError
from engine.runtime.submission import Submission
from engine.store.changes import Changes
from engine.store.filters import InstanceFilter
from engine.store.opening import open_store
from engine.store.quick_reader import QuickReader, quick_reader
from engine.store.sql_store import Store
from tests.runtime.site import shell, task
from tests.store.conftest import StillClock, at

RAW: dict[str, Any] = {"tasks": {"t": {"nodes": {"a": {"type": "shell", "process": "true"}}}}}
QUESTIONS: dict[str, Callable[[Store], Any]] = {
    "instances": lambda store: store.instances(limit=2),
    "instances of a task": lambda store: store.instances(InstanceFilter("t")),
    "instance": lambda store: store.instance(2),
    "no instance": lambda store: store.instance(9),
    "jobs": lambda store: store.jobs(2),
    "jobs of a run": lambda store: store.jobs(2, 1),
    "jobs at work": lambda store: store.at_work(),
    "snapshot": lambda store: store.snapshot(2, 1),
    "no snapshot": lambda store: store.snapshot(9, 1),
    "tasks": lambda store: store.definitions("task"),
    "error codes of its own": lambda store: store.definitions("error"),
    "what is always asked of the whole": lambda store: store.setting("queue"),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Three instances, one of them at work and one planned, and their jobs."""
    with closing(open_store(f"sqlite:///{tmp_path}/skerry.db", clock=StillClock())) as store:
        changes = Changes()
        for id, status in enumerate(("succeeded", "running", "planned"), 1):
            row = {
                "id": id,
                "task": "t",
                "status": status,
                "trigger": "manual",
                "run": 1,
                "params": {"x": id},
            }
            changes.insert("instance", row | {"scheduled_time": at(days=id), "created_at": at()})
            run = {"instance": id, "run": 1, "status": "running", "trigger": "manual", "created_at": at()}
            changes.insert("run", run | {"snapshot": changes.snapshot(RAW)})
            job = {"id": id, "instance": id, "run": 1, "node": "a", "job": "a", "based_on_edit": True}
            changes.insert(
                "job_instance", job | {"status": status, "created_at": at(), "results": {"y": "é"}}
            )
        store.commit(changes)
    return tmp_path / "skerry.db"


@pytest.fixture
def whole(file: Path) -> Iterator[Store]:
    with closing(open_store(f"sqlite:///{file}", read_only=True, clock=StillClock())) as store:
        yield store


def outcome(ask: Callable[[Store], Any], store: Store) -> Any:
    try:
        return ask(store)
    except SkerryError as error:
        return error.code


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.parametrize("damage", ["", "instance", "job_instance", "run"])
def test_it_says_what_the_store_says(
    file: Path, whole: Store, ask: Callable[[Store], Any], damage: str
) -> None:
    if damage:
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute(f"UPDATE {damage} SET sum = sum + 1")
            connection.commit()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    quick = quick_reader(file, lambda: whole)

    assert quick is not None
    assert outcome(ask, quick) == outcome(ask, whole)


def test_a_damaged_instance_is_no_truth(file: Path, whole: Store) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE instance SET sum = sum + 1 WHERE id = 2")
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    quick = quick_reader(file, lambda: whole)
    assert quick is not None

    with pytest.raises(SkerryError) as caught:
        quick.instance(2)

    assert caught.value.entry is ROW_DAMAGED
    assert [row.status for row in quick.instances()] == ["lost", "succeeded"]


@pytest.mark.parametrize(
    "change",
    [
        "PRAGMA user_version = 999",
        "UPDATE meta SET value = '999' WHERE name = 'schema_version'",
        "DROP TABLE meta",
    ],
)
def test_a_file_of_another_version_is_left_to_the_store(file: Path, change: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(change)
        connection.commit()

    assert quick_reader(file, pytest.fail) is None


def test_a_file_that_was_not_closed_is_left_to_the_store(file: Path, whole: Store) -> None:
    with closing(open_store(f"sqlite:///{file}", clock=StillClock())) as store:
        store.save_definitions(RAW, actor="me")

        assert quick_reader(file, lambda: whole) is None


@pytest.mark.parametrize("content", [None, b"", b"no database at all" * 100])
def test_what_is_no_database_is_left_to_the_store(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "skerry.db"
    if content is not None:
        file.write_bytes(content)

    assert quick_reader(file, pytest.fail) is None


@pytest.mark.parametrize(("command", "texts"), [("list", "yaml"), ("show 1", "none: a failure is explained")])
def test_a_workspace_of_a_quick_reader_is_read_without_the_libraries(
    tmp_path: Path, command: str, texts: str
) -> None:
    with wiring.open_engine(tmp_path) as engine:
        engine.wait(engine.submit(Submission("t", task({"a": shell("exit 3")}))))
    script = (
        "import sys; from app.cli.main import main\n"
        f"sys.argv = ['skerry', '--workspace', {str(tmp_path)!r}, *{command.split()}]\n"
        "try: main()\n"
        f"except SystemExit: print([n for n in ('sqlalchemy', 'pydantic', {texts!r}, 'asyncio') if n in sys.modules])"
    )

    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert output.stdout.splitlines()[-1] == "[]"
    reader = wiring.open_reader(tmp_path)
    assert isinstance(reader, QuickReader)
    reader.close()


@pytest.mark.parametrize(
    ("settings", "is_quick"), [("language: zh", True), ("database: sqlite:///{}", False)]
)
def test_only_a_database_elsewhere_is_opened_as_a_whole(file: Path, settings: str, is_quick: bool) -> None:
    (file.parent / "workspace.yaml").write_text(settings.format(file), "utf-8")

    with closing(wiring.open_reader(file.parent)) as store:
        assert isinstance(store, QuickReader) == is_quick
        assert [row.id for row in store.instances()] == [2, 1]


MANY_THREADS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from engine.store.quick_reader import quick_reader
sys.setswitchinterval(1e-6)
reader = quick_reader(Path(sys.argv[1]), lambda: None)
with ThreadPoolExecutor(8) as threads:
    found = list(threads.map(lambda _: len(reader.instances()), range(400)))
print(set(found))
"""


def test_many_threads_may_ask_at_once(file: Path) -> None:
    """In a process of its own: a deadlock of the interpreter would stop this one for ever."""
    command = [sys.executable, "-c", MANY_THREADS, str(file)]

    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)

    assert output.stdout.strip() == "{2}"
