"""A log that a case holds packed, in the pane: looked at like any other."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Console
from app.desktop.log.model import LogStream
from app.desktop.log.pane import LogPane
from app.desktop.log.search import Query
from engine.api.documents import LogFile
from export_import.container import Entry
from export_import.container.pieces import compress, cut
from export_import.packed_logs import Pack

NAME = "instances/task-night-1/jobs/job-load-2/job.log"
TEXT = b"".join(b"%07d all is well\n" % number for number in range(250_000)) + b"the last line\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The place of a log that is packed; its errors are a file beside it."""
    (tmp_path / NAME).parent.mkdir(parents=True)
    (tmp_path / NAME).with_name("job-error.log").write_text("nothing good\n")
    (tmp_path / "case.json").write_text("{}")
    pieces = [bytes(piece) for piece in cut([TEXT], 1 << 20)]
    with Pack(tmp_path, {NAME: Entry(NAME, len(TEXT), "log")}) as pack:
        for piece in pieces:
            pack.add(sha256(piece).hexdigest(), compress(piece))
        pack.finish(lambda _: [(sha256(piece).hexdigest(), len(piece)) for piece in pieces])
    return tmp_path / NAME


@pytest.fixture
def pane(console: Console, qtbot: QtBot, log: Path) -> Iterator[LogPane]:
    pane = LogPane(console)
    pane.resize(900, 500)
    qtbot.addWidget(pane)
    with qtbot.waitExposed(pane):
        pane.show()
    pane.open([LogFile(node="load", instance=1, attempt=1, path=str(log), ended=True)], LogStream.OUTPUT)
    yield pane
    pane.stop()


def test_it_opens_at_its_end(pane: LogPane) -> None:
    assert pane.full.at_end
    rows = pane.model.all_rows()
    assert rows.page(pane.model.text.start(pane.model.text.size - 1), 1)[0].row.text == b"the last line"


def test_it_is_searched(pane: LogPane, qtbot: QtBot) -> None:
    pane.look_for(Query("0123456 all"))

    qtbot.waitUntil(lambda: not pane.model.searching and bool(pane.model.starts))
    assert list(pane.model.starts) == [TEXT.index(b"0123456 all")]


def test_it_is_merged_with_its_errors(pane: LogPane, log: Path) -> None:
    pane.model.open(log, LogStream.BOTH, ended=True)

    assert pane.model.text.size == len(TEXT) + len(b"nothing good\n")
    assert not log.exists()


def test_given_back_it_reads_no_more_and_fails_nobody(pane: LogPane) -> None:
    text = pane.model.text

    pane.stop()

    assert text.read(0, 10) == b""
