"""What a person does to the task on the canvas: each is one step of undo, with a name."""

from app.desktop.design.clipboard import Clipboard
from app.desktop.design.frame_commands import FrameCommands
from app.desktop.design.layout_commands import Placing
from app.desktop.design.link_commands import Linking


class CanvasCommands(Placing, Linking, Clipboard, FrameCommands):
    """Everything that can be done on one canvas."""
