"""A row that is in another state than this engine gave it: the turn is refused, the next engine goes on from it."""

from __future__ import annotations

import pytest

from engine.model.codes.store import OTHER_STATE
from engine.model.errors import SkerryError
from engine.model.states import JobState
from engine.store.changes import Changes
from tests.runtime.site import Gate, Site, shell, task


def test_an_engine_stops_where_another_program_has_settled_its_job(site: Site, gate: Gate) -> None:
    # given a job that runs, and another program that has written down its end
    instance = site.begin(task({"a": shell(gate.script()), "b": shell("true", after=["a"])}))
    gate.until_up()
    changes = Changes()
    job = site.see(instance)["a"].id
    changes.move(
        "job_instance",
        job,
        JobState.RUNNING,
        JobState.CANCELLED,
        {"ended_at": site.engine.services.clock.now()},
    )
    site.engine.store.commit(changes)

    # when the engine wants to write down the end that it has seen
    gate.open()
    with pytest.raises(SkerryError) as caught:
        site.end(instance)

    # then nothing of that turn is written
    assert caught.value.code == OTHER_STATE.number == -17000031000
    rows = {row.node: row for row in site.engine.store.jobs(instance)}
    assert (rows["a"].status, rows["a"].exit_code, rows["b"].status) == ("cancelled", None, "pending")

    # and the next engine goes on from what the database says
    seen = site.again().end(instance)
    assert (seen.status, seen.states) == ("failed", {"a": "cancelled", "b": "skipped"})
    seen.assert_replays()
