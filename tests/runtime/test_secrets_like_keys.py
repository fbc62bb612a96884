"""A secret may be a word like a key of what the engine writes for itself: values are masked, keys are not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from engine.model.codes.processes import TIMED_OUT
from engine.model.errors import Failure
from engine.model.message import Message
from engine.model.reason import Kind, Reason
from engine.runtime.fibers import Stopped
from engine.runtime.jobs.job_row import LiveJobRow
from engine.runtime.jobs.stop_outcome import from_json, written
from engine.secrets.masking import ValueMasker

MASK = ValueMasker(["kind", "actor", "why", "failure", "code", "message", "worker"]).value


def test_a_stop_is_read_again_by_the_next_engine() -> None:
    why, late = Message.of("the {word} is late", word="worker"), Failure.new(TIMED_OUT, "its code is late")

    again = from_json(written(Stopped("timed_out", actor="ann", why=why, failure=late), MASK))

    assert (again.kind, again.actor, again.why) == ("timed_out", "ann", "the ****** is late")
    assert again.failure is not None
    assert (again.failure.code, again.failure.message) == (TIMED_OUT.number, "its ****** is late")


def test_a_reason_keeps_the_names_of_its_facts() -> None:
    row = cast(Any, SimpleNamespace(_services=SimpleNamespace(mask=MASK)))

    masked = LiveJobRow._masked(row, Reason.of(Kind.PROGRESS, percent=3, text="worker", message="x"))

    assert masked is not None
    assert masked.facts == {"percent": 3, "text": "******", "message": "x"}
