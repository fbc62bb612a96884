"""The keys that every job, node and task may have: label, help and kind of each, in the order of the form."""

from __future__ import annotations

from typing import Any, Final

from app.desktop.design.forms.fields import Choice, Field
from app.desktop.design.forms.fields import FieldKind as K
from app.desktop.design.forms.labels import RUN_IFS
from app.desktop.design.picker.sources import FOR_PARAMS, FOR_RESOURCE, FOR_RESULTS
from app.desktop.design.tree import Path
from engine.model.quantities import Kind

GROUPS: Final[dict[str, str]] = {
    "usual": "",
    "work": "What it does",
    "params": "Parameters",
    "check": "What its check looks at",
    "request": "How it is asked",
    "results": "Results and success",
    "schedule": "When it starts by itself",
    "upstream": "What it waits for",
    "lateness": "Late and overlapping starts",
    "order": "When it runs",
    "repeat": "Once for each item",
    "limits": "Time limits",
    "failure": "When it fails",
    "resources": "Resources",
    "where": "Where it runs",
    "around": "What its programs find",
    "stages": "Before and after the work",
    "more": "More",
}
OPEN: Final = ("usual", "work", "params", "check", "request")  # the others start folded


def key(
    path: Path, kind: K, label: str, help: str, group: str, default: Any = None,
    choices: tuple[Choice, ...] = (), picks: str | None = None, wanted: Kind | None = None,
    language: str = "",
) -> Field:  # fmt: skip
    """The field of a key; its path is that below the key's owner."""
    return Field(
        path, kind, label, group, help, default=default, choices=choices, wanted=wanted, picks=picks,
        language=language,
    )  # fmt: skip


