"""show, list, logs, context, set, cancel, stats, errors, resource check."""

import threading
from pathlib import Path

import pytest

from app.cli.growing_file import Growing
from engine.api.documents import InstanceQuery
from engine.model.message import Message, with_facts
from engine.model.missing_files import MissingFile, record
from tests.api.fake_service import FakeService, instance, job
from tests.cli.conftest import Skerry
from tests.waiting import until

BAD = job(
    "load", "failed", error_code=-19000002000, error_message="exit status 3", exit_code=3,
    directory="/w/jobs/job-load-4", attempt=2, params={"limit": 10}, based_on_edit=True,
)  # fmt: skip
WAITS = job("index", "pending", reason="waits for load")
SHOWN = instance(
    4, "failed", jobs=[job("extract", "succeeded"), BAD, WAITS], params={"dir": "/x"}, edited=["$.X"]
)


def test_show_says_what_happened_and_what_to_do(skerry: Skerry, service: FakeService) -> None:
    service.found[4] = SHOWN

    answer = skerry("show", "4").out

    assert answer.startswith("instance 4: nightly failed (manual, run 1)")
    assert "waits for load" in answer
    assert "error -19000002000: exit status 3" in answer
    assert "Internal error" in answer
    assert "Export a diagnostic bundle" in answer
    assert "skerry logs 4 load" in answer
    assert not any(line.endswith(" ") for line in answer.splitlines())


def test_failures_with_one_explanation_are_explained_once(skerry: Skerry, service: FakeService) -> None:
    jobs = [
        job("a", "failed", error_code=-11000001003, error_message="exit status 3", directory="/w/a"),
        job("b", "failed", error_code=-11000001004, error_message="exit status 4", directory="/w/b"),
        job("c", "timed_out", error_code=-11000003000, error_message="it took longer"),
    ]
    service.found[4] = instance(4, "failed", jobs=jobs)

    answer = skerry("show", "4").out

    first, *others = answer.split("\n\n")[-2:]
    assert first.startswith(
        "a: error -11000001003: exit status 3\nb: error -11000001004: exit status 4\n  what "
    )
    assert first.count("remedy") == 1
    assert first.endswith("  logs    skerry logs 4 a\n  logs    skerry logs 4 b")
    assert [each.splitlines()[0] for each in others] == ["c: error -11000003000: it took longer"]


