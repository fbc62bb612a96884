"""What operators and supporters do most: ``python -m tests.desktop.xvfb.stories STORY FOLDER`` walks one by hand."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.desktop.xvfb.person import Person
from tests.desktop.xvfb.stage import Stage, Story, play

FAILED = ("load {examples}/repair.yaml", "run nightly")


def failed_run_to_cause(person: Person, stage: Stage) -> None:
    """Home has it in front: the error line is there without a click."""
    person.waits(lambda: stage.shows("too many rows: 25 > 10"), "the error line")


def failed_run_to_changed_rerun(person: Person, stage: Stage) -> None:
    """A larger limit, and only what failed runs again."""
    person.double_click("nightly")
    person.click("Retry what failed")
    person.click("$.TASK.PARAMS['limit']")
    person.type("30")
    person.press("Tab")
    person.type("25 rows are fine")
    person.click("Start")
    person.waits(lambda: stage.shows("nightly #1, run 2"), "the second run")
    person.sees("succeeded")


def first_task_from_nothing(person: Person, stage: Stage) -> None:
    """An empty workspace becomes one with a task that has run."""
    person.click("Draw a task")
    person.click("New task")
    person.type("hello")
    person.press("Return")
    person.double_click("Shell script")
    person.click("Run the task")
    person.waits(lambda: stage.shows("hello #1"), "the run")
    person.waits(lambda: stage.shows("succeeded"), "its end")


def file_to_failing_job(person: Person, stage: Stage) -> None:
    """A bundle that came on a stick shows the job that failed, its error and its log."""
    person.sees("Load the examples")  # the desk is ready
    person.drop_file(stage.folder / "case.skerry", "Take the tour")
    person.click("Open")
    person.waits(lambda: stage.shows("rows = 25"), "what the failed job has read")


STORIES: dict[str, Story] = {
    "first task from nothing": Story(first_task_from_nothing),
    "failed run to cause": Story(failed_run_to_cause, FAILED),
    "failed run to changed rerun": Story(failed_run_to_changed_rerun, FAILED),
    "file to failing job": Story(file_to_failing_job, (*FAILED, "export 1 -o case.skerry"), at="desk"),
}


if __name__ == "__main__":
    sys.exit(play(STORIES[sys.argv[1]], Path(sys.argv[2])))
