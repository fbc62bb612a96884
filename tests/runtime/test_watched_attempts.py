"""What is seen of an attempt is that attempt's: nothing of it is watched after its end, or taken for the next one's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine.execution.progress import ProgressLine
from engine.model.codes.processes import MEMORY_LIMIT
from engine.model.errors import Failure
from engine.runtime.monitoring.recorder import Recorder
from tests.runtime.site import Gate, Site, shell, task
from tests.waiting import until


@pytest.fixture
def site(make_site: Callable[..., Site]) -> Site:
    """A workspace whose engine samples what runs."""
    return make_site(monitor=True)


def _recorder(site: Site) -> Recorder:
    recorder = site.engine.services.recorder
    assert recorder is not None
    return recorder


ASYNC = {"mode": "async", "check": {"after": "0s", "times": 1, "success": "1 < 2"}}


@pytest.mark.parametrize(
    ("keys", "state"),
    [({"timeout": 0.5}, "timed_out"), (ASYNC, "succeeded")],
    ids=["timed out", "asynchronous"],
)
def test_an_attempt_that_has_ended_is_watched_no_more(
    site: Site, gate: Gate, keys: dict[str, Any], state: str
) -> None:
    seen = site.run(task({"a": shell(gate.script(), **keys)}))

    assert seen.states == {"a": state}
    assert not _recorder(site)._jobs


def test_an_attempt_that_was_cancelled_is_watched_no_more(site: Site, gate: Gate) -> None:
    instance = site.begin(task({"a": shell(gate.script())}))
    gate.until_up()
    until(lambda: _recorder(site)._jobs)

    site.engine.cancel(instance)

    assert not _recorder(site)._jobs


def test_what_was_seen_of_an_attempt_that_has_ended_does_not_count_for_the_next_one(
    site: Site, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched: list[dict[str, Callable[..., None]]] = []
    add = _recorder(site).add

    def noted(*given: Any, **more: Any) -> None:
        watched.append(more)
        add(*given, **more)

    monkeypatch.setattr(_recorder(site), "add", noted)
    second = f"[ -e ../second ] || {{ touch ../second; exit 3; }}; {gate.script()}"
    instance = site.begin(task({"a": shell(second, retry={"times": 1, "interval": 0})}))
    gate.until_up()

    watched[0]["over"](Failure.new(MEMORY_LIMIT, "too much"))
    watched[0]["on_progress"]([ProgressLine(50, "half of the first")], 21)
    site.engine.services.loop.ask(lambda: None)
    gate.open()
    seen = site.end(instance)

    assert seen.states == {"a": "succeeded"}, seen["a"].error_message
    assert "half of the first" not in "".join(site.engine.store.lines(instance))
