"""The task as it runs: the canvas with live states, and above it which instance this is and why it waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.desktop.canvas.graph import CanvasGraph
from app.desktop.canvas.view import GraphView
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import code, tr, translated
from app.desktop.kernel.reasons import error_line, failure_line
from app.desktop.kernel.times import exact_text, took_text
from app.desktop.kernel.visible_text import visible
from app.desktop.run.awaited_list import AwaitedList
from app.desktop.run.graph_states import branches_taken, extra_badges, shown_as, strong_links, with_states
from app.desktop.run.node_states import NodeState
from app.desktop.run.reading import RunLook
from app.desktop.run.replay import Replay
from app.desktop.run.replay_bar import ReplayBar
from app.desktop.run.selection import Selected
from app.desktop.run.session import Session
from app.desktop.run.waiting_words import tip_of
from app.desktop.run.where_ran import places
from app.desktop.run.why import why_instance
from app.desktop.run.why_line import WhyLine
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import StatusLabel, line, plain, worded
from app.desktop.widgets.plain_label import CutLine, beginning
from engine.api.trouble_views import node_of
from engine.context.timeline import Moment
from engine.model.message import message_in

_EDGE = 3  # pixels
_MESSAGE = 120  # characters of an error beside the title; all of it is with the job that failed


class Edge(QWidget):
    """A widget with a coloured edge; painted, since a style sheet would dress everything inside it again."""

    def __init__(self) -> None:
        super().__init__()
        self.colour: str | None = None

    def show_edge(self, colour: str | None) -> None:
        self.colour = colour
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.colour is not None:
            painter = QPainter(self)
            painter.setPen(QPen(QColor(self.colour), _EDGE * 2))
            painter.drawRect(self.rect())


class GraphPane(QWidget):
    """``gone`` brings a Target, ``activated`` the node that was double-clicked or entered."""

    gone = Signal(object)
    activated = Signal(str)

    def __init__(
        self, console: Console, session: Session, replay: Replay, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._console, self._session = console, session
        self._framed = self._following = False
        self._drawn: CanvasGraph | None = None  # the picture without states that is on the canvas
        self._taken: Mapping[str, str] = {}
        self._shown: dict[str, tuple[str, tuple[str, ...]]] = {}
        self.title = plain(bold=True, wrap=False)
        self.status = StatusLabel(console)
        self.facts = CutLine()
        self.banner = worded(plain(bold=True, wrap=False), "REPLAY")
        self.why = WhyLine(console)
        self.awaited = AwaitedList(console)
        self.view = GraphView(console)
        self.view.keeps_fit = True
        self.view.tip = self._tip
        translated(self, lambda: self._name_types() if self.view.shared.type_names else None)
        self.bar = ReplayBar(console, session, replay)
        self.frame = Edge()
        self._lay_out()
        self._connect()
        translated(self, self._word)
        self._dress()

    def _lay_out(self) -> None:
        head = line(self.banner, self.title, self.status, self.facts)
        head.setContentsMargins(8, 4, 8, 4)
        vbox(
            head,
            self.why,
            self.awaited,
            (self.view, 1),
            self.bar,
            inside=self.frame,
            margins=_EDGE,
            spacing=0,
        )
        vbox(self.frame, inside=self, margins=0)
        self.why.setContentsMargins(8, 0, 8, 4)

    def _connect(self) -> None:
        session = self._session
        session.looked.connect(self._looked)
        session.failed.connect(lambda error: self._word())
        session.states.connect(self._states)
        session.moment.connect(self._moment)
        session.selection.follow(self._selected)
        self.why.gone.connect(self.gone)
        self.awaited.gone.connect(self.gone)
        self.view.activated.connect(self.activated)
        self.view.selection_changed.connect(self._chosen)
        self._console.theme.changed.connect(self._dress)

    # -- what is shown -------------------------------------------------------------------------

    def _looked(self, look: RunLook) -> None:
        self._draw()
        self._word()

    def _draw(self) -> None:
        """The picture as it is now: drawn again for another definition, else changed where it changed."""
        look, at = self._session.look, self._session.at
        if look is None:
            return
        states = self._session.node_states()
        taken = branches_taken(look.run["jobs"]) if at is None else _taken_then(at)
        ran = places(look.run["jobs"], states)
        extra = extra_badges(taken, look.run["jobs"] if at is None else (), ran)
        if look.graph is not self._drawn:
            self._taken = taken
            self._draw_anew(with_states(look.graph, states, extra), look)
            return
        changed: dict[str, str | None] = {}
        for node in look.graph.nodes:
            now = shown_as(node, states, extra)
            before = self._shown.get(node.id)
            if now == before:
                continue
            self._shown[node.id] = now
            if before is None or now[1] != before[1]:
                item = self.view.items_by_id[node.id]
                item.show_node(replace(node, status=now[0], badges=now[1]))
            changed[node.id] = now[0]
        self.view.set_statuses(changed)
        if taken != self._taken:
            self._taken = taken
            self._lead()

    def _draw_anew(self, graph: CanvasGraph, look: RunLook) -> None:
        before = {node.id for node in self._drawn.nodes} if self._drawn is not None else None
        if {node.id for node in graph.nodes} != before:
            self.view.show_graph(CanvasGraph())
        self._drawn = look.graph
        if look.graph.nodes and not self.view.shared.type_names:
            self._name_types()
        self._shown = {node.id: (node.status or "", node.badges) for node in graph.nodes}
        self.view.show_graph(graph, look.layout)
        self._select()

    def _states(self, states: Mapping[str, NodeState]) -> None:
        """What events reported: the words beside the status follow with the next reading."""
        self.view.set_statuses({node: state.status for node, state in states.items()})
        for node, state in states.items():
            if node in self._shown:
                self._shown[node] = state.status, self._shown[node][1]

    def _moment(self, moment: Moment | None) -> None:
        self._draw()
        self._word()
        if self.banner.isHidden() == self._framed:  # a style sheet is dear: only where it becomes another
            self._dress()

    def _selected(self, now: Selected, before: Selected) -> None:
        if now.instance != before.instance:
            self._drawn = None
            self.view.show_graph(CanvasGraph())
        self._select()
        self._word()

    def _select(self) -> None:
        node = node_of(self._session.selection.now.node or "")
        wanted = frozenset({node} if node in self.view.items_by_id else ())
        if self.view.selected() != wanted:
            self._following = True  # a member or a record stays selected, the picture shows its node
            self.view.select(wanted, show=True)
            self._following = False
        self._lead()

    def _lead(self) -> None:
        """Show which way the run went."""
        if self._drawn is not None:
            self.view.show_links(strong_links(self._drawn, self._taken, self._session.selection.now.node))

    def _chosen(self, ids: frozenset[str]) -> None:
        if len(ids) == 1 and not self._following:
            self._session.selection.choose(node=next(iter(ids)))
        self._lead()

    def _word(self) -> None:
        look, at = self._session.look, self._session.at
        self.banner.setVisible(at is not None)
        self.title.setText(self._title())
        self.status.show_status(None if look is None else at.status if at is not None else look.run["status"])
        self.facts.setText(self._facts())
        present = look if at is None else None
        self.why.show_why(why_instance(present) if present is not None else None)
        self.awaited.show_run(present.run if present is not None else None)

    def _name_types(self) -> None:
        """What job types are called in the language that is on."""
        chinese = code().startswith("zh")
        types = self._console.job_types.items()
        self.view.shared.type_names = {kind: each.label[chinese] for kind, each in types}
        for item in self.view.items_by_id.values():
            item.refit()

    def _tip(self, node: str) -> str:
        """The state of a node in what is shown, and why it waits."""
        own = [job for job in self._session.jobs() if job["node"] == node]
        last = max((job["round"] for job in own), default=1)
        return tip_of(job for job in own if job["round"] == last)

    def _title(self) -> str:
        look = self._session.look
        if look is None:
            if (unread := self._session.unread) is not None:
                return visible(error_line(unread))
            instance = self._session.selection.now.instance
            return tr("Choose an instance.") if instance is None else tr("Reading instance {n}…", n=instance)
        number = f"#{look.run['instance']}"
        if look.run["run"] > 1:
            number = tr("#{instance}, run {run}", instance=look.run["instance"], run=look.run["run"])
        return visible(f"{look.run['task']} {number}")

    def _facts(self) -> str:
        look, at = self._session.look, self._session.at
        if look is None:
            return ""
        if at is not None:
            changed = f"  {at.cause.path}" if at.cause else ""
            return f"{exact_text(at.time)}{changed}"
        run = look.run
        parts = [exact_text(run["started_at"]), took_text(run["started_at"], run["ended_at"])]
        if run["edited"]:
            parts.append(tr("edited: {paths}", paths=", ".join(run["edited"][:3])))
        if run["error_message"]:
            parts.append(beginning(failure_line(run["error_code"], message_in(run)), _MESSAGE))
        return "  ·  ".join(part for part in parts if part)

    def _dress(self) -> None:
        colours = self._console.theme.colours
        replaying = self._framed = self._session.at is not None
        self.frame.show_edge(colours.replay if replaying else None)
        paper = colours.window if colours.dark else "#FFFFFF"
        self.banner.setStyleSheet(f"background: {colours.replay}; color: {paper}; padding: 2px 10px;")


def _taken_then(moment: Moment) -> dict[str, str]:
    """The branches that conditions had taken at a moment."""
    found = {}
    for node, entry in moment.tree.get("JOB", {}).items():
        if isinstance(entry, dict) and "branch" in (entry.get("RESULT") or {}):
            found[node] = str(entry["RESULT"]["branch"])
    return found
