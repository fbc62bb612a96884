"""An attempt that ends before it has its directory leaves what the one before it left to that one."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

from engine.runtime.clock import SystemClock
from engine.runtime.runs import ending
from engine.store.changes import Changes
from engine.store.opening import open_store
from engine.store.rebuild import rebuild
from tests.runtime.site import Seen, Site, shell, task


def without_its_text(site: Site) -> Seen:
    """A job whose first attempt removes the file that has its text, so that the second one is never begun."""
    script = site.root / "once.sh"
    script.write_text(f"echo first; rm {script}; exit 3")
    job = {"type": "shell", "process": {"file": "once.sh"}, "retry": {"times": 1, "interval": 0}}
    return site.run(task({"a": job}))


def entry(folder: Path) -> Any:
    return json.loads((folder / "ctx.json").read_bytes())


def test_its_files_are_beside_those_of_the_attempt_before(site: Site) -> None:
    # given, when a second attempt comes to nothing
    job = without_its_text(site)["a"]

    # then each of the two has its own
    first = job.folder / "attempts" / "1"
    assert job.attempt == 2
    assert (entry(first)["ATTEMPT"], entry(first)["EXIT_CODE"]) == (1, 3)
    assert (entry(job.folder)["ATTEMPT"], entry(job.folder)["EXIT_CODE"]) == (2, None)
    assert (first / "job.log").read_text() == "first\n"
    assert not (job.folder / "job.log").exists()
    assert (first / "status").read_text() == (job.folder / "status").read_text() == "0\n"
    assert [each.log_size for each in job.attempts] == [6, 0]


def test_the_next_engine_writes_them_where_the_last_one_did_not(site: Site) -> None:
    # given that an engine ended before it had moved what the first attempt left
    seen = without_its_text(site)
    folder, first = seen["a"].folder, seen["a"].folder / "attempts" / "1"
    lines = (folder / "ctx.log").read_bytes()
    for path in folder.iterdir():
        if path != first.parent:
            path.unlink()
    for path in first.iterdir():
        path.rename(folder / path.name)
    first.rmdir()
    site.close()
    with closing(
        open_store(f"sqlite:///{site.root}/skerry.db", durability="full", clock=SystemClock())
    ) as store:
        changes = Changes()
        changes.setting(ending.SETTING, [seen.id])
        store.commit(changes)

    # when the next one starts
    site.again()

    # then all is where it belongs
    assert (entry(first)["ATTEMPT"], entry(folder)["ATTEMPT"]) == (1, 2)
    assert (first / "job.log").read_text() == "first\n"
    assert not (folder / "job.log").exists()
    assert (folder / "ctx.log").read_bytes() == lines


def test_a_rebuilt_database_takes_no_record_of_the_attempt_before_for_its(site: Site, tmp_path: Path) -> None:
    # given the directory of a job whose second attempt has not come to its own files
    seen = site.run(task({"a": shell("exit 3", retry={"times": 1, "interval": 0})}))
    folder = seen["a"].folder
    for part in (folder / ".skerry").iterdir():
        part.unlink()
    record = folder / "attempts" / "1" / ".skerry" / "process"
    (folder / ".skerry" / "process").write_bytes(record.read_bytes())
    lines = (seen.folder / "ctx.log").read_text().splitlines(keepends=True)
    second = next(at for at, line in enumerate(lines) if '"ATTEMPT":2' in line)
    (seen.folder / "ctx.log").write_text("".join(lines[: second + 1]))
    site.close()

    # when the database is rebuilt
    with closing(
        open_store(f"sqlite:///{tmp_path}/rebuilt.db", durability="normal", clock=SystemClock())
    ) as store:
        rebuild(site.root / "instances", store)
        [job] = store.jobs(seen.id)
        attempts = store.attempts(job.id)

    # then nothing says that it has begun
    assert [each.status for each in attempts] == ["failed", "running"]
    assert (attempts[1].mark, job.pid) == ("", None)