def test_show_speaks_chinese_where_that_is_set(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.found[4] = SHOWN
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")

    answer = skerry("show", "4").out

    assert "\n  含义      内部错误\n" in answer
    assert "\n  日志      skerry logs 4 load\n" in answer


def test_a_failure_is_said_in_chinese_with_its_facts_and_in_english_in_json(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = Message.of("it took longer than its timeout of {seconds:g} s", seconds=2.5)
    error = with_facts({"error_code": -11000003000, "error_message": message})
    service.found[4] = instance(4, "failed", jobs=[job("load", "timed_out", **error)])
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")

    shown, listed = skerry("show", "4").out, skerry("show", "4", "--json").document

    assert "运行超过了超时时间 2.5 秒" in shown
    assert "it took longer" not in shown
    assert listed["jobs"][0]["error_message"] == "it took longer than its timeout of 2.5 s"


def test_show_of_a_node_has_its_details(skerry: Skerry, service: FakeService) -> None:
    service.found[4] = SHOWN

    answer = skerry("show", "4", "load")

    assert "load of instance 4: failed" in answer.out
    assert "exit code      3" in answer.out
    assert "based on edit  yes" in answer.out
    assert [each["node"] for each in skerry("show", "4", "load", "--json").document["jobs"]] == ["load"]
    assert skerry("show", "4", "nobody").status == 2


def test_show_of_a_group_has_its_members(skerry: Skerry, service: FakeService) -> None:
    nodes = ["report", "report.0", "report.1"]
    service.found[4] = instance(4, jobs=[job(each, "succeeded") for each in nodes])

    answer = skerry("show", "4", "report", "--json")

    assert [each["node"] for each in answer.document["jobs"]] == nodes


def test_show_json_is_the_whole_document(skerry: Skerry, service: FakeService) -> None:
    service.found[4] = SHOWN

    assert skerry("show", "4", "--json").document == SHOWN


def test_list_asks_for_what_is_wanted(skerry: Skerry, service: FakeService, workspace: Path) -> None:
    (workspace / "workspace.yaml").write_text("timezone: Asia/Shanghai\n")
    service.found[1] = instance(1, "failed", error_code=-19000002000, error_message="why")

    answer = skerry(
        "list", "--task", "t", "--status", "failed", "--since", "2026-11-21", "--until",
        "2026-11-22T08:00:00Z", "--planned", "--limit", "3",
    )  # fmt: skip

    since, until = "2026-11-21T00:00:00+08:00", "2026-11-22T08:00:00+00:00"
    assert service.asked[0] == ("instances", InstanceQuery("t", "failed", since, until, True, 3))
    assert "error -19000002000: why" in answer.out
    assert skerry("list", "--json").document["instances"][0]["instance"] == 1


def test_the_day_up_to_which_is_listed_belongs_to_it(
    skerry: Skerry, service: FakeService, workspace: Path
) -> None:
    (workspace / "workspace.yaml").write_text("timezone: Asia/Shanghai\n")

    skerry("list", "--until", "2026-11-22")

    assert service.asked[0][1].until == "2026-11-23T00:00:00+08:00"


@pytest.mark.parametrize("time", ["0001-01-01", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
@pytest.mark.parametrize("asked", ["list --since", "list --until", "exceptions list --since"])
def test_any_time_that_can_be_written_can_be_asked_for(skerry: Skerry, asked: str, time: str) -> None:
    assert skerry(*asked.split(), time).status == 0


def test_list_says_that_what_is_running_may_not_be_where_no_engine_is_at_work(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    hint = "no engine is at work: what is running is what the last one knew"
    service.found[7] = instance(7)
    at_work = skerry("list")
    monkeypatch.setattr(service, "about", lambda: {"pid": None})

    running = skerry("list")
    service.found[7] = instance(7, "succeeded")
    ended = skerry("list")

    assert (hint in at_work.err, hint in running.err, hint in ended.err) == (False, True, False)
    assert hint not in running.out


def test_logs_are_bytes_as_they_are(skerry: Skerry, service: FakeService, tmp_path: Path) -> None:
    data = b"\xff\x00\x1b[31mred\r\n" * 100_000
    (tmp_path / "job.log").write_bytes(data)
    (tmp_path / "job-error.log").write_bytes(b"wrong\xfe")
    service.log(tmp_path / "job.log")
    service.log(tmp_path / "none" / "job.log")

    assert skerry("logs", "1").raw == data
    assert skerry("logs", "1", "load", "--stderr", "--attempt", "2").raw == b"wrong\xfe"
    assert service.asked[-1] == ("logs", 1, "load", 2)
    document = skerry("logs", "1", "--stderr", "--json").document
    assert document["logs"][0]["text"] == "wrong\ufffd"


def test_that_there_are_no_logs_is_said_beside_the_answer(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("logs", "1")

    assert (answer.status, answer.raw) == (0, b"")
    assert answer.err == "there are no logs: nothing of it has run\n"


def test_following_goes_on_until_the_end(skerry: Skerry, service: FakeService, tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_bytes(b"first\n")
    service.log(log, ended=False)
    service.found[1] = instance(1, jobs=[job("load", "running")])

    def play() -> None:
        until(lambda: service.asked.count(("logs", 1, "load", None)) > 1)  # what there was has been read
        log.rename(tmp_path / "attempt-1.log")
        log.write_bytes("zweite 中".encode()[:-1])
        with log.open("ab") as more:
            more.write("中".encode()[-1:])
        service.found[1] = instance(1, jobs=[job("load", "succeeded"), job("x", "running")])

    threading.Thread(target=play).start()
    answer = skerry("logs", "1", "load", "--follow")

    assert answer.out == "first\nzweite 中"


def test_following_as_json_is_lines(skerry: Skerry, service: FakeService, tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text("all\n")
    service.log(tmp_path / "job.log")
    service.found[1] = instance(1, "succeeded")

    assert skerry("logs", "1", "--follow", "--json").lines == [
        {"node": "load", "instance": 1, "attempt": 1, "text": "all\n"}
    ]
    assert skerry("logs", "1", "load", "--follow", "--attempt", "1").out == "all\n"


def test_what_was_written_before_a_file_was_put_aside_is_not_missed(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    growing = Growing(log)
    assert list(growing) == []

    log.write_text("a")
    assert list(growing) == [b"a"]

    with log.open("a") as more:
        more.write("b")
    log.rename(tmp_path / "old")
    assert list(growing) == [b"b"]
    log.write_text("c")
    assert b"".join(growing) == b"c"
    growing.close()


def test_context_json_is_the_tree_itself(skerry: Skerry, service: FakeService) -> None:
    assert skerry("context", "1", "--json").document == {"TASK": {"ID": "nightly"}}
    assert '"ID": "nightly"' in skerry("context", "1", "--at", "12").out
    assert service.asked[-1] == ("context", 1, 12)


@pytest.mark.parametrize("value", ["-5", "--x", "-p", "", "'; drop\n$(id)", "-1e3"])
def test_any_value_can_be_set(skerry: Skerry, service: FakeService, value: str) -> None:
    answer = skerry("set", "1", "$.TASK.PARAMS['limit']", value, "--reason", "-because", "--json")

    assert answer.status == 0
    assert service.asked == [("set", 1, "$.TASK.PARAMS['limit']", value, "-because")]


def test_even_an_option_can_be_set_after_two_dashes(skerry: Skerry, service: FakeService) -> None:
    skerry("set", "--reason", "r", "--", "1", "$.TASK.PARAMS['x']", "--json")

    assert service.asked[0][3] == "--json"


def test_cancel_names_what_it_stopped(skerry: Skerry, service: FakeService) -> None:
    service.found[3] = instance(3, "cancelled")
    assert skerry("cancel", "3").out == "instance 3 is cancelled\n"
    assert skerry("cancel", "3", "load").out == "load of instance 3 is cancelled\n"
    assert skerry("cancel", "3", "--json").document["instance"] == 3


def test_cancel_says_that_handlers_of_the_end_go_on(skerry: Skerry, service: FakeService) -> None:
    waits = job("on_end.always", "pending")
    service.found[3] = instance(3, jobs=[job("a", "cancelled"), job("on_end.cancelled", "succeeded"), waits])
    said = skerry("cancel", "3").out
    waits["status"] = "skipped"

    assert said == ("instance 3 is cancelled\nits handlers of the end run now; another cancel stops them\n")
    assert skerry("cancel", "3").out == "instance 3 is cancelled\n"


def test_a_cancel_that_cannot_be_verified_is_status_1(skerry: Skerry, service: FakeService) -> None:
    service.found[3] = instance(3)
    service.answers["cancel"] = "its supervisor was killed"

    answer = skerry("cancel", "3")

    assert answer.status == 1
    assert "cannot be verified because its supervisor was killed" in answer.out
    assert skerry("cancel", "3", "--json").document["verified"] is False


def test_a_resource_that_is_not_ok_is_status_1(skerry: Skerry, service: FakeService) -> None:
    good, bad = skerry("resource", "check", "ledger"), skerry("resource", "check", "x", "-p", "a=b", "--json")

    assert (good.status, good.out) == (0, "ledger: ok: it answers (100 ms)\n")
    assert bad.status == 1
    assert bad.document["ok"] is False


def test_stats_ask_for_a_task_or_a_job(skerry: Skerry, service: FakeService) -> None:
    assert skerry("stats", "--json").document == {"stats": []}
    assert "error codes" in skerry("stats", "nightly").out
    skerry("stats", "--job", "load")

    assert service.asked == [("stats", None, None), ("stats", "nightly", None), ("stats", None, "load")]


def test_the_catalogue_is_shown_in_both_languages(skerry: Skerry) -> None:
    english = skerry("errors", "-19000002000", "--json").document
    chinese = skerry("errors", "-19000002000", "--lang", "zh", "--json").document

    assert english["code"] == chinese["code"] == -19000002000
    assert english["title"] == "Internal error"
    assert chinese["title"] == "内部错误"
    assert english.keys() == {"code", "title", "cause", "remedy", "retryable"}


def test_the_users_own_entries_come_first(skerry: Skerry, service: FakeService, workspace: Path) -> None:
    (workspace / "workspace.yaml").touch()
    service.answers["errors"] = {
        "-19000002000": {"title": "Call Li", "remedy": {"en": "phone 5", "zh": "打 5"}},
        "-17700001000": {"title": "Ours"},
    }
    service.found[4] = SHOWN

    assert skerry("errors", "-19000002000", "--json").document["title"] == "Call Li"
    assert "Ours" in skerry("errors").out
    assert "phone 5" in skerry("show", "4").out


def test_a_code_is_found_with_its_extra_part_and_without_its_minus(skerry: Skerry) -> None:
    assert skerry("errors", "-19000002137", "--json").document["code"] == -19000002137
    assert "137 (exit status" in skerry("errors", "19000002137").out


def test_trailing_zeros_stand_for_everything_below(skerry: Skerry) -> None:
    found = skerry("errors", "-19000000000", "--json").document["errors"]

    assert len(found) > 2
    assert all(-19099999999 <= each["code"] <= -19000000000 for each in found)
    assert skerry("errors", "-19900000000").status == 2


def test_the_whole_catalogue_is_listed(skerry: Skerry, workspace: Path) -> None:
    (workspace / "workspace.yaml").write_text("language: zh\n")

    assert "内部错误" in skerry("errors").out
    assert len(skerry("errors", "--json").document["errors"]) > 50


def test_what_a_power_cut_took_is_said_beside_the_logs_and_by_show(
    skerry: Skerry, service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "task-t-4"
    (folder / ".skerry").mkdir(parents=True)
    log = folder / "jobs/job-a-1/job.log"
    lost = {"jobs/job-a-1/job.log": MissingFile(1200, 0), "environment.json": MissingFile(None, 0)}
    (folder / ".skerry/missing.json").write_bytes(record(lost, "2026-11-22T08:00:00+00:00"))
    service.found[4] = instance(4, jobs=[job("a", "succeeded")], directory=str(folder))
    service.files = [{"node": "a", "instance": 1, "attempt": 1, "path": str(log), "ended": True}]

    assert "a: a power cut took 1,200 of 1,200 bytes" in skerry("logs", "4", "a").err
    assert skerry("show", "4", "--json").document["missing"] == sorted(lost)
    assert "jobs/job-a-1/job.log: a power cut took 1,200 of 1,200 bytes" in skerry("show", "4").err

    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert "断电丢失了 1,200 字节中的 1,200 字节" in skerry("show", "4").err


def test_logs_of_several_jobs_are_distinguished_on_a_terminal_only(
    skerry: Skerry, service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for node in ("load", "send"):
        (tmp_path / node).mkdir()
        (tmp_path / node / "job.log").write_text(f"output of {node}\n")
        path = str(tmp_path / node / "job.log")
        service.files.append({"node": node, "instance": 1, "attempt": 1, "path": path, "ended": True})

    piped = skerry("logs", "4").out
    monkeypatch.setattr("app.cli.cli_context.CliContext.terminal", True)
    watched = skerry("logs", "4").out

    assert piped == "output of load\noutput of send\n"
    assert watched == "── load ──\noutput of load\n── send ──\noutput of send\n"
