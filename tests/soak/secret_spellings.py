"""Stored secrets are printed by stock tools in jobs: what of them is in the log, and in a bundle of what a job kept?

    python -m tests.soak.secret_spellings [--secrets NAME ...]

Each tool prints each secret in a job, once with nothing around it and once within another text, and again outside
of it to know what that looks like. Twelve characters in a row of it (all but one of a shorter secret) that the
tool does not print of other letters must neither be in the job's log nor, of a file where the job keeps the
same output, in the case that a bundle becomes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from app.cli.main import cli

SECRETS = {
    "plain": "Reede-Hafen-7714",
    "blanks": "open the north gate 41",
    "unicode": "Schlüssel-für-Häfen-é99",
    "chinese": "港口密码二零二六年夏季版",
    "quotes": """it's "Reede" 7714 `x`""",
    "marks": "$eg3l%Boot<*>&;7714+/=",
    "lines": "first-line-of-it 71\nsecond-line-of-it 14",
    "six": "t9Xq%2",
    "eight": "a+b/c=d8",
    "long": "Zk7+" * 4 + "vB3/w_9-QxT1uR5yE8iO0pA2sD4fG6hJ7kL9zX1cV3bN5mQ8wE" + "==",
    "four_kb": "".join(f"Hafen{n:04d}/Mole+" for n in range(4096 // 15)),
}
_PYTHON = (
    "python3 -c 'import sys, json, html, urllib.parse as u; s = sys.stdin.read(); b = s.encode(); print({})'"
)
_PERL = "perl -0777 -e '$_ = <STDIN>; {}'"
_SQLITE = "(cat > s.txt; sqlite3 :memory: -cmd '.mode {}' \"select cast(readfile('\"'s.txt'\"') as text) as s, 1 as n\")"
TOOLS = {
    "cat": "cat",
    "cat_v": "cat -v",
    "cat_A": "cat -A",
    "xxd": "xxd",
    "xxd_plain": "xxd -p",
    "xxd_narrow": "xxd -p -c 7",
    "xxd_capitals": "xxd -u",
    "xxd_c": "xxd -i",
    "xxd_bytes": "xxd -g 1",
    "xxd_words": "xxd -g 4",
    "xxd_bits": "xxd -b",
    "hexdump": "hexdump",
    "hexdump_canonical": "hexdump -C",
    "hexdump_words": "hexdump -x",
    "hexdump_octal": "hexdump -b",
    "hexdump_characters": "LC_ALL=C hexdump -c",
    "hexdump_decimal": "hexdump -d",
    "hexdump_own": """hexdump -v -e '/1 "%02x "'""",
    "od": "od",
    "od_c": "od -c",
    "od_x": "od -x",
    "od_b": "od -b",
    "od_hexadecimal": "od -A x -t x1z -v",
    "od_bytes": "od -An -tx1",
    "od_without": "od -An -x",
    "od_characters": "od -An -c",
    "od_long": "od -t x4",
    "od_named": "od -a",
    "base64": "base64",
    "base64_one": "base64 -w 0",
    "base64_narrow": "base64 -w 20",
    "base64_ten": "base64 -w 10",
    "base64_64": "base64 -w 64",
    "base64_crlf": "base64 -w 30 | sed 's/$/\\r/'",
    "base64_indented": "base64 -w 40 | sed 's/^/      /'",
    "base64_url": _PYTHON.format('__import__("base64").urlsafe_b64encode(b).decode()'),
    "openssl": "openssl enc -base64",
    "base32": "base32",
    "base32_one": "base32 -w 0",
    "utf16": "iconv -t UTF-16LE",
    "utf16_base64": "iconv -t UTF-16LE | base64 -w 0",
    "utf16_lines": "iconv -t UTF-16LE | base64 -w 48",
    "utf16_marked": "iconv -t UTF-16 | base64",
    "utf16_big": "iconv -t UTF-16BE | base64",
    "utf16_dump": "iconv -t UTF-16LE | xxd",
    "quote": _PYTHON.format('u.quote(s, safe="")'),
    "quote_path": _PYTHON.format("u.quote(s)"),
    "quote_small": _PYTHON.format('"".join("%%%02x" % c for c in b)'),
    "quote_mixed": _PYTHON.format(
        'u.quote(s, safe="").replace("%C", "%c").replace("%2", "%2").lower() if 0 else u.quote(u.quote(s))'
    ),
    "form": _PYTHON.format('u.urlencode({"p": s})'),
    "curl": "(cat > s.txt; curl -s -G -o /dev/null -w '%{url_effective}' --data-urlencode p@s.txt file:///dev/null; true)",
    "node": 'node -e \'console.log(encodeURIComponent(require("fs").readFileSync(0)+""))\'',
    "node_json": 'node -e \'console.log(JSON.stringify(require("fs").readFileSync(0)+""))\'',
    "jq": "jq -Rs .",
    "jq_ascii": "jq -a -Rs .",
    "jq_uri": "jq -Rsr @uri",
    "jq_html": "jq -Rsr @html",
    "jq_sh": "jq -Rsr @sh",
    "jq_csv": "jq -Rsr '[., 1] | @csv'",
    "jq_tsv": "jq -Rsr '[., 1] | @tsv'",
    "jq_base64": "jq -Rsr @base64",
    "jq_base32": "jq -Rsr @base32",
    "jq_text": "jq -Rsr '@json | @json'",
    "json_in_json": _PYTHON.format("json.dumps(json.dumps(s))"),
    "json_go": _PYTHON.format(
        'json.dumps(s, ensure_ascii=False).replace("&", "\\\\u0026").replace("<", "\\\\u003c").replace(">", "\\\\u003e")'
    ),
    "repr": _PYTHON.format("repr(s)"),
    "ascii": _PYTHON.format("ascii(s)"),
    "bytes": _PYTHON.format("b"),
    "hex_colons": _PYTHON.format('b.hex(":")'),
    "html": _PYTHON.format("html.escape(s)"),
    "html_numbers": _PYTHON.format('"".join("&#%d;" % ord(c) for c in s)'),
    "html_hexadecimal": _PYTHON.format('"".join("&#x%X;" % ord(c) for c in s)'),
    "xml_ascii": _PYTHON.format('s.encode("ascii", "xmlcharrefreplace").decode()'),
    "etree": _PYTHON.format(
        '(lambda e: (e.set("a", s), setattr(e, "text", s), __import__("xml.etree.ElementTree").etree.ElementTree.tostring(e).decode())[2])'
        '(__import__("xml.etree.ElementTree").etree.ElementTree.Element("e"))'
    ),
    "yaml": _PYTHON.format('__import__("yaml").safe_dump({"p": s}, width=1 << 20)'),
    "sql": r"""sed "s/'/''/g" """,
    "mysql": _PERL.format(r"s/([\\\x27\x22])/\\$1/g; s/\n/\\n/g; print"),
    "csv": _PERL.format(r"s/\x22/\x22\x22/g; print qq(\x22$_\x22,1)"),
    "sqlite_quote": _SQLITE.format("quote"),
    "sqlite_csv": _SQLITE.format("csv"),
    "sqlite_json": _SQLITE.format("json"),
    "sqlite_html": _SQLITE.format("html"),
    "sqlite_tcl": _SQLITE.format("tcl"),
    "sqlite_insert": _SQLITE.format("insert"),
    "sqlite_hex": "(cat > s.txt; sqlite3 :memory: \"select hex(readfile('s.txt'))\")",
    "perl_hex": _PERL.format('print unpack "H*", $_'),
    "shell_q": "bash -c 'printf %q \"$(cat)\"'",
    "shell_q_C": "LC_ALL=C bash -c 'printf %q \"$(cat)\"'",
    "shell_at": "bash -c 's=$(cat); echo \"${s@Q}\"'",
    "shell_trace": "bash -c 's=$(cat); exec 2>&1; set -x; : \"$s\"'",
    "dash_trace": "sh -c 's=$(cat); exec 2>&1; set -x; : \"$s\"'",
    "declare": "bash -c 's=$(cat); declare -p s'",
    "sh_export": "sh -c 's=$(cat); export s; export -p' | grep -A1 ' s='",
    "env": "sh -c 'env -i PATH=/usr/bin:/bin X=\"$(cat)\" env -0'",
    "sed_l": "sed -n l",
    "reversed": _PYTHON.format("s[::-1]"),
    "gzip": "gzip | base64 -w 0",
    "rot13": "tr A-Za-z N-ZA-Mn-za-m",
    "spaced": "sed 's/./& /g'",
    "fold": "fold -w 7",
    "decimals": "od -An -tu1",
    "list": _PYTHON.format("list(b)"),
    "base85": _PYTHON.format('__import__("base64").b85encode(b)'),
    "uuencode": "perl -0777 -e '$_ = <STDIN>; print pack q(u), $_'",
    "quoted_printable": "perl -MMIME::QuotedPrint -0777 -e '$_ = <STDIN>; print encode_qp($_)'",
}
UNCOVERED = frozenset(
    [
        "reversed",
        "gzip",
        "rot13",
        "spaced",
        "fold",
        "decimals",
        "list",
        "base85",
        "uuencode",
        "quoted_printable",
        "sed_l",
    ]
)  # as docs/bundles.md says
_AROUND = ("user=anna; key=", "\nthe end of what is around it\n")  # before and behind a secret


class Leak(NamedTuple):
    """What of a secret is left where, and who had printed it."""

    where: str
    tool: str
    secret: str
    part: bytes


def leaks(work: Path, chosen: Sequence[str], tools: Sequence[str] = tuple(TOOLS)) -> Iterator[Leak]:
    """Everything that is left of the ``chosen`` secrets; ``work`` is an empty folder."""
    tools = [name for name in tools if _is_there(TOOLS[name])]
    os.environ["SKERRY_PASSPHRASE"] = "Reede-Wal-0"
    for name in chosen:
        _skerry(work, "secret", "set", name, text=SECRETS[name])
    _skerry(work, "run", str(_definitions(work, tools, chosen)))
    _skerry(work, "export", "1", "-o", str(work / "bundle"))
    _skerry(work, "bundle", "import", str(work / "bundle"), "--name", "case")
    logs = _texts(work / "site" / "instances", "job.log")
    kept = _texts(work / "site" / "cases", "outputs/printed")
    for secret in chosen:
        answer, other = printed(tools, SECRETS[secret]), printed(tools, other_than(SECRETS[secret]))
        for where, text in (("log", logs[secret]), ("bundle", kept[secret])):
            yield from left(where, secret, tools, answer, other, text)


def _is_there(line: str) -> bool:
    needed = {"xxd", "hexdump", "openssl", "jq", "sqlite3", "node", "perl", "curl", "base32", "iconv", "bash"}
    return all(shutil.which(word) for word in re.findall(r"\w+", line) if word in needed)


def script(tools: Sequence[str]) -> str:
    """Prints ``$S`` by every tool, alone and with ``$A`` before and ``$Z`` behind it."""
    texts = ('"$S"', '"$A$S$Z"')
    return "\n".join(f"echo; echo [[[; printf %s {text} | {TOOLS[tool]}" for tool in tools for text in texts)


def printed(tools: Sequence[str], secret: str) -> bytes:
    """What the script prints outside of Skerry."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"A": _AROUND[0], "S": secret, "Z": _AROUND[1]}
        command = ["sh", "-c", script(tools)]
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, check=False)
        return done.stdout


def other_than(secret: str) -> str:
    """A text with the same marks at the same places, and letters of the same size."""
    return "".join(
        c if not c.isalnum() else "Q" if c.isascii() else "ø" if c < "\u0800" else "一" for c in secret
    )


def left(
    where: str, secret: str, tools: Sequence[str], answer: bytes, other: bytes, text: bytes
) -> Iterator[Leak]:
    """What ``text`` still has of the secret's ``answer`` and does not have in common with ``other``."""
    size = min(12, max(len(SECRETS[secret]) - 1, 4))
    for number, (one, two, now) in enumerate(zip(*map(_parts, (answer, other, text)), strict=True)):
        parts = (one[at : at + size] for at in range(len(one) - size + 1))
        found = (part for part in parts if part in now and part[1:-1] not in two and part.strip())
        if (part := next(found, None)) is not None:
            yield Leak(where, tools[number // 2] + " within a text" * (number % 2), secret, part)


def _definitions(work: Path, tools: Sequence[str], chosen: Sequence[str]) -> Path:
    process = f"{{\n{script(tools)}\n}} > outputs/printed\ncat outputs/printed\n"
    params = {"A": _AROUND[0], "Z": _AROUND[1]}
    jobs = {
        name: {"type": "shell", "process": process, "params": params | {"S": {"secret": name}}}
        for name in chosen
    }
    nodes = {name: {"job": name} for name in chosen}
    file = work / "spellings.json"
    file.write_text(json.dumps({"skerry": 1, "jobs": jobs, "tasks": {"spellings": {"nodes": nodes}}}))
    return file


def _texts(folder: Path, name: str) -> dict[str, bytes]:
    """What a job printed, by the secret."""
    found = {path: re.search(r"/job-(\w+)-", str(path)) for path in folder.glob(f"**/jobs/*/{name}")}
    return {match[1]: path.read_bytes() for path, match in found.items() if match}


def _parts(text: bytes) -> list[bytes]:
    return [part.partition(b"\n")[2] for part in text.split(b"[[[")[1:]]


def _skerry(work: Path, *arguments: str, text: str | None = None) -> None:
    done = CliRunner().invoke(
        cli, ["--workspace", str(work / "site"), *arguments], input=text, prog_name="skerry"
    )
    if done.exit_code:
        raise RuntimeError(f"skerry {arguments[0]}: {done.exit_code}\n{done.output[-2000:]}")


def main() -> int:
    """Print what leaks; status 1 if something does that is not said to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--secrets", nargs="+", choices=SECRETS, default=list(SECRETS))
    chosen = parser.parse_args().secrets
    with tempfile.TemporaryDirectory() as folder:
        found = list(leaks(Path(folder), chosen))
    for leak in found:
        known = " (not covered)" if leak.tool.split()[0] in UNCOVERED else ""
        print(f"{leak.where}: {leak.tool} of {leak.secret}{known}: {leak.part!r}")
    bad = sum(leak.tool.split()[0] not in UNCOVERED for leak in found)
    print(f"{len(TOOLS)} tools, {len(chosen)} secrets: {bad} leaks")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
