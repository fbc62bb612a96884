"""How far a log was at a moment, stated only as exactly as it is known."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.desktop.log.merged import LengthSample
from app.desktop.log.past_sizes import SizeKnown, Story, story_of

BEGUN = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return BEGUN + timedelta(seconds=seconds)


STORY = Story(BEGUN, at(10), None, (LengthSample(at(2), 100, 5), LengthSample(at(4), 200, 5)))


@pytest.mark.parametrize(
    ("seconds", "known", "lengths"),
    [
        (-1, SizeKnown.NOT_BEGUN, (0, 0)),
        (1, SizeKnown.MEASURED, (0, 0)),
        (3, SizeKnown.MEASURED, (100, 5)),
        (9, SizeKnown.MEASURED, (200, 5)),
        (10, SizeKnown.WHOLE, None),
    ],
)
def test_the_beginning_the_samples_and_the_end_tell_what_is_known(
    seconds: float, known: SizeKnown, lengths: tuple[int, int] | None
) -> None:
    then = STORY.then(at(seconds))

    assert (then.known, then.lengths) == (known, lengths)


def test_before_the_first_sample_the_log_is_known_from_its_beginning_when_it_was_empty() -> None:
    assert STORY.then(at(1)).seen == BEGUN
    assert Story(None, at(10), None, STORY.seen).then(at(1)).known is SizeKnown.UNKNOWN


def test_what_was_last_written_before_is_whole_before_the_end() -> None:
    quick = Story(BEGUN, at(10), at(3))
    assert quick.then(at(2)).known is SizeKnown.UNKNOWN
    assert quick.then(at(4)).known is SizeKnown.WHOLE


def test_the_time_at_which_a_log_was_copied_says_nothing() -> None:
    copied = Story(BEGUN, at(10), at(5000))
    assert copied.then(at(9)).known is SizeKnown.UNKNOWN
    assert copied.then(at(11)).known is SizeKnown.WHOLE


def test_the_folder_of_an_attempt_tells_its_story(tmp_path: Path) -> None:
    folder = tmp_path / "attempts" / "1"
    folder.mkdir(parents=True)
    log = folder / "job.log"
    log.write_text("hello\n")
    (folder / "ctx.json").write_text(json.dumps({"START_TIME": BEGUN.isoformat()}))
    os.utime(log, (at(3).timestamp(),) * 2)
    os.utime(folder / "ctx.json", (at(5).timestamp(),) * 2)

    story = story_of(log)

    assert (story.begun, story.ended, story.written) == (BEGUN, at(5), at(3))
    assert story_of(tmp_path / "nowhere" / "job.log") == Story()
