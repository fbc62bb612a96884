"""Exporting a run, whatever state its workspace is in, and importing it as a case."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import sqlite3
import tarfile
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
import zstandard

from app import wiring
from engine.api.documents import ExceptionQuery
from engine.context.line import read_line
from engine.model.codes import bundles as codes
from engine.model.errors import Invalid, Refused
from engine.secrets.vault import Vault
from export_import import collecting, export_plan
from export_import.case import Case, cases_at
from export_import.collecting import BundleItem, Guard, Stalled
from export_import.container import open_bundle
from export_import.export import export, preview
from export_import.export_request import ExportRequest, ExportStep
from export_import.export_source import InstanceChoice
from export_import.importing import import_bundle
from export_import.keys import Keys
from tests.bundles.case_service import service_of
from tests.bundles.conftest import CLOCK, TASK, Place, run


def desk(tmp_path: Path) -> Path:
    root = tmp_path / "desk"
    root.mkdir(exist_ok=True)
    return root


def imported(tmp_path: Path, *paths: Path, **how: object) -> Case:
    return import_bundle(desk(tmp_path), paths, clock=CLOCK, **how)  # type: ignore[arg-type]


def test_a_case_shows_what_the_site_saw(site: Place, tmp_path: Path) -> None:
    site.export(tmp_path / "out")
    case = imported(tmp_path, tmp_path / "out", name="one")

    from engine.api.read_only import ReadOnlyService
    from engine.runtime.workspace import Workspace
    from engine.store.opening import open_store

    workspace = Workspace.open(site.root)
    store = open_store(workspace.database_url, read_only=True, clock=CLOCK)
    there = ReadOnlyService(store, workspace)
    with service_of(case) as service:
        ours, theirs = there.instance(1), service.instance(1)
        for each in (ours, theirs):
            each.pop("directory")
            for job in each["jobs"]:
                job.pop("directory")
        assert ours == theirs
        assert sorted(map(str, service.stats())) == sorted(map(str, there.stats()))
        assert service.exceptions(ExceptionQuery()) == there.exceptions(ExceptionQuery())
        assert list(service.context(1)) == ["TASK", "JOB"]
        logs = service.logs(1, "load")
        assert logs[0]["path"].startswith(str(case.folder))
        assert Path(logs[0]["path"]).with_name("job-error.log").read_text() == "rows=12 limit=10\n"
    store.close()
    assert case.instances == [1]
    assert [each.name for each in cases_at(desk(tmp_path))[0]] == ["one"]
    assert case.files["instances/task-night-1/ctx.log"]["facts"]["site_hash"]


def test_addresses_are_renamed_in_logs_and_results_alike(site: Place, tmp_path: Path) -> None:
    done = site.export(tmp_path / "out")
    assert done.redactions["ipv4"] >= 1
    bundle = open_bundle([tmp_path / "out"], site.keys, clock=CLOCK)
    text = b"".join(bundle.read(name) for name in bundle.entries)
    assert b"10.11.12.13" not in text
    assert b"198.1" in text
    plain = site.export(tmp_path / "plain", redact=False)
    assert plain.redactions == {}
    read = open_bundle([tmp_path / "plain"], site.keys, clock=CLOCK)
    assert b"10.11.12.13" in b"".join(read.read(name) for name in read.entries)


def test_a_stored_secret_leaves_by_no_sink(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "S3cr3t/von+hier=77"
    root = tmp_path / "site"
    monkeypatch.setenv("SKERRY_PASSPHRASE", "open-sesame-1")
    run(root, TASK_OF.format(secret=secret))
    Vault(root / "secrets.vault", os.environ).set("db", secret)

    done = export(root, tmp_path / "out", ExportRequest((InstanceChoice(1),)), clock=CLOCK)

    assert done.redactions["secret"] > 0
    bundle = open_bundle([tmp_path / "out"], None, clock=CLOCK)
    for name in bundle.entries:
        assert secret not in name
        assert secret.encode() not in bundle.read(name), name
    assert secret.encode() not in b"".join(each.read_bytes() for each in (tmp_path / "out").iterdir())


TASK_OF = """
skerry: 1
tasks:
  leak:
    params: {{key: "{secret}"}}
    nodes:
      tell:
        type: shell
        params: {{key: "$.TASK.PARAMS['key']"}}
        process: |
          echo "$key"; printf %s "$key" | base64; printf %s "$key" | od -An -tx1 | tr -d ' \\n'
          echo "{secret}" >&2; printf %s "$key" > outputs/key; printf %s "$key" > "outputs/$(printf %s "$key" | tr / _)"
          exit 4
        results: {{out: {{value: "{{$.JOB['tell'].OUTPUT}}"}}}}
