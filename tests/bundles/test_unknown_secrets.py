"""Secrets that nobody stored do not leave either, whatever program wrote them down; harmless lines stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.context.line import read_line, seal
from engine.runtime.clock import SystemClock
from export_import.keys import Keys
from export_import.redaction.pseudonyms import Pseudonyms
from export_import.redaction.redactor import Redactor
from export_import.redaction.secret_names import SecretNames
from tests.bundles.secrets.corpus import Sample, harmless, samples
from tests.bundles.test_redaction import NOBODY, over, redactor


@pytest.fixture
def plain(tmp_path: Path) -> Redactor:
    return redactor(tmp_path, [])


def left(found: Redactor, sample: Sample) -> list[str]:
    """The secrets of a sample that are still there."""
    done = over(found, sample.text)
    return [each for each in sample.secrets if each in done]


@pytest.mark.parametrize("forms", ["known", "strange"])
def test_of_the_secrets_in_formats_of_real_programs_99_percent_are_found(plain: Redactor, forms: str) -> None:
    every = list(samples(forms, 8))
    missed = {each.form: gone for each in every if (gone := left(plain, each))}
    count = sum(len(each.secrets) for each in every)
    assert count >= 100
    assert sum(map(len, missed.values())) <= count // 100, missed


def test_of_ten_thousand_lines_of_real_logs_ten_at_most_are_altered(plain: Redactor) -> None:
    lines = harmless()
    done = over(plain, "\n".join(lines)).split("\n")
    altered = [(before, after) for before, after in zip(lines, done, strict=True) if before != after]
    assert len(lines) == 10_000
    assert len(altered) <= 10, altered


@pytest.mark.parametrize(
    "text",
    [
        "PWD=/srv",
        "password_policy: strict",
        "token_count: 5",
        "pass: 12 fail: 0",
        "Linux 6.8.0-45-generic #45-Ubuntu SMP",
        "secret_ref: ledger-db",
        "password: {secret: mail_password}",
        "request: {user: clerk, secret: ledger_password}",
        "password = os.environ['DB_PASSWORD']",
        "Password for clerk:",
        "密码长度：12",
    ],
)
def test_what_only_tells_about_a_secret_stays(plain: Redactor, text: str) -> None:
    assert over(plain, text) == text


@pytest.mark.parametrize("key", ["password", "DB_PASS", "SECRET_KEY", "密码", "X-Api-Key", "sessionCookies"])
@pytest.mark.parametrize("value", ["geheim", "$x9!a", "%4c<b", "*abc,d;e(f", "a b c 1", "<Abc9>x"])
def test_in_json_a_value_is_judged_by_its_key_at_any_depth(plain: Redactor, key: str, value: str) -> None:
    tree = {"id": [{"status": {key: value, "path": {"deep": [{"node": {key: [value]}}]}}}], "n": 1}
    done = b"".join(plain.over("json", [json.dumps(tree, ensure_ascii=False).encode()])).decode()
    assert value not in json.dumps(json.loads(done), ensure_ascii=False)
    assert json.loads(done)["n"] == 1


@pytest.mark.parametrize("key", ["path", "id", "status", "type", "node", "directory", "job"])
def test_a_secret_is_found_under_keys_of_our_own_and_in_keys(plain: Redactor, key: str) -> None:
    token = "ghp_" + "a1B2" * 9
    done = b"".join(plain.over("json", [json.dumps({key: f"x {token} y", token: 1}).encode()])).decode()
    assert token not in done


def test_rows_are_judged_by_the_heads_of_their_columns(plain: Redactor) -> None:
    tree = {"columns": ["id", "password", "city"], "rows": [[1, "geheim", "Kiel"], [2, "hunter", "Jinan"]]}
    done = json.loads(b"".join(plain.over("json", [json.dumps(tree).encode()])))
    assert done["rows"] == [[1, "******", "Kiel"], [2, "******", "Jinan"]]


def test_a_line_of_a_context_is_judged_by_its_path(plain: Redactor) -> None:
    body = '{"seq":1,"time":"t","run":1,"actor":"engine","path":"$.TASK.PARAMS[\'db_password\']","old":"alt","new":"geheim"'
    (done,) = plain.over("lines", [seal(body).encode() + b"\n"])
    record = read_line(bytes(done).rstrip(b"\n"))
    assert (record["old"], record["new"]) == ("******", "******")
    assert record["path"] == "$.TASK.PARAMS['db_password']"


def test_definitions_keep_what_is_no_value(plain: Redactor) -> None:
    tree = {
        "jobs": {"reset_password": {"type": "shell", "process": "echo reset", "params": {"token": {"kind": "text", "value": "zz11yy"}}}},
        "resources": {"mail": {"request": {"user": "clerk", "secret": "mail_password"}}},
    }  # fmt: skip
    done = json.loads(b"".join(plain.over("json", [json.dumps(tree).encode()])))
    assert done["jobs"]["reset_password"]["process"] == "echo reset"
    assert done["jobs"]["reset_password"]["params"]["token"] == {"kind": "text", "value": "******"}
    assert done["resources"] == tree["resources"]


def test_a_site_adds_names_of_its_own(tmp_path: Path) -> None:
    found = Redactor(frozenset(), NOBODY, Pseudonyms(Keys(tmp_path, SystemClock())), ["losung", "door_code"])
    assert "Tor5" not in over(found, "losung=Tor5\nmain_losung: Tor5\n")
    assert b"8812" not in b"".join(found.over("json", [b'{"door_code": "8812x", "door": 1}']))
    assert SecretNames().has("losung") is False
