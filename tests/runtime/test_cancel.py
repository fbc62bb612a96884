"""Cancel: an instance or a node, in whatever state, with everything that it started, verified."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes.runtime import CANCELLED, NO_SUCH_INSTANCE, NO_SUCH_NODE, NOT_RUNNING
from engine.model.errors import Invalid, Refused
from engine.runtime.clock import SystemClock
from engine.store.opening import open_store
from engine.store.rebuild import rebuild_database
from resources.clients.http import HttpAnswer
from tests.effort import effort
from tests.runtime.site import TESTED, Gate, Site, lives, shell, task, tree
from tests.waiting import until

GRACE = 1.0  # seconds, of these workspaces

DAEMON = """\
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open(sys.argv[1] + ".tmp", "w").write(str(os.getpid()))
os.rename(sys.argv[1] + ".tmp", sys.argv[1])
while True: time.sleep(60)
"""


def test_a_running_instance(site: Site, gate: Gate) -> None:
    nodes = {"a": shell(gate.script()), "b": shell("true", after=["a"]), "c": shell("true", after=["b"])}
    instance = site.begin(task(nodes))
    pid = gate.until_up()

    answer = site.engine.cancel(instance, actor="me")

    seen = site.see(instance)
    certain = {"verified": True, "reason": None, "reason_facts": None, "pids": []}
    assert answer == {"instance": instance, "node": None, "cancelled": True, **certain}
    assert (seen.status, seen.row.error_code) == ("cancelled", CANCELLED.number)
    assert seen.states == {"a": "cancelled", "b": "skipped", "c": "skipped"}
    assert "me" in str(seen["a"].error_message)
    assert not lives(pid)
    assert (seen.folder / "currJobs").read_text() == ""
    seen.assert_replays()


def test_a_job_that_double_forks_and_ignores_term_is_gone(site: Site, tmp_path: Path) -> None:
    # given a job whose daemon has a session of its own, another parent, and no ear for TERM
    program, place = tmp_path / "daemon.py", tmp_path / "pid"
    program.write_text(DAEMON)
    instance = site.begin(
        task({"a": shell(f"trap '' TERM; python3 {program} {place}; sleep 60 & wait; sleep 60")})
    )
    pid = int(until(lambda: place.exists() and place.read_text()))

    site.engine.cancel(instance)

    assert not lives(pid)
    assert site.see(instance).status == "cancelled"


def test_one_node_leaves_the_others(site: Site, gate: Gate) -> None:
    nodes = {
        "a": shell(gate.script("a")),
        "b": shell(gate.script("b")),
        "after_a": shell("true", after=["a"]),
    }
    instance = site.begin(task(nodes))
    first, second = gate.until_up("a"), gate.until_up("b")

    site.engine.cancel(instance, "a")

    assert site.state(instance, "a") == "cancelled"
    assert not lives(first)
    assert lives(second)
    gate.open("b")
    seen = site.end(instance)
    assert seen.states == {"a": "cancelled", "b": "succeeded", "after_a": "skipped"}
    assert seen.status == "failed"


def test_every_member_of_a_batch(site: Site, gate: Gate) -> None:
    script = (
        f'echo $$ > "{gate.folder}/pid.${{i}}"; while {TESTED} && [ -d "{gate.folder}" ]; do sleep 0.05; done'
    )
    instance = site.begin(task({"b": shell(script, params=[{"i": "1"}, {"i": "2"}])}))
    files = [gate.folder / "pid.1", gate.folder / "pid.2"]
    pids = [int(until(lambda file=file: file.exists() and file.read_text())) for file in files]

    site.engine.cancel(instance, "b")

    assert [str(each.status) for each in site.end(instance).all("b")] == ["cancelled", "cancelled"]
    assert not any(map(lives, pids))


def test_while_it_waits_for_a_place(make_site: Any, gate: Gate) -> None:
    narrow = make_site(places=1)
    first = narrow.begin(task({"a": shell(gate.script())}))
    gate.until_up()
    second = narrow.begin(task({"b": shell("true")}))
    narrow.until_state(second, "b", "queued")

    narrow.engine.cancel(second)

    assert narrow.see(second)["b"].status == "cancelled"
    assert narrow.see(second)["b"].directory is None
    gate.open()
    assert narrow.end(first).status == "succeeded"


@pytest.mark.parametrize(
    ("node", "state"),
    [
        ({"type": "wait", "for": "1h"}, "waiting"),
        (shell("exit 3", retry={"times": 1, "interval": "1h"}), "retrying"),
        (shell("true", mode="async", check={"every": "1h", "success": "1 > 2"}), "checking"),
    ],
    ids=["waiting", "retrying", "checking"],
)
def test_wherever_it_is(site: Site, node: dict[str, Any], state: str) -> None:
    instance = site.begin(task({"a": node, "b": shell("true", after=["a"])}))
    site.until_state(instance, "a", state)

    site.engine.cancel(instance)

    assert site.see(instance).states == {"a": "cancelled", "b": "skipped"}


def test_an_asynchronous_job_with_all_it_started(site: Site, gate: Gate) -> None:
    check = {"every": "20ms", "times": 10000, "success": "1 > 2"}
    instance = site.begin(task({"a": shell(gate.script(), mode="async", check=check)}))
    site.until_state(instance, "a", "checking")
    pid = gate.until_up()

    site.engine.cancel(instance)

    assert not lives(pid)
    assert site.see(instance)["a"].status == "cancelled"


def test_an_asynchronous_job_whose_check_never_holds_does_not_go_on(site: Site, gate: Gate) -> None:
    check = {"every": "300ms", "times": 2, "success": "1 > 2"}
    instance = site.begin(task({"a": shell(gate.script(), mode="async", check=check)}))
    pid = gate.until_up()

    assert site.end(instance).status == "failed"
    assert not lives(pid)


def test_a_group_ends_with_its_member(site: Site, gate: Gate) -> None:
    instance = site.begin(task({"g": {"type": "group", "jobs": [shell(gate.script()), shell("true")]}}))
    pid = gate.until_up()

    site.engine.cancel(instance)

    assert site.see(instance).states == {"g": "cancelled", "g.0": "cancelled"}
    assert not lives(pid)


def test_the_processes_of_a_sub_task_too(site: Site, gate: Gate) -> None:
    inner = {"nodes": {"i": shell(gate.script())}}
    outer = {"nodes": {"o": {"type": "task", "task": "inner"}}}
    instance = site.begin(tree({"tasks": {"inner": inner, "outer": outer}}), "outer")
    pid = gate.until_up()

    site.engine.cancel(instance)

    child = site.see(site.see(instance).job("o")["RESULT"]["instance"])
    assert not lives(pid)
    assert (child.status, child["i"].status) == ("cancelled", "cancelled")
    assert site.see(instance).status == "cancelled"


def test_a_sub_task_that_waits_to_be_tried_again(site: Site) -> None:
    inner = {"nodes": {"i": shell("exit 3")}, "retry": {"times": 1, "interval": "1h"}}
    outer = {"nodes": {"o": {"type": "task", "task": "inner"}}}
    instance = site.begin(tree({"tasks": {"inner": inner, "outer": outer}}), "outer")
    child = int(
        until(lambda: site.see(instance).context["JOB"].get("o", {}).get("RESULT", {}).get("instance"))
    )
    until(lambda: site.see(child).status == "waiting")

    site.engine.cancel(instance)

    assert (site.see(instance).status, site.see(child).status) == ("cancelled", "cancelled")


def test_an_instance_that_waits_to_be_tried_again(site: Site) -> None:
    instance = site.begin(task({"a": shell("exit 3")}, retry={"times": 1, "interval": "1h"}))
    until(lambda: site.see(instance).status == "waiting")

    site.engine.cancel(instance)

    assert site.see(instance).status == "cancelled"
    until(site.engine.idle)


class _Never(socketserver.BaseRequestHandler):
    """Takes a connection and says nothing until the other side leaves."""

    def handle(self) -> None:
        self.server.connected.set()  # type: ignore[attr-defined]
        while self.request.recv(4096):
            pass
        self.server.left.set()  # type: ignore[attr-defined]


@pytest.fixture
def silent() -> Iterator[Any]:
    """A web server that never answers."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Never) as server:
        server.daemon_threads = True
        server.connected, server.left = threading.Event(), threading.Event()  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_an_http_call_stops(site: Site, silent: Any) -> None:
    url = f"http://127.0.0.1:{silent.server_address[1]}/"
    instance = site.begin(task({"a": {"type": "http", "url": url}}))
    assert silent.connected.wait(30)

    site.engine.cancel(instance)

    assert silent.left.wait(30)
    assert site.see(instance)["a"].status == "cancelled"


