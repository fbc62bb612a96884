"""The table of operations: what follows from an entry, in process, without an engine and over HTTP."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from engine.api.documents import Rerun, RunRequest
from engine.api.engine_operations import EngineOperations
from engine.api.operation import Effect, Operation
from engine.api.read_only import ReadOnlyService
from engine.api.server import Streams, create_app
from engine.api.service import OPERATIONS, Service
from engine.model.codes.commands import ENGINE_NEEDED
from engine.model.errors import Refused
from tests.api.fake_service import FakeService

BY_NAME = {each.name: each for each in OPERATIONS}
GIVEN: dict[str, Any] = {
    "name": "build", "wanted": "paused",
    "instance": 7, "id": "x", "kind": "task", "task": "t", "tasks": ["t"], "state": "online", "path": "$.X", "text": "1", "reason": "why",
    "node": "n", "choice": "c", "job": "j", "job_instance": 8, "priority": 1, "minutes": 2.0, "size": None, "paused": True, "held": True, "enabled": True,
    "sources": [], "package": {}, "passphrase": "p", "rule": {}, "resource": {}, "request": RunRequest("t"), "reruns": [], "rerun": Rerun(7, "all"),
}  # fmt: skip


def implemented(operation: Operation, by: type[Service]) -> bool:
    return getattr(by, operation.name) is not getattr(Service, operation.name)


def given(operation: Operation) -> dict[str, Any]:
    return {name: GIVEN[name] for name in operation.parameters if name in GIVEN}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_an_engine_carries_out_every_operation(operation: Operation) -> None:
    assert implemented(operation, EngineOperations)


@pytest.mark.parametrize("operation", [each for each in OPERATIONS if each.needs], ids=lambda each: each.name)
def test_what_needs_an_engine_is_refused_without_one(operation: Operation) -> None:
    service = ReadOnlyService(cast(Any, None), cast(Any, None))

    with pytest.raises(Refused, match=r"no engine runs, so nothing can [^{}]+$") as refused:
        getattr(service, operation.name)(**given(operation))

    assert refused.value.entry is ENGINE_NEEDED


@pytest.mark.parametrize(
    "operation", [each for each in OPERATIONS if not each.needs], ids=lambda each: each.name
)
def test_everything_else_is_read_from_the_store(operation: Operation) -> None:
    assert implemented(operation, ReadOnlyService)
    assert operation.effect is not Effect.CHANGES


def test_a_request_is_remembered_without_values_that_may_be_secret() -> None:
    def remembered(name: str, *arguments: Any) -> str:
        operation = BY_NAME[name]
        return json.dumps(operation.fingerprint(operation.arguments(arguments, {})))

    run = remembered("run", RunRequest("t", params={"password": "hush"}, texts={"pin": "hush"}))
    rerun = remembered("rerun", (Rerun(7, "all", edits=(("$.TASK.PARAMS['pin']", "hush"),)),))
    change = remembered("set_value", 7, "$.TASK.PARAMS['pin']", "hush", "why")

    assert "hush" not in run + rerun + change
    assert "password" in run
    assert all("pin" in each for each in (run, rerun, change))


def test_a_request_is_the_same_however_its_defaults_are_given() -> None:
    cancel = BY_NAME["cancel"]

    assert cancel.arguments((7,), {}) == cancel.arguments((), {"instance": 7, "node": None})


def test_the_openapi_document_says_what_each_operation_does() -> None:
    document = create_app(FakeService(), Streams()).openapi()

    for operation in OPERATIONS:
        described = document["paths"][operation.path][operation.method.lower()]
        assert described["x-effect"] == operation.effect
        assert described["description"]


def test_the_openapi_document_is_the_same_each_time_it_is_asked_for() -> None:
    app = create_app(FakeService(), Streams())
    first = json.dumps(app.openapi())

    assert json.dumps(app.openapi()) == first
