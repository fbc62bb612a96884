"""What is done on a canvas, by the table of actions: the same on every canvas that edits a task."""

from __future__ import annotations

from app.desktop.design.actions import CANVAS
from app.desktop.design.canvas import DesignCanvas
from app.desktop.kernel.actions import Actions


def add_canvas_actions(actions: Actions, canvas: DesignCanvas) -> None:
    """Make those whose keys work where the canvas has the focus."""
    do = canvas.commands
    doing = {
        "cut": do.cut, "copy": do.copy, "paste": do.paste, "duplicate": do.duplicate, "delete": do.delete,
        "all": lambda: canvas.select(canvas.items_by_id), "rename": do.rename,
        "link": do.link_selected, "at-end": do.ask_outcome, "switch": do.switch,
        "group": do.group, "ungroup": do.ungroup, "comment": do.comment,
        "layout": do.layout, "pin": do.pin,
        "align_left": lambda: do.align(True), "align_top": lambda: do.align(False),
        "spread_across": lambda: do.distribute(True), "spread_down": lambda: do.distribute(False),
        "left": lambda: do.nudge(-1, 0), "right": lambda: do.nudge(1, 0),
        "up": lambda: do.nudge(0, -1), "down": lambda: do.nudge(0, 1),
    }  # fmt: skip
    for spec in CANVAS:
        actions.add(spec, canvas, doing[spec.id.partition(".")[2]])
