"""What a power cut took is found from the file that it took something of, however deep that lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.model.missing_files import RECORD, MissingFile, missing_of, record


@pytest.mark.parametrize(
    "name",
    [
        "environment.json",
        "jobs/job-a-1/job.log",
        "jobs/job-a-1/attempts/2/outputs/n",
        "jobs/job-a-1/workers/reef/job.log",
        "jobs/job-a-1/workers/reef/attempts/2/outputs/n",
    ],
)
def test_a_file_knows_what_is_missing_of_it(tmp_path: Path, name: str) -> None:
    (tmp_path / RECORD).parent.mkdir()
    (tmp_path / RECORD).write_bytes(record({name: MissingFile(7, 3)}, "2026-03-02T08:00:00+00:00"))

    assert missing_of(tmp_path / name) == MissingFile(7, 3)
    assert missing_of(tmp_path / f"{name}.else") is None
