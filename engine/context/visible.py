"""The part of a context that a task or a running job may read: its jobs, their logs and files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Final, Self

from engine.context.context import TaskContext
from engine.context.fields import LOGS, missing
from engine.context.files import DirectFiles, FileReader, read_reference, reference
from engine.context.tree import MISSING, at_path
from engine.model.codes.expressions import NOT_ENDED, UNKNOWN_JOB, UNREADABLE
from engine.model.errors import SkerryError
from engine.model.expression import ASIDE, MAX_INLINE, FoundValue, Path, Patience
from engine.model.expression.path import Step
from engine.model.names import is_member
from engine.model.states import JOB_ENDED

_LEVELS: Final = 6  # $.JOB, a node, its members, their fields, their results, and one more


@dataclass(frozen=True, slots=True)
class NodeNames:
    """Which node a key means. ``nodes``: all node ids; ``job_nodes``: job id -> the nodes using
    it; ``results``: node id -> its defined results in order, for ``RESULT[0]`` of a job whose
    results are still being computed."""

    nodes: Collection[str]
    job_nodes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    results: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class VisibleContext:
    """What one reader sees of a context.

    ``running`` and ``running_job`` are the node's and the job's own ids, ``running_path`` its
    place, such as ``("JOB", "x")`` or ``("JOB", "x", 2)``. ``within`` has the jobs that it is a member
    of, nearest first: what they may be called -> their node. Nothing is kept between look-ups.
    """

    def __init__(
        self,
        context: TaskContext,
        names: NodeNames,
        *,
        running: str | None = None,
        running_job: str | None = None,
        running_path: Path | None = None,
        within: Mapping[str, str] | None = None,
        item: Any = MISSING,
        index: Any = MISSING,
        files: FileReader | None = None,
        zone: str = "UTC",
        patience: Patience = ASIDE,
    ) -> None:
        self._context = context
        self._tree: dict[str, Any] | None = None  # of a copy that is used on another thread
        self._names = names
        self._own = {running, running_job, running_path[1] if running_path else None} - {None}
        self._own_path = running_path
        self._within = within or {}
        self._item = item
        self._index = index
        self._files: FileReader = files or DirectFiles()
        self.zone = zone  # of the schedule
        self.patience = patience

    def aside(self) -> Self:
        """The same as it is now, for work that takes longer on another thread."""
        reader = copy(self)
        reader._tree = _copied(self.tree, _LEVELS)
        reader.patience = ASIDE
        return reader

    @property
    def tree(self) -> dict[str, Any]:
        return self._context.tree if self._tree is None else self._tree

    def root(self, name: Step) -> Any:
        """``$.ITEM`` and ``$.INDEX``, or a part of the tree; MISSING if there is none."""
        if name == "ITEM":
            return self._item
        return self._index if name == "INDEX" else self.tree.get(str(name), MISSING)

    def node(self, key: str, text: str) -> str:
        """The node that ``key`` means; SkerryError if it is none or several."""
        if key in self._own and self._own_path:
            return str(self._own_path[1])
        if inside := self._inside(key):
            return inside
        if key in self._names.nodes or key in self.tree.get("JOB", {}):
            return key
        nodes = self._names.job_nodes.get(key, ())
        if len(nodes) == 1:
            return nodes[0]
        message = "{where}: job {job!r}: it is used by the nodes {nodes}: name one"
        message = message if nodes else "{where}: job {job!r}: no node has this id"
        raise SkerryError.at(
            UNKNOWN_JOB, message, text, details={"job": key}, job=key, nodes=", ".join(nodes)
        )

    def _inside(self, key: str) -> str | None:
        """The group that the running job is a member of, or another member of it, if ``key`` is one."""
        for id, node in self._within.items():
            if key == id or (key.startswith(f"{id}.") and is_member(key[len(id) + 1 :])):
                return node + key[len(id) :]
        return None

    def holds_running(self, node: str) -> bool:
        """Whether the running job is a member of this one: what it was given may be read."""
        return node in self._within.values()

    def running_member(self, key: str) -> int | None:
        """Which member of a batch the running job is, if ``key`` is its own id or of the same group."""
        path = self._own_path
        if path is None or len(path) < 3 or not (key in self._own or self._inside(key)):
            return None
        return path[2]  # type: ignore[return-value]

    def rounds(self, node: str) -> list[Any]:
        """Every round of a node, the latest last."""
        earlier = self.tree.get("ROUNDS", {}).get(node, [])
        latest = self.tree.get("JOB", {}).get(node, MISSING)
        return [*earlier] if latest is MISSING else [*earlier, latest]

    def is_running(self, entry: Any) -> bool:
        return self._own_path is not None and at_path(self.tree, self._own_path, MISSING) is entry

    def check_ended(self, entry: Any, key: str, text: str) -> None:
        """SkerryError unless a job has ended or is the one that asks."""
        status = entry.get("STATUS") if isinstance(entry, dict) else None
        if status not in JOB_ENDED and not self.is_running(entry):
            message = "{where}: job {job!r} has not ended: it is {status}"
            message = message if status else "{where}: job {job!r} has not ended: it has not started"
            raise SkerryError.at(NOT_ENDED, message, text, details={"job": key}, job=key, status=status)

    def log(self, entry: Mapping[str, Any], field: str, key: str, text: str) -> FoundValue:
        """``OUTPUT``, ``LOG`` or ``ERROR_OUTPUT`` of a job, and its reference in the log."""
        name, directory = LOGS[field], entry.get("DIRECTORY")
        if not isinstance(directory, str):
            raise missing(text, "job {job!r} never ran, so it has no {field}", key, job=key, field=field)
        try:
            data = self._files.read(directory, name, self.patience.read)
        except SkerryError as error:
            error.reword("{where}: job {name!r}: {message}", where=text, name=key)
            raise
        value = data.decode("utf-8", "replace")
        value = value.removesuffix("\n") if field == "OUTPUT" else value
        return FoundValue(
            value, value if len(data) <= MAX_INLINE else reference(self._relative(directory, name), data)
        )

    def _relative(self, directory: str, name: str) -> str:
        folder = str(self.tree.get("TASK", {}).get("DIRECTORY", ""))
        return f"{directory.removeprefix(folder.rstrip('/') + '/')}/{name}"

    def loaded(self, value: Mapping[str, Any], text: str, limit: int | None = None) -> Any:
        """The value that a reference stands for; its file may have ``limit`` bytes."""
        folder = self.tree.get("TASK", {}).get("DIRECTORY")
        if not isinstance(folder, str):
            raise SkerryError.at(UNREADABLE, "{where}: the folder of the instance is not known", text)
        return read_reference(value, folder, self._files, limit or self.patience.read)

    def name_at(self, node: str, field: Step, names: Mapping[str, Any], position: int) -> str | None:
        """The parameter or result at a position, in the order of definition."""
        defined = self._names.results.get(node, ()) if field == "RESULT" else ()
        order = [*defined, *(name for name in names if name not in defined)]
        return order[position] if -len(order) <= position < len(order) else None


def _copied(value: Any, levels: int) -> Any:
    """Containers of their own as far as edits and ends of jobs change them in place."""
    if levels and isinstance(value, dict):
        return {key: _copied(each, levels - 1) for key, each in value.items()}
    if levels and isinstance(value, list):
        return [_copied(each, levels - 1) for each in value]
    return value
