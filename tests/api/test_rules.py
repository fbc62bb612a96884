"""Small rules: life-cycle moves, values as typed, errors as JSON, the catalogue."""

import json
from typing import Any, cast

import pytest

from engine.api.faults import error_document, error_of
from engine.api.read_only import ReadOnlyService
from engine.definitions.online_tasks import changed_keys
from engine.model.catalogue import Catalogue, engine_codes, entry_number, unlisted
from engine.model.codes.commands import ENGINE_NEEDED, NO_ANSWER
from engine.model.errors import Invalid, Refused, SkerryError
from engine.model.plain_words import unforeseen
from engine.runtime.interventions.typed_values import value_like


@pytest.mark.parametrize("key", ["schedule", "depends_on"])
def test_schedule_and_dependencies_are_what_an_online_task_keeps(key: str) -> None:
    old, new = {"nodes": {}, key: 1}, {"nodes": {"x": {}}, key: 2}

    assert changed_keys(old, {**old, "nodes": {"x": {}}}) == ()
    assert changed_keys(old, new) == (key,)
    assert changed_keys({"nodes": {}}, {"nodes": {}, "depends_on": []}) == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"cron": "0 0 8 * * ?"}, {"level": "crontab", "cron": "0 0 8 * * ?", "overlap": "skip"}),
        ({"interval": "90s"}, {"level": "interval", "interval": 90}),
        ({"level": "day", "every": 1}, {"level": "day", "every": 1, "dst": {"gap": "shift"}}),
        ({"level": "day", "every": 1}, {"level": "day", "every": 1, "at": "00:00", "max": 100}),
        ({"level": "day", "every": 1, "at": "09:30"}, {"level": "day", "every": 1, "at": "09:30:00"}),
        ({"level": "custom_week", "days": ["fri", "mon"]}, {"level": "custom_week", "days": ["mon", "fri"]}),
        ({"cron": "0 0 8 ? * MON"}, {"cron": "0  0 8 ? * mon"}),
        ({"once": "2026-11-21T08:00:00+08:00"}, {"once": "2026-11-21T00:00Z"}),
        ({"interval": 90, "start": "2026-11-21"}, {"interval": 90, "start": "2026-11-21T00:00:00"}),
    ],
)
def test_a_schedule_that_says_the_same_in_other_words_is_the_same(old: object, new: object) -> None:
    assert changed_keys({"schedule": old}, {"schedule": new}) == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"level": "day", "every": 1, "at": "09:30"}, {"level": "day", "every": 1, "at": "09:30:01"}),
        (
            {"level": "day", "every": 1, "end": "2026-11-21"},
            {"level": "day", "every": 1, "end": "2026-11-21T00:00"},
        ),
        ({"cron": "0 0 8 ? * 1"}, {"cron": "0 0 8 ? * 2"}),
        ({"once": "2026-11-21T08:00"}, {"once": "2026-11-21T08:00Z"}),
        ({"level": "custom_week", "days": ["mon"]}, {"level": "custom_week", "days": ["mon", "fri"]}),
        ({"level": "day", "every": 1, "at": "25:99"}, {"level": "day", "every": 1, "at": "25:98"}),
    ],
)
def test_a_schedule_that_says_something_else_is_another(old: object, new: object) -> None:
    assert changed_keys({"schedule": old}, {"schedule": new}) == ("schedule",)


def test_dependencies_in_another_order_are_the_same() -> None:
    old = {"schedule": {"interval": 90}, "depends_on": [{"task": "a"}, {"task": "b", "timeout": "60s"}]}
    new = {**old, "depends_on": [{"task": "b", "timeout": "1m"}, {"task": "a", "window": "latest"}]}

    assert changed_keys(old, new) == ()
    assert changed_keys(old, {**old, "depends_on": old["depends_on"][:1]}) == ("depends_on",)


@pytest.mark.parametrize(
    ("old", "text", "value"),
    [
        (10, "-5", -5),
        (True, "false", False),
        ([1], '["a"]', ["a"]),
        ({"a": 1}, '{"b":2}', {"b": 2}),
        ("x", "5", "5"),
        ("x", "$.TASK.ID", "$.TASK.ID"),
        (None, "5", "5"),
    ],
)
def test_a_typed_value_is_of_the_kind_that_it_replaces(old: Any, text: str, value: Any) -> None:
    assert value_like({"JOB": {"x": old}}, "$.JOB['x']", text) == value


def test_a_value_where_none_was_is_text() -> None:
    assert value_like({"JOB": {"a": [1]}}, "$.JOB['a'][7]", "5") == "5"
    assert value_like({"JOB": 1}, "$.JOB['a'].RESULT['c']", "5") == "5"


@pytest.mark.parametrize(("path", "text"), [("$.JOB['a']", "many"), ("JOB a", "1"), ("$.JOB['", "1")])
def test_an_odd_value_or_path_is_wrong_use(path: str, text: str) -> None:
    with pytest.raises(Invalid) as caught:
        value_like({"JOB": {"a": 1}}, path, text)

    assert caught.value.where == path


@pytest.mark.parametrize("kind", [SkerryError, Refused, Invalid])
def test_errors_survive_json(kind: type[SkerryError]) -> None:
    error = kind(NO_ANSWER, "why", where="here", extra=137, details={"pids": [1]})

    again = error_of(json.loads(json.dumps(error_document(error))))

    assert type(again) is kind
    assert (again.code, again.message, again.where, again.details) == (
        error.code, error.message, error.where, error.details,
    )  # fmt: skip
    assert again.entry is NO_ANSWER


def test_codes_that_only_the_other_side_knows_survive() -> None:
    entry = unlisted(-1_99_00_001_000, "new", retryable=False)

    again = error_of(error_document(SkerryError(entry, "odd", extra=3)))

    assert again.code == -1_99_00_001_003
    assert again.entry.retryable is False


def test_the_unforeseen_says_where_it_was() -> None:
    try:
        dict[str, int]()["x"]
    except KeyError as problem:
        error = unforeseen(problem)

    assert error.message == f"a mistake of the program, at {error.where}"
    assert error.details == {"exception": "KeyError: 'x'"}
    assert error.where is not None
    assert error.where.startswith("test_rules.py:")
    assert unforeseen(ValueError()).where is None


def test_the_catalogue_finds_codes_with_their_extra_part() -> None:
    catalogue = Catalogue(engine_codes())

    assert catalogue.find(NO_ANSWER.with_extra(9)) is NO_ANSWER
    assert catalogue.find(-1_98_00_000_000) is None
    assert entry_number(-1_10_00_001_137) == -1_10_00_001_000
    assert NO_ANSWER in catalogue.below(-1_90_00_000_000)
    assert ENGINE_NEEDED in list(catalogue)


def test_no_number_is_used_twice() -> None:
    numbers = [each.number for each in engine_codes()]

    assert len(set(engine_codes())) == len(set(numbers))


@pytest.mark.parametrize(
    ("method", "args"),
    [
        ("load", [[]]),
        ("delete", ["task", "x"]),
        ("set_state", ["x", "online"]),
        ("run", [None]),
        ("set_value", [1, "$.X", "v", "why"]),
        ("cancel", [1]),
        ("check_resource", ["x", {}]),
    ],
)
def test_without_an_engine_nothing_changes(method: str, args: list[Any]) -> None:
    service: Any = ReadOnlyService(cast(Any, None), cast(Any, None))

    with pytest.raises(Refused) as refused:
        getattr(service, method)(*args)

    assert refused.value.entry is ENGINE_NEEDED
    assert list(service.events()) == []
    service.events().close()
