"""Stored secrets of many shapes are printed by stock tools: what of them is in the live log, and in the bundle?

    python -m tests.soak.secret_spellings

Each tool prints each secret in a job, and again outside it to know what the spelling is. Of that spelling twelve
characters in a row that the same tool does not print of another text must be neither in the log nor in the case.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

SECRETS = {
    "plain": "Reede-Hafen-7714",
    "blanks": "open the north gate 41",
    "unicode": "Schlüssel-für-Häfen-é99",
    "chinese": "港口密码二零二六年夏季版",
    "quotes": """it's "Reede" 7714 `x`""",
    "marks": "$eg3l%Boot<*>&;7714+/=",
    "lines": "first-line-of-it 71\nsecond-line-of-it 14",
    "four": "kR7q",
    "six": "t9Xq%2",
    "eight": "a+b/c=d8",
    "four_kb": "".join(f"Hafen{n:04d}/Mole+" for n in range(4096 // 15)),
}
_PYTHON = "python3 -c 'import os, urllib.parse as u; s = os.environ[\"S\"]; print({})'"
TOOLS = {
    "cat": "cat",
    "xxd": "xxd",
    "xxd_plain": "xxd -p",
    "xxd_capitals": "xxd -u",
    "xxd_c": "xxd -i",
    "xxd_bytes": "xxd -g 1",
    "hexdump": "hexdump",
    "hexdump_canonical": "hexdump -C",
    "hexdump_words": "hexdump -x",
    "hexdump_octal": "hexdump -b",
    "od": "od",
    "od_c": "od -c",
    "od_x": "od -x",
    "od_bytes": "od -An -tx1",
    "od_named": "od -a",
    "base64": "base64",
    "base64_one": "base64 -w 0",
    "base64_narrow": "base64 -w 20",
    "base64_64": "base64 -w 64",
    "base32": "base32 -w 0",
    "utf16_base64": "iconv -t UTF-16LE | base64 -w 0",
    "utf16_be_base64": "iconv -t UTF-16BE | base64 -w 0",
    "utf16": "iconv -t UTF-16LE",
    "quote": _PYTHON.format('u.quote(s, safe="")'),
    "quote_small": _PYTHON.format('"".join("%%%02x" % b for b in s.encode())'),
    "quote_plus": _PYTHON.format("u.quote_plus(s)"),
    "jq": "jq -Rs .",
    "jq_ascii": "jq -a -Rs .",
    "jq_uri": "jq -Rsr @uri",
    "jq_html": "jq -Rsr @html",
    "jq_sh": "jq -Rsr @sh",
    "jq_csv": "jq -Rsr '[., 1] | @csv'",
    "jq_base64": "jq -Rsr @base64",
    "json_in_json": _PYTHON.format('__import__("json").dumps(__import__("json").dumps(s))'),
    "repr": _PYTHON.format("repr(s)"),
    "bytes": _PYTHON.format("s.encode()"),
    "html": _PYTHON.format('__import__("html").escape(s)'),
    "html_numbers": _PYTHON.format('"".join("&#%d;" % ord(c) for c in s)'),
    "sql": r"""sed "s/'/''/g" """,
    "csv": 'perl -0pe \'s/"/""/g\'',
    "shell": "bash -c 'printf %q \"$S\"'",
    "reversed": _PYTHON.format("s[::-1]"),
    "gzip": "gzip | base64 -w 0",
    "rot13": "tr A-Za-z N-ZA-Mn-za-m",
}
UNCOVERED = frozenset({"reversed", "gzip", "rot13"})  # as docs/bundles.md says


def leaks(work: Path) -> Iterator[tuple[str, str, str, str]]:
    """Where, which tool, which secret, and what is there of it."""
    tools = {name: line for name, line in TOOLS.items() if shutil.which(line.split()[0])}
    nodes = {}
    for name, secret in SECRETS.items():
        _skerry(work, "secret", "set", name, text=secret)
        for tool, line in tools.items():
            nodes[f"{tool}.{name}"] = {
                "type": "shell",
                "process": f'printf %s "$S" | {line}',
                "params": {"S": {"secret": name}},
            }
    file = work / "spellings.json"
    file.write_text(json.dumps({"skerry": 1, "tasks": {"spellings": {"nodes": nodes}}}))
    _skerry(work, "run", str(file))
    logs = {
        path.parent.name: path.read_bytes() for path in (work / "site").glob("instances/*/jobs/*/job.log")
    }
    _skerry(work, "export", "1", "-o", str(work / "bundle"))
    _skerry(work, "bundle", "import", str(work / "bundle"), "--name", "case")
    cases = {
        path.parent.name: path.read_bytes() for path in (work / "site" / "cases").glob("**/jobs/*/job.log")
    }
    for where, found in (("log", logs), ("case", cases)):
        for node in nodes:
            tool, _, name = node.partition(".")
            text = next(data for job, data in found.items() if job.startswith(f"job-{node}-"))
            if part := _left(text, TOOLS[tool], SECRETS[name]):
                yield where, tool, name, part


def _left(text: bytes, tool: str, secret: str) -> str:
    told = _output(tool, secret)
    size = min(12, max(len(secret) - 1, 4))
    other = _output(tool, "~" * len(secret))
    parts = (told[at : at + size] for at in range(len(told) - size + 1))
    return next((repr(part) for part in parts if part in text and part not in other and part.strip()), "")


def _output(tool: str, secret: str) -> bytes:
    environment = os.environ | {"S": secret}
    line = f'printf %s "$S" | {tool}'
    return subprocess.run(["sh", "-c", line], env=environment, capture_output=True, check=False).stdout


def _skerry(work: Path, *arguments: str, text: str | None = None) -> None:
    command = [sys.executable, "-m", "app.cli.main", "--workspace", str(work / "site"), *arguments]
    environment: Mapping[str, str] = os.environ | {"SKERRY_PASSPHRASE": "Reede-Wal-0"}
    done = subprocess.run(command, input=text, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(
            f"skerry {arguments[0]}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        )


def main() -> int:
    """Print what leaks; status 1 if something does that is not said to."""
    with tempfile.TemporaryDirectory() as folder:
        found = list(leaks(Path(folder)))
    for where, tool, secret, part in found:
        print(f"{where}: {tool} of {secret}{' (not covered)' if tool in UNCOVERED else ''}: {part}")
    bad = sum(tool not in UNCOVERED for _, tool, _, _ in found)
    print(f"{len(TOOLS)} tools, {len(SECRETS)} secrets: {bad} leaks")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
