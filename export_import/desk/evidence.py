"""What a workspace, a case or a bundle (a case while it is looked at) has of its instances, for reading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine.api.views import latest_jobs
from engine.context.timeline import Timeline
from engine.definitions.text_source import SourceFile, parse
from engine.model.clock import Clock
from engine.model.closing import Closing
from engine.model.codes.bundles import LOST
from engine.model.codes.desk import NO_EVIDENCE
from engine.model.codes.runtime import NO_SUCH_INSTANCE
from engine.model.disk import read_file
from engine.model.errors import Invalid
from engine.runtime.clock import SystemClock
from engine.store.filters import InstanceCursor
from engine.store.opening import open_store
from engine.store.rows import InstanceRow, JobRow
from engine.store.sql_store import Store
from export_import.case import DATABASE, content_of
from export_import.foreign_json import load
from export_import.importing import import_bundle

_PAGE = 500
_LARGEST = 1 << 20  # bytes of a file of settings


@dataclass(frozen=True)
class Evidence(Closing):
    """Read only; ``with`` closes the store. Every method reads again."""

    root: Path
    store: Store

    @classmethod
    def open(cls, root: Path) -> Evidence:
        """Invalid when ``root`` is no workspace and no case; SkerryError of domain 70 for its database."""
        root = root.absolute()
        return cls(root, open_store(_database(root), read_only=True, clock=SystemClock()))

    def close(self) -> None:
        self.store.close()

    def instances(self) -> Iterator[InstanceRow]:
        """All of them, the newest first."""
        after = None
        while page := self.store.instances(after=after, limit=_PAGE):
            yield from page
            after = InstanceCursor.after(page[-1])

    def instance(self, id: int) -> InstanceRow:
        """One; Invalid when it is not there."""
        row = self.store.instance(id)
        if row is None:
            message = "there is no instance {where} in {folder}"
            raise Invalid.at(NO_SUCH_INSTANCE, message, id, folder=self.root)
        return row

    def timeline(self, id: int) -> Timeline:
        return Timeline(self.store.lines(id))

    def task_values(self, id: int) -> Mapping[str, Any]:
        """The value of ``$.TASK`` at the end of the log; Invalid when the log is missing or damaged."""
        timeline = self.timeline(id)
        found = timeline.at(timeline.last).tree.get("TASK")
        if not isinstance(found, Mapping) or not isinstance(found.get("PARAMS", {}), Mapping):
            raise Invalid.at(LOST, "the context log of instance {where} is missing or damaged", id)
        return found

    def latest_jobs(self, id: int) -> list[JobRow]:
        """Those of the latest state of every node, as ``show`` lists them."""
        return latest_jobs(self.store.jobs(id))

    def definitions(self, id: int, run: int | None = None) -> dict[str, Any]:
        """The tree of the definitions of a run (of the latest by default), by section."""
        row = self.instance(id)
        return self.store.snapshot(id, run or row.run) or {}

    def resources(self, id: int) -> list[str]:
        """The ids of those that its definitions have."""
        return list(self.definitions(id).get("resources") or ())

    def environment(self, id: int, run: int | None = None) -> Mapping[str, Any]:
        """``environment.json`` as it was written at the start of a run; empty when it is not there."""
        row = self.instance(id)
        folder = self.folder(row)
        earlier = run is not None and run != row.run
        return _document((folder / "runs" / str(run) if earlier else folder) / "environment.json")

    def document(self, name: str) -> Mapping[str, Any]:
        """A JSON file of a case, by its name in the bundle; empty where it is missing or no map."""
        return _document(self.root / name)

    def folder(self, row: InstanceRow) -> Path:
        """The directory of an instance here (its row may name the one at the site)."""
        return self.root / "instances" / f"task-{row.task}-{row.id}"

    def job_folder(self, row: InstanceRow, job: JobRow) -> Path:
        """That of a JobInstance; a worker's record has one below that of its node."""
        folder = self.folder(row)
        _, found, inside = (job.directory or "").rpartition(f"{folder.name}/")
        return folder / (inside if found else f"jobs/job-{job.job}-{job.id}")

    @property
    def redacted(self) -> bool:
        """Whether names and secrets were taken out before it came here."""
        facts = self._facts_of_case().get("redaction")
        return isinstance(facts, Mapping) and bool(facts.get("done"))

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of the place: in a case those that the site had; empty when they cannot be read."""
        return settings_of(self.root)

    def zone(self, id: int) -> str:
        """The time zone in which the instance's expressions shifted times: its schedule's or the place's."""
        row = self.instance(id)
        task = (self.definitions(id).get("tasks") or {}).get(row.task) or {}
        schedule = task.get("schedule") if isinstance(task, Mapping) else None
        own = schedule.get("timezone") if isinstance(schedule, Mapping) else None
        return str(own or self.settings.get("timezone") or self._facts_of_case().get("timezone") or "UTC")

    def _facts_of_case(self) -> Mapping[str, Any]:
        """The bundle's facts about its site; Invalid when ``case.json`` is unreadable."""
        facts = content_of(self.root).get("facts")
        return facts if isinstance(facts, Mapping) else {}


def _database(root: Path) -> str:
    case = (root / "case.json").exists()  # its database is its own, whatever the site used
    url = None if case else settings_of(root).get("database")
    file = root / DATABASE
    if url is None and not file.is_file():
        raise Invalid.at(NO_EVIDENCE, "{where} is no case and no workspace", root)
    return str(url) if url else f"sqlite:///{file}"


def settings_of(root: Path) -> Mapping[str, Any]:
    """See ``Evidence.settings``."""
    for name in ("settings.yaml", "workspace.yaml"):
        with suppress(OSError):
            if (root / name).stat().st_size <= _LARGEST:
                # not yaml.load: a bundle's YAML may be made to do harm
                found = parse(SourceFile(name, read_file(root / name)))
                return found.value if isinstance(found.value, Mapping) and not found.findings else {}
    return {}


def _document(file: Path) -> Mapping[str, Any]:
    with suppress(OSError, ValueError, RecursionError):
        found = load(file)
        return found if isinstance(found, Mapping) else {}
    return {}


def is_place(path: Path) -> bool:
    """Whether a folder is a case or a workspace, and no bundle."""
    return any((path / name).is_file() for name in ("case.json", "skerry.db", "workspace.yaml"))


@contextmanager
def folder_at(paths: Sequence[Path], root: Path, clock: Clock) -> Iterator[Path]:
    """The folder of a case or workspace; a bundle is opened with the keys of ``root``.

    Several paths are several media with parts of one bundle.
    """
    if len(paths) == 1 and is_place(paths[0]):
        yield paths[0].absolute()
        return
    with TemporaryDirectory(prefix="skerry-case-") as name:
        folder = Path(name)
        if (root / "keys").is_dir():
            (folder / "keys").symlink_to((root / "keys").absolute())
        yield import_bundle(folder, paths, clock=clock, name="case").folder
