"""What operators and supporters do most: ``python -m tests.desktop.xvfb.stories STORY FOLDER LOOK`` walks one."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.desktop.xvfb.looks import LOOKS
from tests.desktop.xvfb.person import Person
from tests.desktop.xvfb.stage import Stage, Story, play

FAILED = ("load {examples}/repair.yaml", "run nightly")
SENT = (*FAILED, "export 1 -o case.skerry", "keys export -o card", "at desk keys trust card --role site")
UNTRUSTED = (*FAILED, "export 1 -o case.skerry")
DAILY = (*FAILED, "load {here}/daily.yaml")
STARTABLE = (*FAILED, "load {here}/hello.yaml")


def failed_run_to_cause(person: Person, stage: Stage) -> None:
    """Home has it in front: the error line is there without a click."""
    person.waits(lambda: stage.shows("too many rows: 25 > 10"), "the error line")


def failed_run_to_cause_by_keys(person: Person, stage: Stage) -> None:
    """Enter opens the run at the job that failed, with its log."""
    person.sees("nightly #1")
    person.press("Return")
    person.waits(lambda: stage.shows("The program ended with an error status"), "the failed job")


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


def failed_run_to_changed_rerun_by_keys(person: Person, stage: Stage) -> None:
    """The line on Home is selected; in the assistant Ctrl+F finds the value."""
    person.sees("nightly #1")
    person.press("ctrl+F5")
    person.sees("$.TASK.PARAMS['limit']")
    person.press("ctrl+f")
    person.is_at("Find a value")
    person.type("limit")
    person.press("Return")
    person.is_at("New value")
    person.type("30")
    person.press("Tab")
    person.is_at("Reason")
    person.type("25 rows are fine")
    person.press("Return")
    person.waits(lambda: stage.shows("nightly #1, run 2"), "the second run")
    person.sees("succeeded")


def first_task_from_nothing(person: Person, stage: Stage) -> None:
    """An empty workspace becomes one with a task that has run."""
    person.click("Draw a task")
    person.type("hello")
    person.press("Return")
    person.double_click("Shell script")
    person.click("Run the task")
    person.waits(lambda: stage.shows("hello #1"), "the run")
    person.waits(lambda: stage.shows("succeeded"), "its end")


def first_task_from_nothing_by_keys(person: Person, stage: Stage) -> None:
    person.sees("Draw a task")
    person.press("ctrl+2")
    person.sees("New task")
    person.press("ctrl+n")
    person.is_at("Name")
    person.type("hello")
    person.press("Return")
    person.waits(lambda: stage.shows("The task itself"), "the task")
    person.press("ctrl+i")
    person.is_at("Search job types and jobs")
    person.type("shell")
    person.press("Return", "F5")
    person.waits(lambda: stage.shows("hello #1"), "the run")
    person.waits(lambda: stage.shows("succeeded"), "its end")


def file_to_failing_job(person: Person, stage: Stage) -> None:
    """A bundle that came on a stick shows the job that failed, its error and its log."""
    person.sees("Load the examples")  # the desk is ready
    person.drop_file(stage.folder / "case.skerry", "Take the tour")
    person.click("Open")
    person.waits(lambda: stage.shows("rows = 25"), "what the failed job has read")


def file_to_failing_job_by_keys(person: Person, stage: Stage) -> None:
    _open_by_keys(person, stage)
    person.waits(lambda: stage.shows("rows = 25"), "what the failed job has read")


def _open_by_keys(person: Person, stage: Stage) -> None:
    person.sees("Load the examples")
    person.press("ctrl+o")
    person.is_at("File name")
    person.type(str(stage.folder / "case.skerry"))
    person.press("Return")
    person.waits(lambda: stage.shows("it becomes a case"), "what the bundle is")
    person.sees("Open")
    person.press("Return")


def fix_with_a_changed_node(person: Person, stage: Stage) -> None:
    """From the bundle on a stick to the signed fix: a script is changed, tried, and sealed for the site."""
    person.sees("Load the examples")  # the desk is ready
    person.drop_file(stage.folder / "case.skerry", "Take the tour")
    person.click("Open")
    person.click("Try a change, make a fix")
    person.click("Script")
    person.press("ctrl+a")
    person.type("echo better")
    person.click("Try it")
    person.waits(lambda: stage.shows("1 job is not known"), "what the trial does not know")
    person.click("Make the fix")
    person.sees("Write the fix")
    person.press("Return")
    person.comes(lambda: [*stage.folder.glob("desk/bundles/fix-*.skerry")], "the fix")


def fix_with_a_changed_node_by_keys(person: Person, stage: Stage) -> None:
    """The failed job is selected, Enter leads into its form."""
    _open_by_keys(person, stage)
    person.sees("Try a change, make a fix")
    person.press("ctrl+shift+f")
    person.is_at("Canvas")  # the case has been read
    person.press("Return")
    person.is_at("Name")
    person.press("Tab", "Tab", "Tab")  # heading, undo, script
    person.is_at("Script")
    person.press("ctrl+a")
    person.type("echo better")
    person.press("alt+t")
    person.waits(lambda: stage.shows("1 job is not known"), "what the trial does not know")
    person.press("alt+m")
    person.sees("Write the fix")
    person.press("Return")
    person.comes(lambda: [*stage.folder.glob("desk/bundles/fix-*.skerry")], "the fix")


def failed_run_to_stick(person: Person, stage: Stage) -> None:
    """Nothing is typed: the run is chosen, the place is the last one."""
    person.right_click("nightly #1")
    person.click("Send to support")
    person.click("Write the bundle")
    person.comes(lambda: [*stage.folder.glob("site/bundles/*.skerry")], "the bundle")


def failed_run_to_stick_by_keys(person: Person, stage: Stage) -> None:
    """The line on Home is selected already."""
    person.sees("nightly #1")
    person.press("ctrl+alt+s")
    person.sees("Write the bundle")
    person.press("Return")
    person.comes(lambda: [*stage.folder.glob("site/bundles/*.skerry")], "the bundle")


def start_a_task(person: Person, stage: Stage) -> None:
    """From Home, the same as from any other mode."""
    person.sees("nightly #1")
    person.click("Start task")
    person.double_click("hello")
    person.waits(lambda: stage.shows("hello #2"), "the run")


def start_a_task_by_keys(person: Person, stage: Stage) -> None:
    person.sees("nightly #1")
    person.press("ctrl+shift+n")
    person.is_at("Find a task")
    person.type("hello")
    person.press("Return")
    person.waits(lambda: stage.shows("hello #2"), "the run")


def task_to_dry_run(person: Person, stage: Stage) -> None:
    """From Home; yesterday is filled in."""
    person.sees("nightly #1")
    person.click("Plan")
    person.click("Map")
    person.right_click("tides")
    person.click("Run past times…")
    person.sees("make")


def rule_from_a_failure(person: Person, stage: Stage) -> None:
    """Task, code and node are filled in."""
    person.right_click("nightly #1")
    person.click("Rule from this error")
    person.click("Save")
    person.sees("nightly-load")


def rule_from_a_failure_by_keys(person: Person, stage: Stage) -> None:
    person.sees("nightly #1")
    person.press("ctrl+alt+r")
    person.sees("Save")
    person.press("Return")
    person.sees("nightly-load")


STORIES: dict[str, Story] = {
    "failed run to stick": Story(failed_run_to_stick, FAILED),
    "failed run to stick by keys": Story(failed_run_to_stick_by_keys, FAILED),
    "start a task": Story(start_a_task, STARTABLE),
    "start a task by keys": Story(start_a_task_by_keys, STARTABLE),
    "task to dry run": Story(task_to_dry_run, DAILY),
    "rule from a failure": Story(rule_from_a_failure, FAILED),
    "rule from a failure by keys": Story(rule_from_a_failure_by_keys, FAILED),
    "first task from nothing": Story(first_task_from_nothing),
    "first task from nothing by keys": Story(first_task_from_nothing_by_keys),
    "failed run to cause": Story(failed_run_to_cause, FAILED),
    "failed run to cause by keys": Story(failed_run_to_cause_by_keys, FAILED),
    "failed run to changed rerun": Story(failed_run_to_changed_rerun, FAILED),
    "failed run to changed rerun by keys": Story(failed_run_to_changed_rerun_by_keys, FAILED),
    "fix with a changed node": Story(fix_with_a_changed_node, SENT, at="desk"),
    "fix with a changed node by keys": Story(fix_with_a_changed_node_by_keys, SENT, at="desk"),
    "file to failing job": Story(file_to_failing_job, UNTRUSTED, at="desk"),
    "file to failing job by keys": Story(file_to_failing_job_by_keys, UNTRUSTED, at="desk"),
}


if __name__ == "__main__":
    sys.exit(play(STORIES[sys.argv[1]], Path(sys.argv[2]), LOOKS[sys.argv[3]]))
