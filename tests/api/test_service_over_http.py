"""The same service through the socket: client, server and listener together."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.api import sockets
from engine.api.client import Client
from engine.api.documents import InstanceQuery, RunRequest
from engine.api.listener import Listener
from engine.api.service import Service
from engine.model.codes.commands import NO_ANSWER, NO_SUCH_DEFINITION, WRONG_USE
from engine.model.codes.runtime import INTERNAL, NOT_RUNNING
from engine.model.errors import Invalid, Refused, SkerryError
from tests.api.fake_service import FakeService, instance
from tests.api.test_strangers import Stranger


@pytest.fixture
def service() -> FakeService:
    return FakeService()


@pytest.fixture
def path(service: FakeService, tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / ("long" * 40) / "engine.sock"
    with Listener(service, path):
        yield path


@pytest.fixture
def client(path: Path) -> Client:
    return Client(path)


def test_client_and_fake_are_services(client: Client, service: FakeService) -> None:
    assert isinstance(client, Service)
    assert isinstance(service, Service)


def test_it_tells_who_answers(client: Client) -> None:
    assert client.about()["version"] == "test"
    assert client.alive()


@pytest.mark.parametrize("name", ["", "../../x", "a/b", "/"])
def test_a_name_that_no_path_can_hold_is_one_that_is_not_there(client: Client, name: str) -> None:
    for ask in (
        lambda: client.set_state(name, "online"),
        lambda: client.definition("task", name),
        lambda: client.delete("job", name),
        lambda: client.check_resource(name),
    ):
        with pytest.raises(Invalid) as error:
            ask()
        assert error.value.entry is NO_SUCH_DEFINITION
        assert repr(name) in error.value.message


def test_a_run_arrives_with_its_values_unchanged(client: Client, service: FakeService) -> None:
    hostile = {"a": "'; drop table\r\n\x00$(id)", "b": [1, 2.5, None, {"c": "é\ud800"}], "d": "x" * 200_000}

    number = client.run(
        RunRequest("nightly", [{"name": "n.yaml", "text": "skerry: 1"}], hostile, {"p": "-1"})
    )

    (_, request) = service.asked[0]
    assert number == 1
    assert request == RunRequest("nightly", [{"name": "n.yaml", "text": "skerry: 1"}], hostile, {"p": "-1"})


def test_every_operation_travels(client: Client, service: FakeService, tmp_path: Path) -> None:
    service.found[7] = instance(7)
    service.log(tmp_path / "job.log")
    query = InstanceQuery("t", "failed", "2026-01-01T00:00:00+00:00", None, True, 3)

    assert client.load([{"name": "f", "text": ""}])[0]["revision"] == 2
    assert client.dump(["a", "b c"]) == "skerry: 1\n"
    assert client.definitions("task")[0]["id"] == "nightly"
    assert client.definition("task", "nightly", 1)["revision"] == 1
    assert client.history("job", "nightly")[0]["actor"] == "me"
    assert client.delete("job", "x y?z") == {"kind": "job", "id": "x y?z"}
    assert client.set_state("nightly", "online") == {"id": "nightly", "state": "online"}
    assert client.instances(query) == [service.found[7]]
    assert client.instance(7) == service.found[7]
    assert client.logs(7, "load", 2) == service.files
    assert client.context(7, 12) == {"TASK": {"ID": "nightly"}}
    assert client.set_value(7, "$.TASK", "-5", "why")["new"] == "-5"
    assert client.cancel(7, "load")["node"] == "load"
    assert client.check_resource("ledger", {"dir": "/x"})["ok"] is True
    assert client.stats(job="load") == []
    assert ("dump", ["a", "b c"]) in service.asked
    assert ("instances", query) in service.asked
    assert ("logs", 7, "load", 2) in service.asked
    assert ("stats", None, "load") in service.asked


def test_errors_keep_code_class_and_place(client: Client, service: FakeService) -> None:
    service.answers["cancel"] = "refused"

    with pytest.raises(Invalid) as unknown:
        client.definition("task", "nobody")
    with pytest.raises(Refused) as refused:
        client.cancel(1)

    assert (unknown.value.code, unknown.value.where) == (NO_SUCH_DEFINITION.number, "nobody")
    assert unknown.value.entry is NO_SUCH_DEFINITION
    assert refused.value.code == NOT_RUNNING.number


def test_a_mistake_of_the_program_has_a_code(client: Client) -> None:
    with pytest.raises(SkerryError) as caught:
        client.check_resource("broken", {})

    assert caught.value.code == INTERNAL.number
    assert "ZeroDivisionError" not in caught.value.message
    assert caught.value.details == {"exception": "ZeroDivisionError: a mistake"}


@pytest.mark.parametrize(
    ("method", "target", "body"),
    [
        ("GET", "/v1/nothing", None),
        ("GET", "/v1/instances/x", None),
        ("PUT", "/v1/about", None),
        ("POST", "/v1/instances", b"{not json"),
        ("POST", "/v1/instances", b'{"unknown": 1}'),
    ],
)
def test_wrong_requests_are_errors_with_a_code(
    path: Path, method: str, target: str, body: bytes | None
) -> None:
    status, answer = Stranger(path).ask(method, target, body)

    assert 400 <= status < 500
    assert answer["error"]["code"] == WRONG_USE.number


def test_the_openapi_document_names_every_operation(path: Path) -> None:
    document: dict[str, Any] = Stranger(path).ask("GET", "/v1/openapi.json")[1]

    assert {"/v1/instances", "/v1/events", "/v1/instances/{instance}/cancel"} <= set(document["paths"])
    assert "RunDocument" in document["components"]["schemas"]


def test_events_of_one_instance_arrive_in_order(client: Client, service: FakeService) -> None:
    stream = client.events(2)

    service.published.publish({"kind": "job", "instance": 1, "job_instance": 5, "status": "running"})
    service.published.publish({"kind": "job", "instance": 2, "job_instance": 6, "status": "running"})
    service.published.publish({"kind": "instance", "instance": 2, "status": "succeeded"})

    seen = (event for event in stream if event["kind"] != "tick")
    assert [next(seen)["job_instance"], next(seen)["status"]] == [6, "succeeded"]
    stream.close()


def test_a_quiet_stream_ticks(tmp_path: Path) -> None:
    with Listener(FakeService(quiet=0.01), tmp_path / "s"):
        stream = Client(tmp_path / "s").events()

        ticks = [event for event, _ in zip(stream, range(3), strict=False)]
        stream.close()

    assert ticks == [{"kind": "tick"}] * 3


def test_many_streams_leave_room_for_questions(client: Client) -> None:
    streams = [client.events() for _ in range(60)]

    assert client.about()["version"] == "test"

    for stream in streams:
        stream.close()


def test_a_broken_stream_is_taken_up_again(tmp_path: Path) -> None:
    path = tmp_path / "s"
    listener = Listener(FakeService(), path)
    stream = Client(path).events()
    listener.close()
    service = FakeService()

    with Listener(service, path):
        event = next(event for event in stream if event["kind"] != "tick")
        stream.close()

    assert event == {"kind": "resync"}


def test_an_engine_that_is_gone_ends_the_stream(tmp_path: Path) -> None:
    listener = Listener(FakeService(), tmp_path / "s")
    stream = Client(tmp_path / "s").events()
    stream._pause = lambda seconds: None
    listener.close()

    with pytest.raises(SkerryError) as caught:
        for _ in stream:
            pass

    assert caught.value.code == NO_ANSWER.number


def test_closing_a_stream_wakes_its_reader(client: Client) -> None:
    stream = client.events()
    reader = threading.Thread(target=lambda: list(stream))
    reader.start()

    stream.close()
    reader.join(10)

    assert not reader.is_alive()


def test_nobody_there_has_a_code(tmp_path: Path) -> None:
    client = Client(tmp_path / "none")

    with pytest.raises(SkerryError) as caught:
        client.about()
    with pytest.raises(SkerryError):
        client.events()

    assert caught.value.code == NO_ANSWER.number
    assert not client.alive()


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"a":1}',
        b"ready\r\n\r\n",
    ],
    ids=["nothing", "half a head", "half a body", "no HTTP"],
)
def test_an_answer_that_breaks_off_or_is_none_has_a_code(tmp_path: Path, answer: bytes) -> None:
    path = tmp_path / "engine.sock"

    def engine() -> None:
        with bound.accept()[0] as connection:
            connection.recv(1 << 16)
            connection.sendall(answer)

    with sockets.listen(path) as bound:
        serving = threading.Thread(target=engine)
        serving.start()
        with pytest.raises(SkerryError) as caught:
            Client(path).about()
        serving.join()

    assert caught.value.code == NO_ANSWER.number
    assert caught.value.details["unheard"]


def test_asking_an_engine_loads_neither_tls_nor_mail() -> None:
    script = "import sys, engine.api.client; print([n for n in ('ssl', 'email', 'http') if n in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert loaded.stdout.strip() == "[]"


def test_closing_before_anybody_came_loads_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s"

    Listener(FakeService(), path).close()

    assert not path.exists()


def test_closing_while_the_framework_loads_is_clean(tmp_path: Path) -> None:
    path = tmp_path / "s"
    listener = Listener(FakeService(), path)
    caller = sockets.connect(path)

    listener.close()
    caller.close()

    assert not path.exists()
