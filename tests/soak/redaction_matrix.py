"""Two hundred secrets in nine encodings in every sink of a run: none of them leaves; and what is harmless stays.

    python -m tests.soak.redaction_matrix [--secrets 200] [--lines 10000] [--seed N]

A run is made whose definitions, code, inputs, logs, results, files' names, context, exceptions, execution log and
environment hold the secrets. The bundle is read back by a scanner of its own, which knows nothing of how
secrets are written: it decodes whatever looks encoded, again and again, and looks for the secrets themselves.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import html
import json
import os
import re
import sys
import tempfile
import urllib.parse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.wiring import open_engine
from engine.api.documents import RunRequest, Source
from engine.api.local import LocalService
from engine.runtime.clock import SystemClock
from export_import.container import open_bundle
from export_import.export import export
from export_import.export_request import ExportRequest
from export_import.export_source import InstanceChoice
from export_import.keys import Keys
from tests.bundles.test_redaction import ENCODINGS, harmless, secrets_of

CLOCK = SystemClock()
VARIABLE = "PLANT_SETTINGS"


class Planted:
    """A vault at the export; the engine that ran knew nothing of these, so it masked nothing."""

    def __init__(self, secrets: list[str]) -> None:
        self._secrets = {f"s{number}": text for number, text in enumerate(secrets)}

    def names(self) -> list[str]:
        return list(self._secrets)

    def get(self, name: str) -> str:
        return self._secrets[name]


def texts_of(secrets: list[str]) -> list[str]:
    """Every secret in every encoding."""
    return [code(each.encode()).decode() for each in secrets for code in ENCODINGS.values()]


def make_run(root: Path, texts: list[str], lines: list[str]) -> None:
    """A failed run with the texts in everything that a bundle takes from it."""
    root.mkdir(parents=True)
    (root / "workspace.yaml").write_text(f"environment: [{VARIABLE}]\n")
    seen = root / "seen.txt"
    seen.write_text("".join(f"row {n} value <{each}> end\n" for n, each in enumerate(texts)), "utf-8")
    (root / "harmless.txt").write_text("\n".join(lines) + "\n", "utf-8")
    os.environ[VARIABLE] = " ".join(texts[:200])
    try:
        with open_engine(root) as engine:
            service = LocalService(engine, "operator")
            source = Source(name="t.json", text=json.dumps(_tree(texts, root)))
            service.load([source])
            number = service.run(RunRequest("plant", params={"all": list(texts), "one": texts[0]}))
            engine.wait(number, 120)
            assert service.instance(number)["status"] == "failed"
            for each in texts[:20]:
                service.set_value(number, "$.TASK.PARAMS['one']", each, f"because of {each}")
    finally:
        del os.environ[VARIABLE]


def _tree(texts: list[str], root: Path) -> dict[str, Any]:
    """The definitions; free texts, code, catalogue and rules hold them too."""
    message = "\n".join(texts)
    code = "".join(f"# {each}\n" for text in texts for each in text.splitlines())
    names = [each for each in texts if "/" not in each and "\n" not in each and len(each.encode()) < 120]
    files = root / "names"
    files.mkdir()
    for each in names[:300]:
        (files / each).write_text("x", "utf-8")
    return {
        "skerry": 1,
        "errors": {"-19999999001": {"title": texts[0], "cause": message, "remedy": message}},
        "jobs": {"spill": {"type": "shell", "name": texts[0], "description": message, "process": f'{code}cat "$seen"; cat "$seen" >&2\ncp "$seen" outputs/copy; cp "$files"/* outputs/ 2>/dev/null; true'}},
        "tasks": {
            "plant": {
                "name": texts[1],
                "description": message,
                "params": {"all": {"kind": "list", "value": texts}, "one": "x"},
                "results": {"all": {"value": "$.JOB['spill'].RESULT['copy']"}},
                "nodes": {
                    "calm": {"type": "shell", "params": {"f": str(root / "harmless.txt")}, "process": 'cat "$f"'},
                    "spill": {
                        "job": "spill",
                        "params": {"seen": str(root / "seen.txt"), "files": str(files), "all": "$.TASK.PARAMS['all']"},
                    },
                    "read": {
                        "after": ["spill"],
                        "type": "read_file",
                        "continue_on_failure": True,
                        "params": {"path": f"/nowhere/{texts[0]}"},
                    },
                    "fail": {
                        "after": ["read"],
                        "type": "shell",
                        "retry": {"times": 1, "interval": "0s"},
                        "params": {"seen": str(root / "seen.txt")},
                        "process": 'cat "$seen" >&2; exit 3',
                    },
                },
            }
        },
    }  # fmt: skip


# -- the scanner -------------------------------------------------------------------------------------

_TOKEN = re.compile(rb"[A-Za-z0-9+/_-]{8,}")
_HEX = re.compile(rb"(?:[0-9a-fA-F]{2}){4,}")


def views(data: bytes) -> Iterator[bytes]:
    """What the bytes are, and what they may stand for."""
    yield data
    yield urllib.parse.unquote_to_bytes(data)
    yield urllib.parse.unquote_to_bytes(data.replace(b"+", b" "))
    yield html.unescape(data.decode("utf-8", "replace")).encode()
    yield _unescaped(data)
    yield _unescaped(_unescaped(data))
    yield data.replace(b"'\"'\"'", b"'").replace(b"'\\''", b"'")
    yield b"\n".join(binascii.unhexlify(each) for each in _HEX.findall(data))
    for token in _TOKEN.findall(data):
        yield from _from_base64(token)


def _from_base64(token: bytes) -> Iterator[bytes]:
    token = token.replace(b"-", b"+").replace(b"_", b"/")
    for start in range(4):
        part = token[start:]
        yield base64.b64decode(part[: len(part) // 4 * 4])


_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"b": b"\b", b"f": b"\f"}


def _unescaped(data: bytes) -> bytes:
    """Backslashes as JSON has them."""

    def meant(match: re.Match[bytes]) -> bytes:
        text = match[1]
        if text[:1] == b"u":
            return chr(int(text[1:], 16)).encode("utf-8", "replace")
        return _ESCAPES.get(text, text)

    return re.sub(rb"\\(u[0-9a-fA-F]{4}|.)", meant, data)


def scan(data: bytes, secrets: list[str]) -> list[str]:
    """The secrets in the bytes, in whatever way."""
    joined = b"\0".join(views(data))
    return [each for each in secrets if each.encode() in joined]


# -- the whole ---------------------------------------------------------------------------------------


def check(folder: Path, count: int, lines: int, seed: int) -> tuple[Counter[str], int]:
    """Export and look; gives what was found by the role of its file, and how many harmless lines differ."""
    secrets = secrets_of(seed, count)
    texts, calm = texts_of(secrets), list(harmless(lines))
    make_run(folder / "site", texts, calm)
    vault: Any = Planted(secrets)
    export(folder / "site", folder / "out", ExportRequest((InstanceChoice(1),)), clock=CLOCK, vault=vault)
    bundle = open_bundle([folder / "out"], Keys(folder / "site", CLOCK), clock=CLOCK)
    found: Counter[str] = Counter()
    roles: Counter[str] = Counter()
    altered = lines
    for name, entry in bundle.entries.items():
        data = bundle.read(name)
        roles[entry.role] += 1
        payload = json.dumps([name, entry.facts], ensure_ascii=False).encode()
        found[entry.role] += len(scan(data, secrets)) + len(scan(payload, secrets))
        if "/job-calm-" in name and name.endswith("/job.log"):
            now = data.decode().rstrip("\n").split("\n")
            altered = sum(one != two for one, two in zip(calm, now, strict=True))
    rest = json.dumps([dict(bundle.facts), [[o.name, o.reason] for o in bundle.omitted]], ensure_ascii=False)
    found["manifest"] += len(scan(rest.encode(), secrets))
    found["outside"] += sum(len(scan(each.read_bytes(), secrets)) for each in (folder / "out").glob("*.json"))
    needed = {"log", "context", "input", "output", "code", "rows", "definition", "audit", "environment"}
    assert needed <= set(roles), needed - set(roles)
    _check_that_the_scanner_sees(folder, secrets)
    return found, altered


def _check_that_the_scanner_sees(folder: Path, secrets: list[str]) -> None:
    """The same scanner on an unredacted bundle finds them all, and in each kind of file."""
    wanted = ExportRequest((InstanceChoice(1),), redact=False)
    export(folder / "site", folder / "plain", wanted, clock=CLOCK)
    bundle = open_bundle([folder / "plain"], Keys(folder / "site", CLOCK), clock=CLOCK)
    by_role: dict[str, set[str]] = {}
    for name, entry in bundle.entries.items():
        by_role.setdefault(entry.role, set()).update(scan(bundle.read(name), secrets))
    for role in ("log", "context", "input", "output", "code", "rows", "definition"):
        assert len(by_role[role]) == len(secrets), (role, len(by_role[role]))
    for role in ("audit", "environment"):
        assert by_role[role], role


def main() -> int:
    """Run it and tell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--secrets", type=int, default=200)
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found, altered = check(Path(folder), given.secrets, given.lines, given.seed)
    message = ", ".join(f"{role} {count}" for role, count in sorted(found.items()))
    sys.stdout.write(f"found: {message}\n{altered} of {given.lines} harmless lines altered\n")
    return 1 if sum(found.values()) or altered > given.lines // 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
