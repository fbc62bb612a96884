"""The actions of the design mode, for menus, tool bar, shortcuts and the locator."""

from app.desktop.kernel.actions import ActionSpec

# Those whose keys belong to texts too: they work where the canvas or the outline has the focus.
CANVAS = (
    ActionSpec("design.cut", "Cut", ("Ctrl+X",), "cut", "Edit", 2, "design"),
    ActionSpec("design.copy", "Copy", ("Ctrl+C",), "copy", "Edit", 2, "design"),
    ActionSpec("design.paste", "Paste", ("Ctrl+V",), "paste", "Edit", 2, "design"),
    ActionSpec("design.duplicate", "Duplicate", ("Ctrl+D",), "duplicate", "Edit", 2, "design"),
    ActionSpec("design.delete", "Delete", ("Del",), "delete", "Edit", 2, "design"),
    ActionSpec("design.all", "Select all nodes", ("Ctrl+A",), None, "Edit", 3, "design"),
    ActionSpec("design.rename", "Rename the node", ("F2",), "edit", "Edit", 3, "design"),
    ActionSpec("design.link", "Link the selected nodes", ("Ctrl+L",), "link", "Edit", 4, "design",
               "One after the other, from left to right"),
    ActionSpec("design.switch", "Switch off or on", ("Ctrl+E",), None, "Edit", 4, "design"),
    ActionSpec("design.at-end", "Run it at the end…", (), None, "Edit", 4, "design",
               "The selected node becomes what runs when the task has ended; without one a new script does"),
    ActionSpec("design.group", "Frame around the selection", ("Ctrl+G",), "frame", "Edit", 5, "design"),
    ActionSpec("design.ungroup", "Take the frame away", ("Ctrl+Shift+G",), None, "Edit", 5, "design"),
    ActionSpec("design.comment", "Comment", ("Ctrl+Shift+M",), "comment-add", "Edit", 5, "design"),
    ActionSpec("design.layout", "Automatic layout", ("Shift+A",), "layout", "View", 3, "design",
               "Of the selected nodes, or of all; pinned ones stay", tool=True),
    ActionSpec("design.pin", "Pin or let go", ("Shift+P",), "pin", "View", 3, "design",
               "A pinned node stays where it is when the layout is made"),
    ActionSpec("design.align_left", "Align left edges", (), None, "View", 3, "design"),
    ActionSpec("design.align_top", "Align upper edges", (), None, "View", 3, "design"),
    ActionSpec("design.spread_across", "Distribute from left to right", (), None, "View", 3, "design"),
    ActionSpec("design.spread_down", "Distribute from top to bottom", (), None, "View", 3, "design"),
    ActionSpec("design.left", "Move left", ("Alt+Left",), None, None, 0, "design"),
    ActionSpec("design.right", "Move right", ("Alt+Right",), None, None, 0, "design"),
    ActionSpec("design.up", "Move up", ("Alt+Up",), None, None, 0, "design"),
    ActionSpec("design.down", "Move down", ("Alt+Down",), None, None, 0, "design"),
)  # fmt: skip

# The menu of the canvas, by its right button or the menu key; None is a line.
MENU = (
    "rename", "switch", "pin", None, "cut", "copy", "paste", "duplicate", "delete", None,
    "link", "at-end", "group", "ungroup", "comment", None, "layout",
    "align_left", "align_top", "spread_across", "spread_down", None, "fit",
)  # fmt: skip

MODE = (
    ActionSpec("design.new", "New task…", ("Ctrl+N",), "add", "File", 1, "design", tool=True),
    ActionSpec("design.save", "Save", ("Ctrl+S",), "save", "File", 2, "design",
               "Save as a new revision", tool=True),
    ActionSpec("design.jobs", "Job library", ("Ctrl+Shift+J",), "job", "View", 5, "design",
               "Jobs that any number of tasks use"),
    ActionSpec("design.resources", "Resources", ("Ctrl+Shift+R",), "resource", "View", 5, "design"),
    ActionSpec("design.import", "Import definitions…", (), "import", "File", 4, "design",
               "Files or the clipboard; what changes is shown first"),
    ActionSpec("design.export", "Export definitions…", (), "export", "File", 4, "design",
               "Tasks with all that they use, as a file or onto the clipboard"),
    ActionSpec("design.close", "Close the task", ("Ctrl+W",), "close", "File", 3, "design"),
    ActionSpec("design.undo", "Undo", ("Ctrl+Z",), "undo", "Edit", 1, "design", tool=True),
    ActionSpec("design.redo", "Redo", ("Ctrl+Shift+Z", "Ctrl+Y"), "redo", "Edit", 1, "design", tool=True),
    ActionSpec("design.insert", "Insert a job…", ("Ctrl+I",), "palette", "Edit", 4, "design",
               "Type what to insert; Enter puts it after the selected node"),
    ActionSpec("design.find", "Find nodes", ("Ctrl+F",), "search", "Edit", 6, "design"),
    ActionSpec("design.fit", "See everything", ("Ctrl+0",), "fit", "View", 2, "design", tool=True),
    ActionSpec("design.actual", "Life size", ("Ctrl+Alt+0",), None, "View", 2, "design"),
    ActionSpec("design.nearer", "Nearer", ("Ctrl++", "Ctrl+="), "zoom-in", "View", 2, "design"),
    ActionSpec("design.farther", "Farther", ("Ctrl+-",), "zoom-out", "View", 2, "design"),
    ActionSpec("design.next-problem", "Next problem", ("F8",), "problems", "View", 4, "design"),
    ActionSpec("design.previous-problem", "Previous problem", ("Shift+F8",), None, "View", 4, "design"),
    ActionSpec("design.run", "Run the task…", ("F5",), "run", "Run", 1, "design",
               "Saves, asks for the parameters, and runs", tool=True),
)  # fmt: skip
