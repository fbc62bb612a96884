"""Other clocks: how far they are off for certain, and what is told of the database server's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.model.clock_skew import ClockAnswer
from engine.model.codes.timing import CLOCK_SKEWED
from engine.store.sql_store import Store
from tests.servers.postgres import PostgreSql
from tests.timing.conftest import BEGIN, SETTINGS, TimedSite

MOST = timedelta(seconds=5)


@pytest.mark.parametrize(
    ("shown", "took", "skew", "beyond"),
    [
        (0.0, 0.0, 0.0, False),
        (2.0, 4.0, 0.0, False),  # at some moment in between it was just that
        (0.0, 60.0, 0.0, False),
        (60.0, 60.0, 0.0, False),
        (64.0, 60.0, 4.0, False),
        (65.0, 60.0, 5.0, False),
        (65.1, 60.0, 5.1, True),
        (-4.0, 60.0, -4.0, False),
        (-5.0, 60.0, -5.0, False),
        (-5.1, 0.0, -5.1, True),
        (86400.0 * 1095, 0.1, 86400.0 * 1095 - 0.1, True),
    ],
)
def test_a_clock_is_off_by_what_the_time_of_the_answer_does_not_explain(
    shown: float, took: float, skew: float, beyond: bool
) -> None:
    answer = ClockAnswer(BEGIN, BEGIN + timedelta(seconds=shown), BEGIN + timedelta(seconds=took))

    assert answer.skew.total_seconds() == pytest.approx(skew)
    assert answer.is_beyond(MOST) is beyond


@pytest.mark.parametrize(("shown", "skew"), [(-6.0, -5.0), (-1.0, 0.0), (0.0, 0.0), (1.5, 0.5)])
def test_a_clock_of_whole_seconds_may_be_nearly_a_second_further(shown: float, skew: float) -> None:
    second = timedelta(seconds=1)

    answer = ClockAnswer(BEGIN, BEGIN + timedelta(seconds=shown), BEGIN + second, second)

    assert answer.skew.total_seconds() == pytest.approx(skew)


@pytest.mark.parametrize("epoch", ["", "noon", "9" * 12, "9" * 17, "9" * 400])
def test_what_a_host_says_that_is_no_time_is_refused(epoch: str) -> None:
    with pytest.raises(ValueError):
        ClockAnswer.in_seconds(BEGIN, epoch, BEGIN)


@pytest.fixture
def on_server(tmp_path: Path, postgres: PostgreSql) -> Iterator[TimedSite]:
    """A workspace whose database is on a real server, which goes by the time of the machine."""
    url = postgres.new_database(over_tcp=True)
    site = TimedSite(tmp_path / "workspace", f"{SETTINGS}database: {url}\n")
    yield site
    site.engine.close()


def told(site: TimedSite, is_told: Callable[[], bool]) -> None:
    """Until it was, which the test's own timeout ends."""
    while not is_told():
        site.engine.services.loop.ask(lambda: None)


def test_a_real_server_shows_the_time_of_its_machine(on_server: TimedSite) -> None:
    store = on_server.engine.store
    asked = datetime.now(UTC)
    answer = ClockAnswer(asked, store.server_time(), datetime.now(UTC))

    assert store.has_clock
    assert answer.skew == timedelta(0)


@pytest.mark.parametrize(
    ("off", "words"), [(60, "s behind; max_skew is 5 s"), (-60, "s ahead; max_skew is 5 s")]
)
def test_a_server_whose_clock_is_off_is_one_alert_with_the_figures(
    on_server: TimedSite, off: float, words: str
) -> None:
    on_server.clock.wall = datetime.now(UTC) + timedelta(seconds=off)
    on_server.start()

    told(on_server, lambda: bool(on_server.alerts("clock")))

    [alert] = on_server.alerts("clock")
    assert alert.code == CLOCK_SKEWED.number
    assert words in alert.message


def test_one_that_is_right_again_may_be_wrong_again(site: TimedSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time of a server is the answer to the next question; the questions are ten minutes apart."""
    ahead = iter([0.0, 9.0, 8.0, 0.0, -9.0])
    asked: list[float] = []

    def shown(_store: Store) -> datetime:
        asked.append(next(ahead, 0.0))
        return site.clock.now() + timedelta(seconds=asked[-1])

    monkeypatch.setattr(Store, "has_clock", property(lambda _: True))
    monkeypatch.setattr(Store, "server_time", shown)
    site.engine.close()
    site.engine = site._made()
    site.start()
    for count in range(1, 6):
        told(site, lambda count=count: len(asked) >= count)  # type: ignore[misc]
        site.settle()
        site.forward(minutes=11)

    told(site, lambda: len(site.alerts("clock")) == 2)
    messages = [row.message for row in reversed(site.alerts("clock"))]
    assert sorted(messages) == [
        "the clock of the database server is 9.0 s ahead; max_skew is 5 s",
        "the clock of the database server is 9.0 s behind; max_skew is 5 s",
    ]


def test_a_database_in_a_file_has_no_clock(site: TimedSite) -> None:
    assert not site.engine.store.has_clock
