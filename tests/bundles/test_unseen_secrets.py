"""What another hand thought of: its secrets do not reach the supporter, its harmless lines do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.context.line import seal
from export_import.redaction.packed import Packed, unpacked_only
from export_import.redaction.redactor import Redactor
from export_import.redaction.secret_names import SecretNames
from export_import.redaction.word_lists import CODE_OF, EXACT, KEY_OF, SECRET
from tests.bundles.secrets_unseen.corpus import harmless
from tests.bundles.test_redaction import over, redactor
from tests.soak.unseen_secrets import measure

NO_TABLE = "Report | token | of the week\n(which has no rows)\n"
ROWS = "id | login | passwd\n---+-------+---------\n 1 | anna  | Reede!7714\n"


@pytest.fixture
def plain(tmp_path: Path) -> Redactor:
    return redactor(tmp_path, [])


def test_99_percent_of_unseen_secrets_are_not_in_the_case_that_the_supporter_imports(tmp_path: Path) -> None:
    outcome = measure(tmp_path, ("first.txt", "second.txt"), fillings=1, lines=False)

    assert outcome.cases > 500
    assert outcome.programs > 180
    assert len(outcome.missed) <= outcome.cases // 100, [(case.name, at) for case, at in outcome.missed]


def test_of_ten_thousand_unseen_lines_ten_at_most_are_altered(plain: Redactor) -> None:
    lines = [line for exact, line in harmless() if exact]
    done = over(plain, "\n".join(lines)).split("\n")

    assert len(lines) > 9_000
    assert len(done) == len(lines)
    assert sum(before != after for before, after in zip(lines, done, strict=True)) <= 10


@pytest.mark.parametrize("between", ["", "\n" + "a line of a log\n" * 500])
def test_what_looks_like_heads_and_is_none_hides_no_table_behind_it(plain: Redactor, between: str) -> None:
    assert "Reede!7714" not in over(plain, NO_TABLE + between + ROWS)


def test_a_harmless_find_hides_no_token_within_it(plain: Redactor) -> None:
    token = "github_pat_" + "a1B2c3D4" * 8

    assert token not in over(plain, f"remote: token {token} is about to expire\n")


@pytest.mark.parametrize("key", ["密码", "password"])
def test_json_with_escapes_is_judged_by_what_it_says(plain: Redactor, key: str) -> None:
    key_file = "Private-Lines: 1\nQjP+M2I6FZPjI/k44tFlsHE5ffYTFiCeOMsxLxvF\n"
    data = json.dumps({"new": {key: "Reede!7714", "text": key_file}}).encode()

    done = b"".join(plain.over("json", [data])).decode()

    assert "Reede!7714" not in done
    assert "QjP+" not in done


def test_json_that_says_nothing_secret_stays_byte_for_byte(plain: Redactor) -> None:
    data = b'{"text": "two\\nlines \\u00e9",   "token_count": 5}\n'

    assert b"".join(plain.over("json", [data])) == data


def test_of_a_key_that_is_there_twice_neither_value_leaves(plain: Redactor) -> None:
    data = b'{"password": "Reede!7714", "password": "", "text": "\\n"}'

    assert b"Reede" not in b"".join(plain.over("json", [data]))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_file_in_utf_16_is_left_out_with_its_reason(encoding: str) -> None:
    with pytest.raises(Packed, match="UTF-16: texts of this encoding are not looked into"):
        list(unpacked_only(["password = Reede!7714\r\n".encode(encoding)]))


@pytest.mark.parametrize(
    "text",
    [
        "user app on >Reede!7714 ~* +@all",
        "a line before\nuser app on >Reede!7714 ~* +@all\n",
        '"id","login","api key"\n"1","anna","Reede!7714"\n',
        "login\tapi key\nanna\tReede!7714\n",
        '{"acl": {"tokens": {"agent": "Reede!7714"}}}',
        '{"hook": "user app on >Reede!7714"}',
        '{"hook": "x\\nuser app on >Reede!7714"}',
    ],
)
def test_a_text_in_a_context_line_is_judged_as_a_file_of_its_own(plain: Redactor, text: str) -> None:
    record = {"seq": 1, "path": "$.JOB['a'].RESULT", "new": text}

    assert "Reede!7714" not in in_a_line(plain, record)


def test_no_key_of_a_context_line_that_is_a_secrets_name_hides_its_value(plain: Redactor) -> None:
    ends = [*SECRET, *EXACT, *(f"{each} key" for each in KEY_OF), *(f"{each} code" for each in CODE_OF)]
    spelled = (each.replace(" ", mark) for each in ends for mark in " _-")
    made = {form for each in spelled for form in (each, f"db_{each}", f"db{each.capitalize()}", f"{each}_2")}
    names = sorted(filter(SecretNames().has, made))

    assert len(names) > 500
    assert not [name for name in names if "reede-X7714" in in_a_line(plain, {"new": {name: "reede-X7714"}})]


def in_a_line(found: Redactor, record: object) -> str:
    line = seal(json.dumps(record, separators=(",", ":"))[:-1]).encode() + b"\n"
    return b"".join(found.over("lines", [line])).decode()


def test_what_only_begins_like_json_is_looked_at_once(plain: Redactor) -> None:
    report = "from aa:bb:cc:01:02:03\n"

    assert over(plain, "[INFO] " + report).removeprefix("[INFO] ") == over(plain, report)
