"""Secrets reach the job and nothing else: no file of the instance, no row, no log has them."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.runtime.site import Site, shell, task, tree

SECRET = "s3cr€t/Pa ss+'\"word\\42"


def everything(root: Path) -> bytes:
    """All bytes of a workspace but its vault."""
    files = [each for each in root.rglob("*") if each.is_file() and each.name != "secrets.vault"]
    return b"".join(each.read_bytes() for each in files)


@pytest.fixture
def passphrase(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("SKERRY_PASSPHRASE", "open sesame")
    return "open sesame"


@pytest.fixture
def guarded(passphrase: str, site: Site) -> Site:
    from app import wiring

    vault = wiring.open_vault(site.engine.workspace)
    vault.unlock(passphrase=passphrase)
    vault.set("db", SECRET)
    return site


def test_a_secret_reaches_the_program_and_no_file_or_row(guarded: Site, tmp_path: Path) -> None:
    script = """
        printf %s "${pw}" > "${out}/seen"
        printf "pw=%s\\n" "${pw}"; printf "%s\\n" "${pw}" >&2
        printf "got %s" "${pw}" > outputs/r
        printf %s "${pw}" | base64 -w0
        printf %s "${pw}" | od -An -tx1 | tr -d " \\n"
        printf "50 %s\\n" "${pw}" >> "${SKERRY_PROGRESS}"
    """
    job = {
        "type": "shell",
        "process": script,
        "params": {"pw": {"secret": "db"}, "out": {"value": str(tmp_path)}},
        "results": {"r": {}, "copy": {"value": "<{$.JOB['j'].OUTPUT}>"}},
    }
    nodes = {"a": {"job": "j"}, "b": shell("true", after=["a"], params={"x": "$.JOB['a'].RESULT['r']"})}
    seen = guarded.run(tree({"jobs": {"j": job}, "tasks": {"t": {"nodes": nodes}}}))
    guarded.close()

    assert seen.row.status == "succeeded"
    assert (tmp_path / "seen").read_text() == SECRET
    left = everything(guarded.root)
    raw = SECRET.encode()
    for form in (raw, quote(SECRET).encode(), base64.b64encode(raw), raw.hex().encode()):
        assert form not in left
    assert b"pw=******" in left


def test_a_secret_in_the_message_of_a_failure_is_masked_in_the_reason_to_wait(guarded: Site) -> None:
    message = "exit status 3"  # as a library that tells more than it should
    assert guarded.engine.vault is not None
    guarded.engine.vault.set("db", message)
    job = {
        "type": "shell",
        "process": "exit 3",
        "params": {"pw": {"secret": "db"}},
        "retry": {"times": 1, "interval": "1h"},
    }
    instance = guarded.begin(tree({"jobs": {"j": job}, "tasks": {"t": {"nodes": {"a": {"job": "j"}}}}}))
    guarded.until_state(instance, "a", "retrying")

    row = guarded.see(instance)["a"].row
    assert row.because is not None
    assert row.because.facts["message"] == "******"
    assert "******" in str(row.reason)
    assert row.error_message == "******"
    guarded.engine.cancel(instance)
    guarded.close()
    assert message.encode() not in everything(guarded.root)


def test_no_job_sees_the_passphrase(guarded: Site) -> None:
    script = "env > outputs/env; cat /proc/$PPID/environ > /dev/null 2>&1; true"
    seen = guarded.run(task({"a": shell(script)}))

    env = seen["a"].outputs["env"]
    assert b"open sesame" not in env
    assert b"SKERRY_PASSPHRASE" not in env
    assert b"HOME=" in env or "HOME" not in os.environ


def test_a_secret_that_is_not_there_fails_the_job(guarded: Site) -> None:
    job = {"type": "shell", "process": "true", "params": {"pw": {"secret": "nobody"}}}
    seen = guarded.run(tree({"jobs": {"j": job}, "tasks": {"t": {"nodes": {"a": {"job": "j"}}}}}))

    assert seen["a"].status == "failed"
    assert "'nobody'" in str(seen["a"].error_message)


def test_a_typed_secret_is_nowhere(site: Site, tmp_path: Path) -> None:
    spec = {"secret": True}
    job = {
        "type": "shell",
        "process": f'printf %s "${{pw}}" > {tmp_path}/seen; echo "${{pw}}"',
        "params": {"pw": {"secret": True}},
    }
    nodes = {"a": {"job": "j", "params": {"pw": "$.TASK.PARAMS['pw']"}}}
    seen = site.run(
        tree({"jobs": {"j": job}, "tasks": {"t": {"params": {"pw": spec}, "nodes": nodes}}}),
        texts={"pw": SECRET},
    )
    site.close()

    assert seen.row.status == "succeeded"
    assert (tmp_path / "seen").read_text() == SECRET
    assert SECRET.encode() not in everything(site.root)