def test_a_call_that_takes_too_long_stops(site: Site, silent: Any) -> None:
    url = f"http://127.0.0.1:{silent.server_address[1]}/"
    seen = site.run(task({"a": {"type": "http", "url": url, "timeout": "300ms"}}))

    assert seen["a"].status == "timed_out"


def test_the_limit_of_a_call_lies_after_the_timeout_of_its_job(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float] = []

    def exchange(*_: Any, seconds: float, **__: Any) -> HttpAnswer:
        limits.append(seconds)
        return HttpAnswer(200, {}, b"{}", 0.0)

    monkeypatch.setattr("resources.clients.http.exchange", exchange)
    site.run(task({"a": {"type": "http", "url": "http://127.0.0.1:1/", "timeout": "20s"}}))

    assert limits[0] >= 20 + 10


def test_a_statement_stops(site: Site, tmp_path: Path) -> None:
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
    resources = {"db": {"type": "database", "uri": f"sqlite:///{tmp_path}/d.db"}}
    nodes = {"a": {"type": "sql_query", "resource": "db", "statement": endless}}
    instance = site.begin(tree({"resources": resources, "tasks": {"t": {"nodes": nodes}}}))
    site.until_state(instance, "a", "running")

    site.engine.cancel(instance)

    assert site.see(instance)["a"].status == "cancelled"


