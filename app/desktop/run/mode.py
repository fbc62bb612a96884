"""The run mode: watch, understand, repair and replay runs. It puts the panes together and nothing more."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.desktop.grid.grid_pane import GridPane
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr
from app.desktop.kernel.mode import Mode, PaneEntry
from app.desktop.kernel.reasons import failure_fact
from app.desktop.kernel.subject import Subject
from app.desktop.log.pane import LogPane
from app.desktop.run import actions
from app.desktop.run.assistants import RunAssistants
from app.desktop.run.commands import RunCommands, may_retry
from app.desktop.run.context_pane import ContextPane
from app.desktop.run.gantt_pane import GanttPane
from app.desktop.run.graph_pane import GraphPane
from app.desktop.run.instances_pane import InstancesPane
from app.desktop.run.job_pane import JobPane
from app.desktop.run.jobs_pane import JobsPane
from app.desktop.run.log_feed import LogFeed
from app.desktop.run.problems_pane import ProblemsPane
from app.desktop.run.remedies import definition_of
from app.desktop.run.replay import Replay
from app.desktop.run.replay_keys import ReplayKeys
from app.desktop.run.session import Session
from app.desktop.subjects.menu import offer_menu, subject_menu
from app.desktop.subjects.table import PAST, refusal
from engine.model.message import message_in

_LEFT, _RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
_BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea
_SHARES = 0.2, 0.3  # of the width: the instances, the job


class RunMode(Mode):
    """See ``app.desktop.run.session``; over the link of another workspace it shows that one, read only."""

    KEY = "run"
    PANES = (
        PaneEntry("job", "Job", "Show the job", _RIGHT, lambda mode: JobPane(mode.console, mode.session)),
        PaneEntry(
            "instances", "Instances", "Show the instances", _LEFT, lambda mode: InstancesPane(mode.console)
        ),
        PaneEntry("log", "Log", "Show the log", _BOTTOM, lambda mode: LogPane(mode.console)),
        PaneEntry(
            "gantt", "Gantt chart", "Show the Gantt chart", _BOTTOM,
            lambda mode: GanttPane(mode.console, mode.session),
        ),
        PaneEntry(
            "problems", "Problems", "Show the problems", _BOTTOM,
            lambda mode: ProblemsPane(mode.console, mode.session),
        ),
        PaneEntry("jobs", "Jobs", "Show the jobs", _LEFT, lambda mode: JobsPane(mode.console, mode.session)),
        PaneEntry(
            "context", "Context", "Show the context", _RIGHT,
            lambda mode: ContextPane(mode.console, mode.session),
        ),
        PaneEntry(
            "grid", "Last runs", "Show the last runs", _BOTTOM, lambda mode: GridPane(mode.console, "run")
        ),
    )  # fmt: skip

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self.session = Session(console.link, self)
        self.replay = Replay(console.link, self.session, self)
        self.graph = GraphPane(console, self.session, self.replay)
        self.setCentralWidget(self.graph)
        self.setCorner(Qt.Corner.BottomLeftCorner, _BOTTOM)  # logs are wide
        self.setCorner(Qt.Corner.BottomRightCorner, _RIGHT)
        self.add_panes()
        self.instances, self.job = self.pane("instances", InstancesPane), self.pane("job", JobPane)
        self.log, self.context = self.pane("log", LogPane), self.pane("context", ContextPane)
        self.gantt, self.problems = self.pane("gantt", GanttPane), self.pane("problems", ProblemsPane)
        self.jobs, self.grid = self.pane("jobs", JobsPane), self.pane("grid", GridPane)
        self.commands = RunCommands(console, self.session, self)
        self.assistants = RunAssistants(console, self.session, self)
        self._keys = ReplayKeys(self.replay, self)
        self._keys.listen(self.graph.view, self.graph.bar.slider, self.gantt.view)
        self._log_feed = LogFeed(self.session, self.log, self)
        self._shares = False  # whether the sides follow the width of the window
        self._act()
        self._connect()
        self._may()

    def share_room(self) -> None:
        self.tabify_panes()
        self._share_width()
        self.resizeDocks([self.docks["log"]], [int(self.height() * 0.3)], Qt.Orientation.Vertical)
        QTimer.singleShot(0, self, self.graph.view.fit)

    def _share_width(self) -> None:
        self._shares = True
        if self.narrow:
            return
        sides = [self.docks["instances"], self.docks["job"]]
        wanted = [int(self.width() * part) for part in _SHARES]
        self.resizeDocks(sides, wanted, Qt.Orientation.Horizontal)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._shares:
            QTimer.singleShot(0, self, self._share_width)

    def event(self, event: QEvent) -> bool:
        """A press that no child takes is one on the edge of a dock: from now on they stay as they are put."""
        if event.type() is QEvent.Type.MouseButtonPress:
            self._shares = False
        return super().event(event)

    def _connect(self) -> None:
        session = self.session
        self.instances.chosen.connect(session.open)
        session.selection.follow(lambda now, before: self.instances.select(now.instance))
        for signal in (session.looked, session.moment, self.replay.changed, self.console.link.state_changed):
            signal.connect(self._may)
        session.selection.follow(lambda now, before: self._may())
        session.failed.connect(lambda error: self.console.refused(error))
        for pane in (self.graph, self.job, self.problems):
            pane.gone.connect(self._go)
        self.grid.chosen.connect(lambda instance, node: session.open(instance, node or None))
        self.grid.looked_at.connect(lambda cell: session.open(cell.instance, cell.node))
        session.looked.connect(lambda look: self.grid.show_task(look.run["task"], look.run["instance"]))
        self.job.acted.connect(lambda id: self.console.actions.get(id).trigger())
        self.job.path_wanted.connect(self._show_path)
        self.context.seq_wanted.connect(self.replay.seek)
        self.gantt.time_wanted.connect(self.replay.seek_time)
        self.graph.activated.connect(lambda _: self.raise_dock("job"))
        self.graph.view.menu_wanted.connect(self._menu)
        self.graph.awaited.release_wanted.connect(self.console.actions.get("run.release").trigger)
        self.graph.awaited.table.looked_at.connect(lambda _: self._may())
        offer_menu(self.instances.table, self.console.actions, actions.OF_RUN)
        for tree in (self.jobs.table, self.problems.table):
            offer_menu(tree, self.console.actions, actions.OF_NODE)

    # -- coming and going ----------------------------------------------------------------------

    def entered(self) -> None:
        self.instances.refresh()

    def open(self, target: Target) -> None:
        """Show an instance, a node of it; of that ``error``, ``log``, ``context``, ``gantt``.

        ``rerun`` and ``resume`` ask for that at once, ``do:run.cancel`` for any action, ``compare:12``
        compares with instance 12.
        """
        if not target.id.isdecimal():
            return
        self.session.open(int(target.id), target.node)
        self.raise_dock(target.detail if target.detail in ("log", "context", "gantt", "grid") else "job")
        do = _AT_ONCE.get(target.detail or "") or (target.detail or "").removeprefix("do:")
        if do.startswith("run."):
            self._once_looked(lambda: self._do(do))
        elif (target.detail or "").startswith("compare:"):
            other = int((target.detail or "").partition(":")[2])
            self._once_looked(lambda: self.assistants.compare_with(other))

    def _once_looked(self, do: Callable[[], None]) -> None:
        """Do it when the instance that was just opened is there."""

        def looked(_: object) -> None:
            self.session.looked.disconnect(looked)
            do()

        self.session.looked.connect(looked)

    def _do(self, id: str) -> None:
        """An action that was asked for elsewhere; what cannot be done now says so."""
        action = self.console.actions.get(id)
        if action.isEnabled():
            action.trigger()
        else:
            what = action.text().replace("&", "")
            self.console.navigator.notify(tr("Not possible now: {what}", what=what), bad=True)

    def subject(self) -> Subject | None:
        """The selected job, else the instance; not what is shown of its past."""
        look, job = self.session.look, self.session.job()
        if look is None:
            return None
        said = job if job is not None else look.run
        return Subject(
            look.run["task"], look.run["instance"], job["node"] if job is not None else None,
            look.run["status"], job["status"] if job is not None else None, said["error_code"],
            failure_fact(said["error_code"], message_in(said)), failed=may_retry(look.run["jobs"]),
        )  # fmt: skip

    def _go(self, target: Target) -> None:
        """A target within this mode is shown here, whatever window this is."""
        if target.kind == "instance":
            self.open(target)
        else:
            self.console.navigator.go(target)

    def _show_path(self, path: str) -> None:
        self.raise_dock("context")
        self.context.show_path(path)

    def _show_charts(self) -> None:
        self.raise_dock("job")
        self.job.tabs.setCurrentWidget(self.job.charts)

    def change_value(self) -> None:
        """Lead to a value that the job has read; where there is only one, ask for another one at once."""
        paths = self.job.editable_inputs()
        if not paths:
            self.raise_dock("context", focus=True)
            return
        self._show_path(paths[0])
        self.context.offer_change(at_once=len(paths) == 1)

    def let_go(self) -> None:
        self.log.stop()
        self.job.charts.stop()

    # -- actions -------------------------------------------------------------------------------

    def _act(self) -> None:
        does = {
            "run.retry": self.assistants.retry,
            "run.rerun": self.assistants.rerun,
            "run.rerun_from": self.assistants.rerun_from,
            "run.cancel": self.commands.cancel,
            "run.cancel_job": self.commands.cancel_job,
            "run.force": self.commands.force,
            "run.priority": self.commands.priority,
            "run.pause": self.commands.pause,
            "run.release": lambda: self.commands.release(
                self.graph.awaited.table.shown, self.graph.awaited.held
            ),
            "run.pause_queue": self.commands.pause_queue,
            "run.compare": self.assistants.compare,
            "run.definition": self.go_definition,
            "run.show_log": lambda: self.raise_dock("log"),
            "run.show_charts": self._show_charts,
            "run.change_value": self.change_value,
            "run.next_problem": lambda: self._problem(1),
            "run.previous_problem": lambda: self._problem(-1),
            "run.refresh": self.session.refresh,
            "run.fit": self.graph.view.fit,
            "replay.play": self.replay.play,
            "replay.live": self.replay.leave,
        }
        self.console.actions.add_all(actions.ACTIONS, self, does)

    def _may(self) -> None:
        """What can be done now; nothing changes a run while its past is shown."""
        look, past = self.session.look, self.session.replaying
        subject, locked = self.subject(), self.console.link.locked
        for name in _FOR_ALL:
            changes = name not in ("compare", "definition", "show_log")
            why = PAST if past and changes and not locked else refusal(f"run.{name}", subject, locked)
            self.console.actions.refuse(f"run.{name}", why)
        changing = not locked and not past
        allowed = {
            "run.change_value": changing and subject is not None and subject.node is not None,
            "run.release": changing and look is not None and self.graph.awaited.held is not None,
            "run.pause_queue": changing,
            "replay.play": self.replay.last > 0,
            "replay.live": self.replay.position is not None,
        }
        for id, may in allowed.items():
            self.console.actions.get(id).setEnabled(may)
        self.subject_changed.emit()

    def _menu(self, node: str, where: QPoint) -> None:
        subject_menu(self, self.console.actions, actions.OF_NODE if node else actions.OF_RUN).popup(where)

    def _problem(self, by: int) -> None:
        self.raise_dock("problems")
        self.problems.step(by)

    # -- looking further -----------------------------------------------------------------------

    def go_definition(self) -> None:
        job, look = self.session.job(), self.session.look
        if job is not None and look is not None:
            self.console.navigator.go(definition_of(job, look))


_FOR_ALL = (  # those of the table of actions that the run mode does itself
    "retry", "rerun", "rerun_from", "cancel", "cancel_job", "force", "priority", "pause", "compare",
    "show_log", "definition",
)  # fmt: skip
_AT_ONCE = {"rerun": "run.rerun", "resume": "run.pause"}  # details that are actions
