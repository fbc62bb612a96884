"""The actions of the run mode, for menus, tool bar, shortcuts and the locator."""

from __future__ import annotations

from typing import Final

from app.desktop.kernel.actions import ActionSpec

ACTIONS: Final = (
    ActionSpec(
        "run.retry", "Retry what failed…", ("Ctrl+F5",), "rerun", "Run", 1, "run",
        "What failed and could not run because of it, again", tool=True,
    ),
    ActionSpec("run.rerun", "Run again…", ("Ctrl+Shift+F5",), "replay", "Run", 1, "run", tool=True),
    ActionSpec("run.rerun_from", "Rerun from here…", (), None, "Run", 1, "run", "From the selected job on"),
    ActionSpec("run.cancel", "Cancel the instance…", ("Shift+F5",), "stop", "Run", 2, "run", tool=True),
    ActionSpec("run.cancel_job", "Cancel the job…", (), "stop", "Run", 2, "run"),
    ActionSpec("run.force", "Settle it by hand…", (), "force", "Run", 2, "run"),
    ActionSpec("run.priority", "Change the priority…", (), "priority", "Run", 3, "run"),
    ActionSpec(
        "run.pause", "Pause or resume the instance…", (), "pause", "Run", 2, "run",
        "Nothing more of it starts until it is resumed; what runs goes on", tool=True,
    ),
    ActionSpec("run.release", "Let it go without…", (), "unlink", "Run", 2, "run",
               "Begin without waiting for the task that is selected in what it waits for"),
    ActionSpec("run.pause_queue", "Pause or resume the queue…", (), "pause", "Run", 3, "run"),
    ActionSpec("run.compare", "Compare with another run…", (), "compare", "Run", 4, "run", tool=True),
    ActionSpec("run.definition", "Go to the definition", ("F4",), "job", "Run", 4, "run"),
    ActionSpec("run.show_log", "Show the log", (), "log", None, 8, "run"),
    ActionSpec("run.show_charts", "Show the charts of the job", (), None, None, 8, "run"),
    ActionSpec("run.change_value", "Change a value…", (), "edit", "Run", 2, "run",
               "A parameter or result that the job has read, with a reason"),
    ActionSpec("run.next_problem", "Next problem", ("F8",), "down", "View", 9, "run"),
    ActionSpec("run.previous_problem", "Previous problem", ("Shift+F8",), "up", "View", 9, "run"),
    ActionSpec("run.refresh", "Read it again", ("Ctrl+R",), "refresh", "View", 9, "run"),
    ActionSpec("run.fit", "Fit the graph", ("Ctrl+0",), "fit", "View", 9, "run"),
    ActionSpec("replay.play", "Play or halt the replay", ("Ctrl+Shift+Space",), "run", "Run", 5, "run"),
    ActionSpec("replay.live", "Back to the present", (), "live", "Run", 5, "run"),
)  # fmt: skip

OF_NODE: Final = (
    "run.rerun_from", "run.retry", "run.cancel_job", "run.force", "run.priority", "run.show_log",
    "run.pane_context", "run.definition",
)  # fmt: skip
OF_RUN: Final = ("run.rerun", "run.retry", "run.pause", "run.cancel", "run.compare", "run.fit")