def test_what_does_not_run_cannot_be_cancelled(site: Site) -> None:
    ended = site.run(task({"a": shell("true")})).id
    with pytest.raises(Refused) as caught:
        site.engine.cancel(ended)
    assert caught.value.entry is NOT_RUNNING
    with pytest.raises(Invalid) as unknown:
        site.engine.cancel(4711)
    assert unknown.value.entry is NO_SUCH_INSTANCE


def test_a_node_that_is_not_there_or_does_not_run(site: Site, gate: Gate) -> None:
    instance = site.begin(task({"a": shell(gate.script()), "b": shell("true", after=["a"])}))
    gate.until_up()
    with pytest.raises(Invalid) as unknown:
        site.engine.cancel(instance, "x")
    with pytest.raises(Refused) as idle:
        site.engine.cancel(instance, "b")
    gate.open()

    assert unknown.value.entry is NO_SUCH_NODE
    assert idle.value.entry is NOT_RUNNING
    assert site.end(instance).status == "succeeded"


def test_at_the_very_beginning(site: Site) -> None:
    for _ in range(effort(8, all=30)):
        instance = site.begin(task({"a": shell("sleep 30"), "n": shell("sleep 30", mode="async")}))
        site.engine.cancel(instance)
        assert site.see(instance).status == "cancelled"
        site.see(instance).assert_replays()


def test_what_could_not_be_verified_is_still_said_after_the_loss_of_the_database(site: Site) -> None:
    # given a job that has killed its supervisor, and was stopped
    instance = site.begin(
        task({"a": shell("kill -9 $(cut -d' ' -f4 /proc/$$/stat); sleep 60 & echo up; wait")})
    )
    until(lambda: "up" in site.see(instance)["a"].log)
    answer = site.engine.cancel(instance)
    marked = site.see(instance)["a"].handling
    assert not answer["verified"]

    # when the database is rebuilt from the files
    database = f"sqlite:///{site.root / 'skerry.db'}"
    site.close()
    rebuild_database(database, site.engine.workspace.instances, clock=SystemClock())

    # then it has the mark, with its reason
    with closing(open_store(database, clock=SystemClock())) as rebuilt:
        [job] = rebuilt.jobs(instance)
    assert job.handling == {"unverified": answer["reason"]} == marked
