"""A host that cannot be asked changes no outcome: it is asked until it can be."""

from __future__ import annotations

from typing import Any

import pytest

from app import wiring
from engine.execution.host import Found
from engine.execution.outcomes import Unreachable
from engine.runtime.jobs import resumed_stages
from tests.runtime.site import Gate, Site, shell, task


@pytest.mark.parametrize("ended", [False, True], ids=["it lives on", "it ended meanwhile"])
def test_what_runs_on_a_host_out_of_reach_is_neither_lost_nor_started_again(
    site: Site, gate: Gate, monkeypatch: pytest.MonkeyPatch, ended: bool
) -> None:
    # given a job that runs when its engine ends
    monkeypatch.setattr(resumed_stages, "_ASK_AGAIN", 0.001)
    instance = site.begin(task({"j": shell(gate.script(then="exit 7"))}))
    gate.until_up()
    site.close()
    if ended:
        gate.open()

    # when the next engine's host cannot be reached at first
    site.engine = wiring.open_engine(site.root)
    host = site.engine.services.host
    look, asked = host.look, []

    def out_of_reach(*args: Any, **more: Any) -> Found | None:
        asked.append(args[1])
        if len(asked) <= 5:
            return Unreachable("no route to it")
        gate.open()
        return look(*args, **more)

    monkeypatch.setattr(host, "look", out_of_reach)
    site.start()
    seen = site.end(instance)

    # then its own end is what counts, and it ran once
    assert (seen["j"].status, seen["j"].exit_code) == ("failed", 7)
    assert len(seen["j"].attempts) == 1
    assert len((gate.folder / "g.up").read_text().split()) == 1
    assert len(asked) > 5
