"""What is exported from: a workspace as it is, whether its engine runs, is stopped, or cannot start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.model.clock import Clock
from engine.model.codes import bundles as codes
from engine.model.errors import Invalid, SkerryError
from engine.model.plain_words import quoted
from engine.runtime.workspace import Workspace
from engine.store.opening import open_store
from engine.store.rebuild import rebuild
from engine.store.rows import AuditRow, InstanceRow, JobRow
from engine.store.sql_store import Store

_PAGE = 1000  # rows of the audit


@dataclass(frozen=True, slots=True)
class InstanceChoice:
    """An instance to export; with ``nodes`` only these jobs of it in full."""

    instance: int
    nodes: frozenset[str] | None = None

    @classmethod
    def of_text(cls, text: str) -> InstanceChoice:
        """``12`` or ``12:node``; Invalid otherwise."""
        number, colon, node = text.partition(":")
        if not number.isascii() or not number.isdigit() or len(number) > 18 or (colon and not node):
            message = "{text} is neither INSTANCE nor INSTANCE:NODE"
            raise Invalid(codes.NOTHING_CHOSEN, message, where=text, text=quoted(text))
        return cls(int(number), frozenset((node,)) if node else None)

    def has(self, node: str) -> bool:
        """Whether a node (or the group it is a member of) is chosen."""
        return self.nodes is None or node in self.nodes or node.rpartition(".")[0] in self.nodes


@dataclass(frozen=True, slots=True)
class Chosen:
    """An instance with its jobs, and which of them are chosen."""

    row: InstanceRow
    jobs: tuple[JobRow, ...]
    choice: InstanceChoice


@dataclass(frozen=True)
class Site:
    """A workspace opened for reading, and what was chosen of it. ``remarks`` are for the bundle."""

    workspace: Workspace
    store: Store
    clock: Clock
    chosen: tuple[Chosen, ...]
    remarks: list[str] = field(default_factory=list)

    def audit(self) -> Iterator[AuditRow]:
        """Every row of the audit, the oldest first."""
        after = 0
        while page := self.store.audit(after, _PAGE):
            yield from page
            after = page[-1].seq


def workspace_at(root: Path, remarks: list[str]) -> Workspace:
    """The workspace in ``root``, also when its settings cannot be read: then with the default ones."""
    try:
        return Workspace.open(root)
    except SkerryError as error:
        remarks.append(f"the settings cannot be read: {error.message}")
        return Workspace(root.absolute())


@contextmanager
def site_at(root: Path, choices: Sequence[InstanceChoice], clock: Clock) -> Iterator[Site]:
    """The site; its rows come from the database, or, where that cannot be read, from the directories."""
    remarks: list[str] = []
    workspace = workspace_at(root, remarks)
    with ExitStack() as stack:
        store = _store(workspace, clock, stack, remarks)
        try:
            chosen = _chosen(store, choices)
        except SkerryError as error:
            if isinstance(error, Invalid):
                raise
            remarks.append(f"the database cannot be read: {error.message}")
            store = _from_directories(workspace, clock, stack)
            chosen = _chosen(store, choices)
        yield Site(workspace, store, clock, chosen, remarks)


def _store(workspace: Workspace, clock: Clock, stack: ExitStack, remarks: list[str]) -> Store:
    try:
        store = open_store(workspace.database_url, read_only=True, clock=clock)
    except SkerryError as error:
        remarks.append(f"the database cannot be opened: {error.message}")
        return _from_directories(workspace, clock, stack)
    stack.callback(store.close)
    return store


def _from_directories(workspace: Workspace, clock: Clock, stack: ExitStack) -> Store:
    """A database of our own, for as long as the export lasts."""
    folder = stack.enter_context(TemporaryDirectory(prefix="skerry-export-", ignore_cleanup_errors=True))
    store = open_store(f"sqlite:///{folder}/rows.db", durability="normal", clock=clock)
    stack.callback(store.close)
    rebuild(workspace.instances, store)
    return store


def _chosen(store: Store, choices: Sequence[InstanceChoice]) -> tuple[Chosen, ...]:
    return tuple(_look_up(store, choice) for choice in _joined(choices))


def _joined(choices: Sequence[InstanceChoice]) -> list[InstanceChoice]:
    """Each instance once; chosen as a whole and in part is as a whole."""
    found: dict[int, InstanceChoice] = {}
    for each in choices:
        before = found.get(each.instance, each)
        whole = before.nodes is None or each.nodes is None
        nodes = None if whole else (before.nodes or frozenset()) | (each.nodes or frozenset())
        found[each.instance] = InstanceChoice(each.instance, nodes)
    return list(found.values())


def _look_up(store: Store, choice: InstanceChoice) -> Chosen:
    row = store.instance(choice.instance)
    if row is None:
        where = str(choice.instance)
        message = "there is no instance {instance}"
        raise Invalid(codes.NOTHING_CHOSEN, message, where=where, instance=choice.instance)
    chosen = Chosen(row, tuple(store.jobs(row.id)), choice)
    for node in choice.nodes or ():
        if not any(InstanceChoice(row.id, frozenset((node,))).has(job.node) for job in chosen.jobs):
            message = "instance {instance} has no node {where!r}"
            raise Invalid.at(codes.NOTHING_CHOSEN, message, node, instance=row.id)
    return chosen