NAMING: Final = (
    key(("name",), K.TEXT, "Name", "What people call it; the id stays.", "usual"),
    key(("description",), K.LINES, "Description", "For whoever looks at it in a year.", "more"),
)
URI: Final = key(
    ("uri",), K.TEXT, "Where it is", "A path or address; with values from the run it is dynamic.", "usual",
    None, (), FOR_RESOURCE, "text",
)  # fmt: skip
AT: Final = key(
    ("at",), K.CHOICE, "Looked at on", "The machine on which the file is looked at.", "usual",
    "engine", (("engine", "this machine"), ("worker", "the worker of the job")),
)  # fmt: skip
NODE: Final = (
    key(("after",), K.NODES, "Runs after", "It starts when all of these have ended.", "order", ()),
    key(
        ("run_if",), K.CHOICE, "Depending on", "How those before it must have ended.", "order",
        "all_succeeded",
        tuple(RUN_IFS.items()),
    ),
    key(
        ("when",), K.CONDITION, "Only when",
        "A condition; when it does not hold, the node is skipped.", "order", None, (), FOR_PARAMS,
    ),
    key(
        ("enabled",), K.BOOLEAN, "Enabled",
        "Switched off it is passed through as if it had succeeded.", "order", True,
    ),
    key(("priority",), K.NUMBER, "Priority", "Higher numbers get a slot first.", "order", 0),
    key(
        ("for_each",), K.ANY, "For each item of",
        "A list: the node runs once for each item, all at the same time.", "repeat", None, (),
        FOR_PARAMS, "list",
    ),
    key(
        ("parallel",), K.NUMBER, "At once", "At most so many of its items or parameter sets.", "repeat",
    ),
    key(
        ("continue_on_failure",), K.BOOLEAN, "Go on when it fails",
        "Its failure counts as success for what follows and for the run.", "failure", False,
    ),
)  # fmt: skip
AROUND: Final = (
    key(
        ("env",), K.MAP, "Variables", "In the environment of its programs, beside the parameters.", "around",
    ),
    key(
        ("working_dir",), K.FOLDER, "Starts in the folder",
        "An absolute path; without it the job's own directory.", "around", None, (), FOR_PARAMS, "text",
    ),
)  # fmt: skip
ON: Final = (
    key(("on",), K.CONSEQUENCE, "So it runs", "", "where"),
    key(
        ("on", "workers"), K.WORKERS, "Workers", "The names of the workers that may run it.", "where",
        None, (), FOR_PARAMS, "list",
    ),
    key(
        ("on", "group"), K.WORKER_GROUP, "Group of workers", "Of these, who is in the group.", "where",
        None, (), FOR_PARAMS, "text",
    ),
    key(
        ("on", "labels"), K.WORKER_LABELS, "Labels of workers", "Of these, who has all of the labels.",
        "where", None, (), FOR_PARAMS, "map",
    ),
    key(
        ("on", "strategy"), K.CHOICE, "On how many", "One of them, or every one.", "where", "any",
        (("any", "one of them"), ("all", "all of them")),
    ),
    key(
        ("on", "choose"), K.CHOICE, "Which one", "When one of several can run it.", "where", "load",
        (("load", "the one with most free slots"), ("random", "any of them")),
    ),
    key(
        ("on", "success"), K.CHOICE, "Succeeds when",
        "With all of them: how many must succeed.", "where", "all",
        (("all", "all succeeded"), ("single", "one succeeded")),
    ),
    key(
        ("on", "exclusive"), K.BOOLEAN, "Alone on its worker",
        "Nothing else runs there at the same time.", "where", False,
    ),
)  # fmt: skip
JOB: Final = (
    key(
        ("results",), K.RESULTS, "Results",
        "Values for later nodes; without a value it is read from the file outputs/<name>.", "results",
    ),
    key(
        ("success",), K.CONDITION, "Succeeds when",
        "A condition; when given, it alone decides, also over the exit status.", "results", None, (),
        FOR_RESULTS,
    ),
    key(("timeout",), K.DURATION, "Time limit", "Of one attempt; then it is stopped and failed.", "limits"),
    key(("queue_timeout",), K.DURATION, "Longest wait for a slot", "Then it fails.", "limits"),
    key(("limits", "cpu"), K.DURATION, "Processor time", "What an attempt may use at most.", "limits"),
    key(("limits", "memory"), K.SIZE, "Memory", "What an attempt may use at most.", "limits"),
    key(("limits", "files"), K.NUMBER, "Open files", "What an attempt may use at most.", "limits"),
    key(("limits", "output"), K.SIZE, "Size of the output", "What an attempt may write at most.", "limits"),
    key(("retry", "times"), K.NUMBER, "Try again", "How often, after the first attempt.", "failure", 0),
    key(("retry", "interval"), K.DURATION, "Pause between attempts", "", "failure", "0s"),
    key(
        ("retry", "backoff"), K.NUMBER, "Pause grows by", "2 doubles the pause each time.", "failure", 1,
    ),
    key(("retry", "max_interval"), K.DURATION, "Longest pause", "", "failure"),
    key(
        ("retry", "on"), K.LIST, "Only for these error codes",
        "A code that ends in zeros stands for all below it.", "failure",
    ),
    key(("retry", "exit"), K.LIST, "Only for these exit statuses", "Beside the error codes.", "failure"),
    key(
        ("recovery", "strategy"), K.CHOICE, "When it is lost or cannot start",
        "Lost: nobody can know how it ended.", "failure", None,
        (("retry", "try again"), ("discard", "give it up"), ("ask", "ask the operator")),
    ),
    key(
        ("recovery", "after"), K.DURATION, "Wait before that",
        "How long to wait before that.", "failure", "2m",
    ),
    key(("recovery", "times"), K.NUMBER, "At most", "So many times.", "failure", 3),
    key(
        ("resources",), K.RESOURCES, "Must be in order before",
        "Checked before the work; if one is not, the attempt fails.", "resources", (),
    ),
    key(
        ("changes",), K.RESOURCES, "It changes",
        "Checked again after the work.", "resources", (),
    ),
    key(
        ("ready",), K.CODE, "Before the work", "A shell script; if it fails, the attempt has failed.",
        "stages", None, (), None, None, "bash",
    ),
    key(("end",), K.CODE, "After the work", "A shell script.", "stages", None, (), None, None, "bash"),
    key(
        ("mode",), K.CHOICE, "Waiting for the end",
        "If it is not waited for, its slot is free at once and its success is checked later.",
        "stages", "sync",
        (("sync", "wait until it has ended"), ("async", "only start it")),
    ),
    key(("check", "after"), K.DURATION, "Look for success after", "Only without waiting.", "stages"),
    key(("check", "every"), K.DURATION, "Then every", "Only without waiting.", "stages", "10s"),
    key(("check", "times"), K.NUMBER, "At most", "Only without waiting: looks.", "stages", 60),
    key(
        ("check", "success"), K.CONDITION, "It has succeeded when", "Only without waiting.",
        "stages", None, (), FOR_RESULTS,
    ),
    key(
        ("monitor",), K.BOOLEAN, "Record what it uses",
        "Processor, memory, disk and threads of its processes.", "more", True,
    ),
)  # fmt: skip
TASK: Final = (
    key(("name",), K.TEXT, "Name", "What people call it; the id stays.", "usual"),
    key(("description",), K.LINES, "Description", "For whoever looks at it in a year.", "usual"),
    key(("project",), K.TEXT, "Project", "Tasks of a project are listed together.", "usual"),
    key(
        ("params",), K.SPECS, "Parameters of the task",
        "Asked for when it is started; every node can use them.", "params",
    ),
    key(("results",), K.RESULTS, "Results of the task", "Computed when it has ended.", "results"),
    key(
        ("success",), K.CONDITION, "Succeeds when",
        "A condition; without it every node that ran must have succeeded.", "results", None, (), "task",
    ),
    key(
        ("sequence",), K.BOOLEAN, "Nodes one after the other",
        "Each node comes after the one before it, unless it says what it comes after.", "order", False,
    ),
    key(("timeout",), K.DURATION, "Time limit", "Of the whole run, waiting included.", "limits"),
    key(("limits", "parallel"), K.NUMBER, "Jobs at once", "At most so many of one run.", "limits"),
    key(("priority",), K.NUMBER, "Priority", "Higher numbers get a slot first.", "limits", 0),
    key(
        ("on_failure",), K.CHOICE, "When a job fails", "What happens to the rest of the task.", "failure",
        "finish_branches",
        (("finish_branches", "what does not depend on it goes on"), ("stop", "nothing more is started")),
    ),
    key(("retry", "times"), K.NUMBER, "Run it again", "How often, when it failed.", "failure", 0),
    key(("retry", "interval"), K.DURATION, "Pause between runs", "", "failure", "0s"),
)  # fmt: skip
