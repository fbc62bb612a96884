"""What the engine wrote into its directories gives the same history as its database had."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from engine.store.opening import open_store
from engine.store.rebuild import rebuild_database
from engine.store.sql_store import Store
from tests import commands
from tests.store.conftest import StillClock

EXAMPLES = Path(__file__).parents[2] / "examples"
KINDS_OF_JOBS = """
skerry: 1
jobs:
  hello: {type: shell, params: {who: {value: x}}, process: 'printf "$who" > outputs/greeting'}
tasks:
  mixed:
    params: {a: 1}
    results: {out: {value: "$.JOB['b'].RESULT['greeting']"}}
    nodes:
      a: {type: shell, process: exit 0}
      b: {job: hello, after: [a], params: {who: "$.TASK.PARAMS['a']"}}
      batch: {job: hello, after: [a], params: [{who: one}, {who: two}]}
      twice: {type: shell, process: exit 3, continue_on_failure: true, retry: {times: 1}}
      which:
        type: condition
        after: [b]
        value: "$.TASK.PARAMS['a'] == 1"
        branches: {"true": [yes], "false": [no]}
      yes: {type: shell, process: exit 0}
      no: {type: shell, process: exit 0}
      group: {type: group, jobs: [{job: hello}, {type: shell, process: exit 0}]}
      list: {type: shell, process: "printf '[1, 2]' > outputs/items", results: {items: {kind: list}}}
      each: {job: hello, after: [list], for_each: "$.JOB['list'].RESULT['items']", params: {who: "$.ITEM"}}
      sub: {type: task, task: inner}
      worse: {type: shell, process: exit 4}
      never: {type: shell, process: exit 0, after: [worse]}
  inner: {nodes: {only: {job: hello}}}
"""
LIMIT = "$.TASK.PARAMS['limit']"
ROWS = "$.JOB['extract'].RESULT['rows']"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which a few tasks ran."""
    folder = tmp_path_factory.mktemp("runs")
    mixed = folder / "mixed.yaml"
    mixed.write_text(KINDS_OF_JOBS, "utf-8")
    skerry = [*commands.skerry(), "--workspace", str(folder / "w")]
    for command in (
        ["run", str(mixed), "--task", "mixed"],
        ["run", str(EXAMPLES / "loop.yaml")],
        ["run", str(EXAMPLES / "batch.yaml")],
        *([["run", str(EXAMPLES / "repair.yaml")]] * 2),
        ["rerun", "5", "6", "--failed", "--set", f"{LIMIT}=30", "--reason", "a big day"],
        ["rerun", "6", "--from", "index", "--set", f"{LIMIT}=10", "--reason", "as it was"],
        ["rerun", "6", "--from", "load", "--set", f"{ROWS}=5", "--reason", "counted by hand"],
        ["rerun", "6", "--from", "extract"],
    ):
        done = subprocess.run(skerry + command, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode in (0, 1), done.stderr
    return folder / "w"


def history(store: Store) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Every row, by a name for it, with what must come back after a loss."""
    for instance in store.instances():
        yield ("instance", instance.id), asdict(instance)
        yield ("lines", instance.id), {"lines": list(store.lines(instance.id))}
        for run in store.runs(instance.id):
            yield ("run", instance.id, run.run), asdict(run)
        for job in store.jobs(instance.id):
            yield ("job", job.id), asdict(job)
            for attempt in store.attempts(job.id):
                yield ("attempt", job.id, attempt.attempt), asdict(attempt)


SAME = {
    "id", "task", "name", "status", "trigger", "scheduled_time", "run", "error_code", "error_message",
    "results", "instance", "node", "job", "round", "index", "attempt", "params", "reason", "directory",
    "parent", "lines", "snapshot", "edited", "definition", "created_at", "started_at", "ended_at", "pid", "based_on_edit",
}  # fmt: skip


def test_states_codes_and_results_are_the_same_after_a_loss(
    workspace: Path, tmp_path: Path, clock: StillClock
) -> None:
    before = open_store(f"sqlite:///{workspace}/skerry.db", read_only=True, clock=clock)
    known = dict(history(before))
    before.close()
    url = f"sqlite:///{tmp_path}/new.db"

    done = rebuild_database(url, workspace / "instances", clock=clock)

    after = open_store(url, read_only=True, clock=clock)
    rebuilt = dict(history(after))
    assert done.problems == ()
    assert list(after.verify()) == []
    after.close()
    assert [known["instance", number]["edited"] for number in (5, 6)] == [[LIMIT], []]
    assert {kind for kind, *_ in known} == {"instance", "lines", "run", "job", "attempt"}
    assert [name for name in known if name not in rebuilt] == []
    for name, row in known.items():
        for column in SAME & set(row) - _NOT_IN_THE_LOG.get(name[0], set()):
            assert rebuilt[name][column] == row[column], (name, column)


# an attempt that is followed by another one leaves only its start in the log
_NOT_IN_THE_LOG = {
    "attempt": {"error_code", "error_message", "results", "ended_at", "created_at", "pid"},
    "run": {"params", "pid", "reason"},  # the reason of a rerun is with its edits
}
