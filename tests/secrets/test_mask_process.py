"""The masking process: live, faster than jobs print, deaf to signals, and never in a job's way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.secrets import mask_process
from tests.waiting import until

SECRET = "hunter2-Secret"


@dataclass
class Masking:
    """A running masking process and the ends that a job would hold."""

    process: subprocess.Popen[bytes]
    out: int
    err: int
    log: Path
    error_log: Path

    def end(self) -> int:
        os.close(self.out)
        os.close(self.err)
        return self.process.wait(20)


def _start(log: Path, error_log: Path, secrets: bytes) -> Masking:
    (secret_in, secret_out), (out_in, out), (err_in, err) = os.pipe(), os.pipe(), os.pipe()
    files = [os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600) for path in (log, error_log)]
    inherited = (secret_in, out_in, files[0], err_in, files[1])
    command = [sys.executable, "-I", "-S", mask_process.__file__, *map(str, inherited)]
    process = subprocess.Popen(command, pass_fds=inherited, start_new_session=True)
    for each in inherited:
        os.close(each)
    with os.fdopen(secret_out, "wb") as stream:
        stream.write(secrets)
    return Masking(process, out, err, log, error_log)


@pytest.fixture
def masking(tmp_path: Path) -> Iterator[Masking]:
    started = _start(tmp_path / "job.log", tmp_path / "job-error.log", json.dumps([SECRET]).encode())
    yield started
    started.process.kill()
    started.process.wait()


def test_both_streams_arrive_masked_in_their_own_files(masking: Masking) -> None:
    os.write(masking.out, f"out {SECRET}\n".encode())
    os.write(masking.err, f"err {SECRET.encode().hex()}\n".encode())

    assert masking.end() == 0
    assert masking.log.read_text() == "out ******\n"
    assert masking.error_log.read_text() == "err ******\n"


def test_output_is_live_but_for_what_may_become_a_secret(masking: Masking) -> None:
    os.write(masking.out, b"working... hunter2-")
    until(lambda: masking.log.read_bytes() == b"working... ")

    os.write(masking.out, b"Secret done")
    until(lambda: masking.log.read_bytes() == b"working... ****** done")


def test_what_is_held_back_comes_at_the_end(masking: Masking) -> None:
    os.write(masking.out, b"no secret after all: hunter2")

    assert masking.end() == 0
    assert masking.log.read_text() == "no secret after all: hunter2"


def test_it_outlives_the_signals_that_end_a_session(masking: Masking) -> None:
    os.write(masking.out, b"first ")
    until(lambda: masking.log.read_bytes() == b"first ")
    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        masking.process.send_signal(each)

    os.write(masking.out, SECRET.encode())

    assert masking.end() == 0
    assert masking.log.read_text() == "first ******"


def test_one_stream_may_end_long_before_the_other(masking: Masking) -> None:
    os.close(masking.out)
    os.write(masking.err, b"still here")

    until(lambda: masking.error_log.read_bytes() == b"still here")
    os.close(masking.err)
    assert masking.process.wait(10) == 0


def test_a_full_disk_does_not_stop_the_job(tmp_path: Path) -> None:
    masking = _start(Path("/dev/full"), tmp_path / "job-error.log", json.dumps([SECRET]).encode())

    for _ in range(40):
        os.write(masking.out, b"x" * 65536)
    os.write(masking.err, b"the other file is fine")

    assert masking.end() == 3
    assert (tmp_path / "job-error.log").read_text() == "the other file is fine"


@pytest.mark.parametrize("secrets", [b"", b"nonsense", b'{"a": 1', b"[1]", b"7"])
def test_without_readable_secrets_nothing_is_written(tmp_path: Path, secrets: bytes) -> None:
    masking = _start(tmp_path / "a", tmp_path / "b", secrets)

    for _ in range(10):
        os.write(masking.out, b"may hold a secret" * 4096)

    assert masking.end() == 2
    assert (tmp_path / "a").read_bytes() == b""


def test_copying_masks_in_this_process_as_well(tmp_path: Path) -> None:
    (secret_in, secret_out), (out_in, out), (err_in, err) = os.pipe(), os.pipe(), os.pipe()
    os.write(secret_out, json.dumps([SECRET]).encode())
    os.write(out, f"a {SECRET}".encode())
    os.write(err, b"b")
    for each in (secret_out, out, err):
        os.close(each)
    files = [os.open(tmp_path / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600) for name in "ab"]

    assert mask_process.main(secret_in, out_in, files[0], err_in, files[1]) == 0

    assert (tmp_path / "a").read_text() == "a ******"
    assert (tmp_path / "b").read_text() == "b"
