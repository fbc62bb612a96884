"""What can be registered of a worker, and what is refused before anything is."""

from __future__ import annotations

import pytest

from engine.model.codes.workers import ADDRESS_INVALID, FENCE_TOO_SHORT, THIS_MACHINE, WORKER_INVALID
from engine.model.errors import Invalid
from engine.model.listed_code import ListedCode
from engine.model.worker import LOCAL_WORKER, Address, Worker
from engine.model.worker_request import WorkerRequest, address, changed, worker_name

BUILD = Worker("build", address=Address("build"), groups=("big",), labels={"os": "linux"}, slots=4)


def test_what_is_not_given_stays() -> None:
    assert changed(BUILD, WorkerRequest()) == BUILD
    assert changed(BUILD, WorkerRequest(slots="auto")).groups == ("big",)


def test_an_empty_list_takes_away_what_there_was() -> None:
    bare = changed(BUILD, WorkerRequest(groups=[""], labels=[""]))
    assert (bare.groups, dict(bare.labels)) == ((), {})


def test_a_way_to_log_in_takes_the_place_of_another() -> None:
    with_key = changed(BUILD, WorkerRequest(key="/k"))
    with_agent = changed(with_key, WorkerRequest(agent=True))
    assert (with_agent.key_file, with_agent.agent) == (None, True)


@pytest.mark.parametrize(
    "text",
    [
        "build",
        "ann@build",
        "build:2222",
        "ann@[fe80::1]:22",
        "10.0.0.5",
        "ann@corp.example@build",
        "corp\\ann@b:2",
    ],
)
def test_an_address_reads_as_it_was_written(text: str) -> None:
    assert str(address(text)) == text.replace(":22", "", 1) if text.endswith(":22") else text


@pytest.mark.parametrize(
    "text",
    ["", "@", "a b", "ann@", "h:0", "h:65536", "h:x", "-oProxyCommand=x", "a@b@", "@b@c", "a@@c", "h/x"],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as refused:
        address(text)
    assert refused.value.entry == ADDRESS_INVALID


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (WorkerRequest(fence="9s"), FENCE_TOO_SHORT),
        (WorkerRequest(fence="soon"), WORKER_INVALID),
        (WorkerRequest(slots="0"), WORKER_INVALID),
        (WorkerRequest(slots="many"), WORKER_INVALID),
        (WorkerRequest(groups=["a b"]), WORKER_INVALID),
        (WorkerRequest(labels=["os"]), WORKER_INVALID),
        (WorkerRequest(labels=["o s=x"]), WORKER_INVALID),
        (WorkerRequest(key="/k", agent=True), WORKER_INVALID),
        (WorkerRequest(jumps=["x y"]), ADDRESS_INVALID),
    ],
)
def test_what_cannot_be_has_a_code(request_: WorkerRequest, code: ListedCode) -> None:
    with pytest.raises(Invalid) as refused:
        changed(BUILD, request_)
    assert refused.value.entry == code


@pytest.mark.parametrize("name", ["", "1", "a b", "../x", "-x", "x" * 65, "\u4e3b\u673a"])
def test_a_name_that_is_no_id_is_refused(name: str) -> None:
    with pytest.raises(Invalid):
        worker_name(name)


def test_this_machine_has_no_address() -> None:
    with pytest.raises(Invalid) as refused:
        changed(LOCAL_WORKER, WorkerRequest(ssh="build"))
    assert refused.value.entry == THIS_MACHINE
    assert changed(LOCAL_WORKER, WorkerRequest(groups=["here"])).groups == ("here",)


def test_what_the_store_keeps_is_the_worker_again() -> None:
    whole = Worker(
        "build", address=Address("h", "u", 23), jumps=(Address("j"),), key_file="/k", fence=60.0,
        handlers=("a",), labels={"k": "v"}, secrets="allow",
    )  # fmt: skip
    tree = {**whole.to_json(), "of a newer version": 1}
    assert Worker.from_json("build", "ssh", tree) == whole
