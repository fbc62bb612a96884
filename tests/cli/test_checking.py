"""check: every finding with its place."""

from pathlib import Path

import pytest

from tests.cli.conftest import Skerry

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))
WRONG = """\
skerry: 1
tasks:
  t:
    nodes:
      a: {type: shell, process: "true", afer: [b]}
      b: {job: nobody}
"""


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_the_examples_are_valid(skerry: Skerry, file: Path) -> None:
    answer = skerry("check", str(file))

    assert (answer.status, answer.out, answer.err) == (0, "", "")


def test_every_finding_has_its_place(skerry: Skerry, tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(WRONG)

    plain, answer = skerry("check", str(file)), skerry("check", str(file), "--json")

    assert (plain.status, answer.status) == (2, 2)
    findings = answer.document["findings"]
    assert answer.document.keys() == {"findings"}
    assert all(each.keys() == {"file", "line", "column", "severity", "code", "message"} for each in findings)
    assert {each["line"] for each in findings if each["severity"] == "error"} == {5, 6}
    assert plain.out.splitlines() == [
        f"{file}:{f['line']}:{f['column']}: {f['severity']} {f['code']}: {f['message']}" for f in findings
    ]


def test_a_file_that_cannot_be_read_is_a_finding(skerry: Skerry, tmp_path: Path) -> None:
    answer = skerry("check", str(tmp_path / "none.yaml"), str(tmp_path), "--json")

    assert answer.status == 2
    assert [each["line"] for each in answer.document["findings"]] == [1, 1]


def test_bytes_that_are_no_text_are_a_finding(skerry: Skerry, tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_bytes(b"skerry: 1\nname: \xff\xfe\n")

    answer = skerry("check", str(tmp_path / "x.yaml"), "--json")

    assert answer.status == 2
    assert answer.document["findings"][0]["line"] == 2


def test_several_files_are_checked_together(skerry: Skerry, tmp_path: Path) -> None:
    (tmp_path / "jobs.yaml").write_text("skerry: 1\njobs: {one: {type: shell, process: 'true'}}\n")
    (tmp_path / "tasks.yaml").write_text("skerry: 1\ntasks: {t: {nodes: {a: {job: one}}}}\n")

    assert skerry("check", str(tmp_path / "jobs.yaml"), str(tmp_path / "tasks.yaml")).status == 0
    assert skerry("check", str(tmp_path / "tasks.yaml")).status == 2


def test_checking_touches_no_workspace(skerry: Skerry, tmp_path: Path) -> None:
    assert skerry("check", str(EXAMPLES[0]), "--workspace", str(tmp_path / "new")).status == 0
    assert not (tmp_path / "new").exists()


def test_settings_with_a_mistake_do_not_keep_files_from_being_checked(
    skerry: Skerry, workspace: Path, tmp_path: Path
) -> None:
    (workspace / "workspace.yaml").write_text("language: [")
    (tmp_path / "a.yaml").write_text("skerry: 1\njobs: {a: {type: nothing}}\n")

    answer = skerry("check", str(tmp_path / "a.yaml"), "--json")

    assert answer.status == 2
    assert [each["code"] for each in answer.document["findings"]] == [-10100026000]
