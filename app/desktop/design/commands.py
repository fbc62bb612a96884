"""What a person does to the task on the canvas: each is one step of undo, with a name."""

from app.desktop.design.clipboard import Clipboard
from app.desktop.design.layout_commands import LayoutCommands


class CanvasCommands(LayoutCommands, Clipboard):
    """Everything that can be done on one canvas."""
