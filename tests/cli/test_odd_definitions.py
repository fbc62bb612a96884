"""Definitions that are nearly right: what check says of them, in the words of their author."""

from pathlib import Path

import pytest

from tests.cli.conftest import Answer, Skerry

VALUE = """\
skerry: 1
tasks:
  t:
    params: {{n: 3}}
    nodes:
      c: {{type: condition, value: "{{$.TASK.PARAMS['n']}} {rest}", branches: {{"true": [a], default: [b]}}}}
      a: {{type: shell, process: "true"}}
      b: {{type: shell, process: "true"}}
"""


def checked(skerry: Skerry, folder: Path, text: str) -> Answer:
    (folder / "odd.yaml").write_text(text)
    return skerry("check", str(folder / "odd.yaml"), "--json")


def found(answer: Answer) -> dict[str, str]:
    return {each["message"]: each["severity"] for each in answer.document["findings"]}


def of_node(keys: str) -> str:
    return (
        f"skerry: 1\ntasks:\n  t:\n    nodes:\n      b: {{type: shell, process: 'true'}}\n      a: {keys}\n"
    )


@pytest.mark.parametrize(
    "rest",
    ["= 3", "=== 3", "&& true", "== three", "|| 1 == 2", "<> 3", "=> 3", "== 'a", "== (3", "and three"],
)
def test_a_value_that_is_nearly_a_condition_is_a_warning(skerry: Skerry, tmp_path: Path, rest: str) -> None:
    answer = checked(skerry, tmp_path, VALUE.format(rest=rest))

    assert answer.status == 0
    [(message, severity)] = found(answer).items()
    assert severity == "warning"
    assert "this is a text, not a condition" in message


@pytest.mark.parametrize("rest", ["== 3", "of many", "-x", "{$.TASK.PARAMS['n']}", "'a = b'"])
def test_conditions_and_plain_texts_are_neither(skerry: Skerry, tmp_path: Path, rest: str) -> None:
    assert found(checked(skerry, tmp_path, VALUE.format(rest=rest))) == {}


@pytest.mark.parametrize("key", ["when", "success"])
def test_what_must_be_a_condition_is_an_error(skerry: Skerry, tmp_path: Path, key: str) -> None:
    answer = checked(skerry, tmp_path, of_node(f"{{type: shell, process: 'true', {key}: \"1 == three\"}}"))

    assert answer.status == 2


def test_running_a_file_shows_its_warnings(skerry: Skerry, tmp_path: Path) -> None:
    (tmp_path / "odd.yaml").write_text(VALUE.format(rest="= 3"))

    for command in ("load", "run"):
        answer = skerry(command, str(tmp_path / "odd.yaml"))

        assert answer.status == 0
        assert "warning -10200031000" in answer.err


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ("{type: shell, process: 'true', depends: [b]}", "did you mean `after`?"),
        ("{type: shell, process: 'true', needs: [b]}", "did you mean `after`?"),
        ("{type: shell, command: 'true'}", "did you mean `process`?"),
        ("{type: shell, script: 'true'}", "did you mean `process`?"),
        ("{type: shell, run: 'true'}", "did you mean `process`?"),
        ("{type: command, command: ls}", "did you mean `argv`?"),
        ("{type: bash, process: 'true'}", "did you mean `shell`?"),
        ("{type: xyzzy}", "known here: approve, archive, command,"),
    ],
)
def test_the_word_that_was_meant_is_named(skerry: Skerry, tmp_path: Path, keys: str, says: str) -> None:
    answer = checked(skerry, tmp_path, of_node(keys))

    assert answer.status == 2
    assert any(says in message for message in found(answer))


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ("{type: shell, process: echo ${x}}", "a text with { in it, inside {…}, belongs in quotes"),
        (
            "{type: shell, process: if [ -f x ]; then y; fi}",
            "a text with [ in it, inside {…}, belongs in quotes",
        ),
        ("{type: shell", "the { of line 6 is never closed with }"),
        ("@x", "a text cannot begin with @; put the text in quotes"),
        ("b: c", "a second `:` here"),
    ],
)
def test_yaml_mistakes_are_reported_without_the_words_of_its_parser(
    skerry: Skerry, tmp_path: Path, keys: str, says: str
) -> None:
    answer = checked(skerry, tmp_path, of_node(keys))

    assert answer.status == 2
    [message] = found(answer)
    assert says in message
    assert not any(jargon in message for jargon in ("parsing", "scanning", "token", "flow", "scalar"))


def test_a_name_without_quotes_is_found_and_what_it_means_checked(skerry: Skerry, tmp_path: Path) -> None:
    node = "{type: shell, after: [b], process: 'true', params: {x: '$.JOB[%s].STATUS'}}"

    right, wrong = (checked(skerry, tmp_path, of_node(node % id)) for id in ("b", "zz"))

    assert found(right) == {"$.JOB[b].STATUS: a name belongs in quotes: ['b']": "warning"}
    assert wrong.status == 2


def test_a_task_without_nodes_is_found(skerry: Skerry, tmp_path: Path) -> None:
    answer = checked(skerry, tmp_path, "skerry: 1\ntasks: {t: {}}\n")

    assert found(answer) == {"task 't' has no nodes: a run of it does nothing": "warning"}


def test_tasks_that_wait_for_each_other_are_found_beside_other_mistakes(
    skerry: Skerry, tmp_path: Path
) -> None:
    daily = "schedule: {level: day, every: 1}"
    answer = checked(
        skerry,
        tmp_path,
        f"""\
skerry: 1
tasks:
  a: {{nodes: {{x: {{type: shel, process: 'true'}}}}, {daily}, depends_on: [{{task: b}}]}}
  b: {{nodes: {{x: {{type: shell, process: 'true'}}}}, {daily}, depends_on: [{{task: a}}]}}
  c: {{nodes: {{x: {{type: shell, process: 'true'}}}}, {daily}, depends_on: [{{self: true}}]}}
""",
    )

    assert answer.status == 2
    assert "tasks wait for each other: a -> b -> a" in found(answer)
    assert any("there is no job type `shel`" in message for message in found(answer))
    assert not any("'c'" in message or "c ->" in message for message in found(answer))


@pytest.mark.parametrize(("deep", "status"), [(32, 0), (33, 2)])
def test_sub_tasks_are_nested_at_most_32_deep(skerry: Skerry, tmp_path: Path, deep: int, status: int) -> None:
    outer = [f"  t{n}: {{nodes: {{x: {{type: task, task: t{n + 1}}}}}}}\n" for n in range(deep)]
    inner = f"  t{deep}: {{nodes: {{x: {{type: shell, process: 'true'}}}}}}\n"

    answer = checked(skerry, tmp_path, "skerry: 1\ntasks:\n" + "".join(outer) + inner)

    assert answer.status == status
    assert [each["code"] for each in answer.document["findings"]] == [-10300052000] * (status == 2)