"""


def test_locked_secrets_refuse_the_export(
    site: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKERRY_PASSPHRASE", "open-sesame-1")
    Vault(site.root / "secrets.vault", os.environ).set("db", "abcdefgh1")
    monkeypatch.delenv("SKERRY_PASSPHRASE")
    with pytest.raises(Refused) as refused:
        site.export(tmp_path / "out")
    assert refused.value.entry is codes.SECRETS_CLOSED
    assert not list(tmp_path.glob("out*"))


def test_a_secret_file_that_was_emptied_does_not_pass_for_one_without_secrets(
    site: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKERRY_PASSPHRASE", "open-sesame-1")
    file = site.root / "secrets.vault"
    Vault(file, os.environ).set("db", "abcdefgh1")
    file.write_text(json.dumps(json.loads(file.read_bytes()) | {"records": {}}))
    with pytest.raises(Refused) as refused:
        site.export(tmp_path / "out")
    assert refused.value.entry is codes.SECRETS_CLOSED


@pytest.mark.parametrize("secret", ["path", "status", "tatu", "failed"])
def test_a_secret_that_is_a_word_of_every_bundle_leaves_it_readable(
    site: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    # given a site that has such a word for a password
    monkeypatch.setenv("SKERRY_PASSPHRASE", "open-sesame-1")
    Vault(site.root / "secrets.vault", os.environ).set("db", secret)
    site.export(tmp_path / "out")

    # when a supporter opens what it sends
    case = imported(tmp_path, tmp_path / "out")

    # then it can be read: the instance is there, and each line of its log is one
    with service_of(case) as service:
        assert service.instance(1)["status"] == "failed"
    [log] = [each for each in case.folder.rglob("ctx.log") if "jobs" not in each.parts]
    assert all("path" in read_line(line) for line in log.read_bytes().splitlines())


def test_a_secret_that_the_first_look_leaves_stops_the_bundle(
    site: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKERRY_PASSPHRASE", "open-sesame-1")
    Vault(site.root / "secrets.vault", os.environ).set("db", "rows=12")
    monkeypatch.setattr("export_import.redaction.stored_secrets.forms_of", lambda *_: frozenset())
    with pytest.raises(Refused) as refused:
        site.export(tmp_path / "out")
    assert refused.value.entry is codes.SECRET_FOUND
    assert "job.log:1" in refused.value.message or ":1" in refused.value.message
    assert not list(tmp_path.glob("out*"))


def test_a_damaged_database_is_no_hindrance(site: Place, tmp_path: Path) -> None:
    (site.root / "skerry.db").write_bytes(b"this is no database" * 100)
    done = site.export(tmp_path / "out")
    assert any("database" in each for each in done.remarks)
    with service_of(imported(tmp_path, tmp_path / "out")) as service:
        assert service.instance(1)["status"] == "failed"


def test_settings_that_cannot_be_read_are_no_hindrance(site: Place, tmp_path: Path) -> None:
    (site.root / "workspace.yaml").write_text("places: [")
    done = site.export(tmp_path / "out")
    assert any("settings" in each for each in done.remarks)
    assert open_bundle([done.path], None, clock=CLOCK).read("settings.yaml") == b"places: ["


def test_one_job_of_a_run_leaves_the_others_out_and_says_so(site: Place, tmp_path: Path) -> None:
    wanted = ExportRequest((InstanceChoice.of_text("1:load"),))
    done = export(site.root, tmp_path / "out", wanted, clock=CLOCK)
    left = {each.name for each in done.omitted if "not chosen" in each.reason}
    assert any("job-read-" in name and name.endswith("job.log") for name in left)
    assert not any("job-load-" in name for name in left)


@pytest.mark.parametrize("text", ["0x1", "-1", "1:", "", "1;2", "９"])
def test_what_is_no_instance_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        InstanceChoice.of_text(text)


@pytest.mark.parametrize("text", ["9", "1:nothing"])
def test_what_is_not_there_is_refused(site: Place, tmp_path: Path, text: str) -> None:
    with pytest.raises(Invalid) as refused:
        export(site.root, tmp_path / "out", ExportRequest((InstanceChoice.of_text(text),)), clock=CLOCK)
    assert refused.value.entry is codes.NOTHING_CHOSEN
    assert not list(tmp_path.glob("out*"))


def test_the_preview_names_what_the_export_writes(site: Place, tmp_path: Path) -> None:
    wanted = ExportRequest((InstanceChoice(1),))
    seen = preview(site.root, wanted, clock=CLOCK)
    done = export(site.root, tmp_path / "out", wanted, clock=CLOCK)
    bundle = open_bundle([done.path], None, clock=CLOCK)
    assert {each.name for each in seen.files} == set(bundle.entries)
    hits = {each.name: dict(each.redactions) for each in seen.files if each.redactions}
    assert hits == {e.name: e.facts["redacted"] for e in bundle.entries.values() if "redacted" in e.facts}


@pytest.mark.parametrize("budget", [40_000, 60_000, 90_000])
def test_no_bundle_is_larger_than_its_budget(site: Place, tmp_path: Path, budget: int) -> None:
    read = next(site.root.glob("instances/*/jobs/job-read-*"))
    for number in range(40):
        (read / "outputs" / f"n{number}").write_bytes(os.urandom(1200))

    done = site.export(tmp_path / "out", budget=budget)

    assert done.size <= budget
    assert done.omitted


def test_a_budget_keeps_what_matters_most_and_lists_the_rest(site: Place, tmp_path: Path) -> None:
    load = next(site.root.glob("instances/*/jobs/job-load-*"))
    with open(load / "job.log", "wb") as log:
        for number in range(60_000):
            log.write(os.urandom(12).hex().encode() + b" line %d\n" % number)
    read = next(site.root.glob("instances/*/jobs/job-read-*"))
    (read / "outputs" / "big").write_bytes(os.urandom(3 << 20))

    done = site.export(tmp_path / "out", budget=1 << 20, redact=False)

    assert done.size <= 1 << 20
    assert any(each.name.endswith("outputs/big") and "budget" in each.reason for each in done.omitted)
    bundle = open_bundle([done.path], None, clock=CLOCK)
    name = next(each for each in bundle.entries if "job-load" in each and each.endswith("job.log"))
    assert bundle.entries[name].facts["cut"]["of"] > 1 << 20
    assert bundle.read(name).endswith(b"line 59999\n")
    assert "rows/1.json" in bundle.entries


def test_the_end_of_a_log_is_judged_with_what_comes_before_it(site: Place, tmp_path: Path) -> None:
    log = next(site.root.glob("instances/*/jobs/*read*/job.log"))
    rows = "".join(f"{each},pw{each}x{os.urandom(20).hex()}Q,town\n" for each in range(12_000))
    log.write_text(f"id,password,city\n{rows}")

    site.export(tmp_path / "out", budget=250_000)

    bundle = open_bundle([tmp_path / "out"], site.keys, clock=CLOCK)
    name = next(each for each in bundle.entries if "read" in each and each.endswith("job.log"))
    end = bundle.read(name)
    cut = bundle.entries[name].facts["cut"]["from"]
    assert cut > 50_000
    assert end.endswith(b"\n11999,******,town\n")
    assert end.count(b"******") >= end.count(b"\n") > 1000
    assert b"Q,town" not in end


def test_a_site_names_secrets_of_its_own_in_its_settings(tmp_path: Path) -> None:
    root = tmp_path / "site"
    task = TASK.replace("rows=12 from 10.11.12.13", "door=kx78 badge_code=kx77 门禁=门x9931")
    run(root, task.replace("limit: 10", "limit: 10, badge: kx79"))
    (root / "workspace.yaml").write_text("secret_names: [badge, 门禁]\n", "utf-8")

    export(root, tmp_path / "out", ExportRequest((InstanceChoice(1),)), clock=CLOCK)

    bundle = open_bundle([tmp_path / "out"], None, clock=CLOCK)
    text = b"".join(bundle.read(name) for name in bundle.entries).decode("utf-8", "replace")
    assert "kx77" not in text
    assert "x9931" not in text
    assert "kx79" not in text
    assert "door=kx78" in text


def packed_samples(secret: bytes) -> dict[str, bytes]:
    """What stock tools make of a file with a secret in it, under names that say nothing."""
    files = {
        "gzip": gzip.compress(secret),
        "bzip2": bz2.compress(secret),
        "xz": lzma.compress(secret),
        "lzma": lzma.compress(secret, format=lzma.FORMAT_ALONE),
        "zstd": zstandard.ZstdCompressor().compress(secret),
    }
    for name, form in (
        ("ustar", tarfile.USTAR_FORMAT),
        ("gnu", tarfile.GNU_FORMAT),
        ("pax", tarfile.PAX_FORMAT),
    ):
        with tarfile.open(fileobj=(made := io.BytesIO()), mode="w", format=form) as archive:
            archive.addfile(member := tarfile.TarInfo("in/报告.txt"), io.BytesIO())
            member.size = len(secret)
            archive.addfile(member, io.BytesIO(secret))
        files[name] = made.getvalue()
    files["old tar"] = old_tar(files["ustar"])
    with zipfile.ZipFile(made := io.BytesIO(), "w") as zipped:
        zipped.writestr("report", secret, zipfile.ZIP_DEFLATED)
    files["zip"] = made.getvalue()
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("create table t (a)")
        database.execute("insert into t values (?)", [secret])
        database.commit()
        files["sqlite"] = database.serialize()
    return files


def old_tar(data: bytes) -> bytes:
    """The same as before 1988: without a mark, only with its sum."""
    head = data[:148] + b" " * 8 + data[156:257] + bytes(255)
    return head[:148] + b"%06o\0 " % sum(head) + head[156:] + data[512:]


def test_what_is_compressed_or_archived_is_left_out_and_listed(site: Place, tmp_path: Path) -> None:
    outputs = next(site.root.glob("instances/*/jobs/*read*/outputs"))
    samples = packed_samples(b"token=hidden-Value-77\n" * 60)
    for name, data in samples.items():
        (outputs / name).write_bytes(data)
    (outputs / "plain").write_bytes(b"PK means primary key\n")

    done = site.export(tmp_path / "out")

    assert {Path(each.name).name for each in done.omitted if "not looked into" in each.reason} == set(samples)
    assert all(each.size == len(samples[Path(each.name).name]) for each in done.omitted)
    bundle = open_bundle([tmp_path / "out"], site.keys, clock=CLOCK)
    assert not samples.keys() & {Path(name).name for name in bundle.entries}
    assert [each.name for each in bundle.omitted] == [each.name for each in done.omitted]
    assert any(name.endswith("outputs/plain") for name in bundle.entries)
    seen = preview(site.root, ExportRequest((InstanceChoice(1),)), clock=CLOCK)
    assert {each.name for each in seen.omitted} == {each.name for each in done.omitted}

    site.export(tmp_path / "all", redact=False)
    whole = open_bundle([tmp_path / "all"], site.keys, clock=CLOCK)
    taken = {Path(name).name: whole.read(name) for name in whole.entries if "/outputs/" in name}
    assert samples.items() <= taken.items()


@pytest.mark.parametrize("budget", [None, 120_000])
def test_a_log_that_is_compressed_is_left_out_even_where_only_its_end_would_fit(
    site: Place, tmp_path: Path, budget: int | None
) -> None:
    log = next(site.root.glob("instances/*/jobs/*read*/job.log"))
    log.write_bytes(gzip.compress(os.urandom(300_000)))
    done = site.export(tmp_path / "out", budget=budget)
    assert any(each.name.endswith("job.log") and "gzip" in each.reason for each in done.omitted)


def test_a_collector_that_hangs_costs_its_own_line(
    site: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from threading import Event

    never = Event()

    class Hanging:
        DEADLINE = 0.2

        @staticmethod
        def items(site: object) -> object:
            yield BundleItem("logs/one", "file", 1, 1, lambda: [b"1"])
            yield BundleItem("logs/hangs", "file", 1, 1, lambda: iter(never.wait, None))
            never.wait()

    real = collecting.found()
    monkeypatch.setattr(export_plan, "found", lambda: [*real, ("hanging", Hanging)])
    done = site.export(tmp_path / "out")
    never.set()
    omitted = {each.name: each.reason for each in done.omitted}
    assert "no answer" in omitted["collector hanging"]
    assert "no answer" in omitted["logs/hangs"]
    bundle = open_bundle([done.path], None, clock=CLOCK)
    assert "logs/one" in bundle.entries
    assert "instances/task-night-1/ctx.log" in bundle.entries


def test_a_cancelled_export_leaves_nothing(site: Place, tmp_path: Path) -> None:
    steps: list[ExportStep] = []
    with pytest.raises(Refused) as refused:
        export(
            site.root,
            tmp_path / "out",
            ExportRequest((InstanceChoice(1),)),
            clock=CLOCK,
            progress=steps.append,
            cancelled=lambda: len(steps) > 5,
        )
    assert refused.value.entry is codes.CANCELLED
    assert not list(tmp_path.glob("out*"))
    assert not list(site.root.glob("bundles/.*"))


def test_links_pipes_and_odd_names_in_a_run_are_reported_not_followed(site: Place, tmp_path: Path) -> None:
    outputs = next(site.root.glob("instances/*/jobs/job-load-*")) / "outputs"
    outputs.mkdir(exist_ok=True)
    (outputs / "link").symlink_to("/etc/passwd")
    os.mkfifo(outputs / "pipe")
    for name in (b"a\nb", b"\xff\xfe", "日志".encode(), b"Case", b"case", b"nul", b"dot."):
        Path(os.fsdecode(os.fsencode(outputs) + b"/" + name)).write_bytes(name)
    done = site.export(tmp_path / "out")
    omitted = {Path(each.name).name: each.reason for each in done.omitted}
    assert "plain file" in omitted["link"]
    assert "plain file" in omitted["pipe"]
    bundle = open_bundle([done.path], None, clock=CLOCK)
    names = {Path(name).name for name in bundle.entries}
    assert {"a%0Ab", "%FF%FE", "日志", "Case", "case~2", "dot%2E"} <= names
    case = imported(tmp_path, done.path)
    assert json.loads((case.folder / "files.json").read_text())


def test_a_guard_goes_on_after_something_hung() -> None:
    from threading import Event

    never, guard = Event(), Guard()
    with pytest.raises(Stalled):
        list(guard.each(lambda: iter(never.wait, None), 0.05))
    assert list(guard.each(lambda: [1, 2], 5)) == [1, 2]
    with pytest.raises(ZeroDivisionError):
        list(guard.each(lambda: (1 // 0 for _ in "x"), 5))
    never.set()
    guard.close()


def test_everything_written_is_private(site: Place, tmp_path: Path) -> None:
    os.umask(0)
    done = site.export(tmp_path / "out")
    case = imported(tmp_path, done.path)
    for root in (done.path, case.folder, site.root / "keys"):
        for path in (root, *root.rglob("*")):
            assert path.stat().st_mode & 0o077 == 0, path


def test_an_export_to_nowhere_is_refused(site: Place, tmp_path: Path) -> None:
    with pytest.raises(Exception) as refused:
        site.export(tmp_path / "missing" / "out")
    assert refused.value.entry is codes.TARGET  # type: ignore[attr-defined]
    (tmp_path / "there").mkdir()
    with pytest.raises(Refused) as refused_too:
        site.export(tmp_path / "there")
    assert refused_too.value.entry is codes.TARGET


T = "2026-11-21T08:00:00.000000+00:00"


@pytest.mark.parametrize("directory", ["/etc", "../../x", "instances/../../x", "instances/a\\b", 7])
def test_rows_that_lead_elsewhere_lead_nowhere(tmp_path: Path, directory: object) -> None:
    from tests.bundles.hostile import Forged, file_of, manifest_of, volume_of

    row = {
        "id": 1,
        "task": "t",
        "status": "failed",
        "trigger": "manual",
        "scheduled_time": T,
        "created_at": T,
    }
    job = {
        "id": 2,
        "instance": 1,
        "run": 1,
        "node": "n",
        "job": "n",
        "status": "failed",
        "created_at": T,
        "attempt": 1,
    }
    tree = {
        "instance": {**row, "directory": directory, "more": 1},
        "jobs": [{**job, "directory": directory}],
        **{each: [] for each in ("runs", "attempts", "exceptions", "alerts", "stats")},
        "snapshots": {},
    }
    data = json.dumps(tree).encode()
    manifest = manifest_of(facts={"instances": [{"id": 1}]}, files=[file_of("rows/1.json", data)])
    path = Forged(tree=manifest, volumes=[volume_of(data)]).write(tmp_path / "b")
    with service_of(imported(tmp_path, path)) as service:
        assert service.instance(1)["directory"] is None
        assert service.logs(1) == []


@pytest.mark.parametrize(
    "change",
    [
        {"task": "../../x"},
        {"id": 7},
        {"id": "1"},
        {"status": []},
        {"status": "odd"},
        {"params": 3},
        {"run": True},
        {"task": None},
        {"created_at": "x"},
        {"ended_at": "2026-11-21"},
    ],
)
def test_rows_that_cannot_be_are_reported_and_cost_only_themselves(
    tmp_path: Path, change: dict[str, object]
) -> None:
    from tests.bundles.hostile import Forged, file_of, manifest_of, volume_of

    row = {
        "id": 1,
        "task": "t",
        "status": "failed",
        "trigger": "manual",
        "scheduled_time": T,
        "created_at": T,
    }
    data = json.dumps({"instance": {**row, **change}}).encode()
    manifest = manifest_of(facts={"instances": [{"id": 1}]}, files=[file_of("rows/1.json", data)])
    path = Forged(tree=manifest, volumes=[volume_of(data)]).write(tmp_path / "b")
    case = imported(tmp_path, path)
    assert "instance 1 cannot be shown" in str(case.bundle["findings"])


def test_an_export_of_a_running_instance_may_end_in_half_a_line(site: Place, tmp_path: Path) -> None:
    with next(site.root.glob("instances/*/ctx.log")).open("ab") as log:
        log.write(b'{"seq":99,"time":"2026')
    case = imported(tmp_path, site.export(tmp_path / "out").path)
    assert [each["code"] for each in case.bundle["findings"]] == [codes.UNTRUSTED.number]
    with service_of(case) as service:
        assert service.context(1)["JOB"]


def errors_of(case: Case) -> str:
    return "; ".join(each["message"] for each in case.bundle["findings"])


def test_a_context_log_is_shown_up_to_its_first_damaged_line_and_the_case_says_so(
    site: Place, tmp_path: Path
) -> None:
    log = next(site.root.glob("instances/*/ctx.log"))
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join([*lines[:4], lines[4].replace("run", "ran", 1), *lines[5:]]))

    case = imported(tmp_path, site.export(tmp_path / "out", redact=False).path)

    assert "the context log of instance 1 is damaged: the checksum does not fit: line 5" in errors_of(case)
    with closing(wiring.open_reader(case.folder)) as store:
        assert store.last_seq(1) == 4


def test_a_case_whose_context_log_is_missing_says_so(site: Place, tmp_path: Path) -> None:
    next(site.root.glob("instances/*/ctx.log")).unlink()

    case = imported(tmp_path, site.export(tmp_path / "out").path)

    assert "the context log of instance 1 is missing" in errors_of(case)


def test_samples_and_log_lines_around_the_run_are_taken_and_no_others(site: Place, tmp_path: Path) -> None:
    from datetime import datetime, timedelta

    began = json.loads(next(site.root.glob("instances/*/ctx.log")).read_text().splitlines()[0])["time"]
    hours = [datetime.fromisoformat(began) + timedelta(hours=number) for number in (-2, 0, 2)]
    times = [each.isoformat(timespec="milliseconds") for each in hours]
    samples = site.root / "monitor" / "2026-01-01.csv"
    samples.write_text("time,cpu\n" + "".join(f"{each},{n}\n" for n, each in enumerate(times)) + "2026")
    with (site.root / "logs" / "execution.log").open("a") as log:
        log.writelines(f"{each} INFO line {n}\n  more of it\n" for n, each in enumerate(times))

    bundle = open_bundle([site.export(tmp_path / "out").path], None, clock=CLOCK)

    assert bundle.read("monitor/2026-01-01.csv").decode() == f"time,cpu\n{times[1]},1\n"
    lines = bundle.read("logs/execution.log").decode()
    assert "line 1\n  more of it\n" in lines
    assert "line 0" not in lines
    assert "line 2" not in lines


def test_a_case_says_what_it_is_and_what_it_is_not(site: Place, tmp_path: Path) -> None:
    case = imported(tmp_path, site.export(tmp_path / "out", redact=False).path)
    assert json.loads((case.folder / "rows/1.json").read_bytes())["instance"]["task"] == "night"
    assert json.loads((case.folder / "environment-now.json").read_bytes())["versions"]["skerry"]
    assert (case.redacted, case.omitted, case.lost) == (False, [], [])
    with pytest.raises(Invalid):
        Case(site.root)
    for name in ("../x", "a\nb", "a\u202eb", "-x", ".x", "con", "x" * 61, "a\u0301"):
        with pytest.raises(Invalid) as refused:
            imported(tmp_path, tmp_path / "out", name=name)
        assert refused.value.entry is codes.CASE_NAME, name
    assert imported(tmp_path, tmp_path / "out", name="港口-12.夜间").name == "港口-12.夜间"
    steps: list[ExportStep] = []
    with pytest.raises(Refused):
        imported(
            tmp_path, tmp_path / "out", name="two", progress=steps.append, cancelled=lambda: len(steps) > 3
        )
    assert not (tmp_path / "desk" / "cases" / "two").exists()


def test_a_bundle_of_another_kind_is_no_case(tmp_path: Path, keys: Keys) -> None:
    from export_import.container import BundleWriter

    with BundleWriter(tmp_path / "out", kind="delivery", keys=keys, clock=CLOCK) as writer:
        path = writer.finish()
    with pytest.raises(Refused) as refused:
        imported(tmp_path, path)
    assert refused.value.entry is codes.WRONG_KIND
