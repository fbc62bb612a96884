"""load, dump, tasks, jobs, resources, online, offline, delete."""

from pathlib import Path

import pytest

from engine.model.codes.commands import FILE_UNREADABLE
from tests.api.fake_service import FakeService
from tests.cli.conftest import Skerry


def test_load_sends_the_files_as_they_are(skerry: Skerry, service: FakeService, tmp_path: Path) -> None:
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_bytes(b"skerry: 1\r\n# \xff")
    second.write_text("skerry: 1")

    answer = skerry("load", str(first), str(second), str(first))

    assert answer.status == 0
    assert answer.out == "task nightly: revision 2\n"
    (_, sources) = service.asked[0]
    assert [source["name"] for source in sources] == [str(first), str(second)]
    assert sources[0]["text"].encode("utf-8", "surrogateescape") == b"skerry: 1\r\n# \xff"


def test_load_of_a_missing_file_is_wrong_use(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("load", "/no/such.yaml", "--json")

    assert answer.status == 2
    assert answer.document["error"]["code"] == FILE_UNREADABLE.number
    assert answer.document["error"]["where"] == "/no/such.yaml"
    assert service.asked == []


def test_dump_writes_yaml(skerry: Skerry, service: FakeService) -> None:
    assert skerry("dump", "a", "b").out == "skerry: 1\n"
    assert skerry("dump", "--json").document == {"text": "skerry: 1\n"}
    assert service.asked == [("dump", ["a", "b"]), ("dump", [])]


@pytest.mark.parametrize("section", ["tasks", "jobs", "resources"])
def test_definitions_are_listed_shown_deleted(skerry: Skerry, service: FakeService, section: str) -> None:
    kind = section[:-1]

    assert "nightly" in skerry(section).out
    assert skerry(section, "list", "--json").document[section][0]["id"] == "nightly"
    assert skerry(section, "show", "nightly", "--json").document["kind"] == kind
    assert skerry(section, "history", "nightly", "--json").document["history"][0]["revision"] == 2
    assert "2026-11-21" in skerry(section, "history", "nightly").out
    assert skerry(section, "delete", "nightly").out == f"{kind} nightly is deleted\n"
    assert ("delete", kind, "nightly") in service.asked


def test_an_earlier_revision_can_be_seen(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("tasks", "show", "nightly", "--revision", "1")

    assert answer.status == 0
    assert "# revision  1" in answer.out
    assert "nightly:" in answer.out


def test_an_unknown_definition_is_wrong_use(skerry: Skerry, service: FakeService) -> None:
    assert skerry("jobs", "show", "nobody").status == 2


@pytest.mark.parametrize(
    ("command", "state"), [("online", "online"), ("offline", "offline"), ("delete", "deleted")]
)
def test_a_task_moves_through_its_life(
    skerry: Skerry, service: FakeService, command: str, state: str
) -> None:
    answer = skerry(command, "nightly", "--json")

    assert answer.document == {"id": "nightly", "state": state}
    assert service.asked == [("state", "nightly", state)]
