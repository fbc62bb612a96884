"""Reads the forms of secrets and fills each with values made up for it: always the same ones, and no value twice."""

from __future__ import annotations

import base64
import gzip
import html
import json
import random
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

HERE = Path(__file__).parent
_PLACE = re.compile("«([a-z0-9]+)(?::([a-z0-9]+))?»")
_ALNUM = string.ascii_letters + string.digits
_WORDS = [
    "anker",
    "boot",
    "deich",
    "ebbe",
    "flut",
    "hafen",
    "insel",
    "jolle",
    "kabel",
    "lotse",
    "mole",
    "nebel",
    "orkan",
    "pegel",
    "reede",
    "segel",
    "tonne",
    "ufer",
    "wrack",
    "winde",
]

# What people and programs take as passwords; by what the format around them lets through.
_SHAPES = {
    "pw": ["{w}{m}", "{W}!{W}{n}", "{w}-{w}-{w}-{n}", "{x}#{n}q", "$eg{n}%{W}{n}", "{W} & {W} {m}"],
    "pwodd": ["<{W}>*{m},ok", "a;b({W}{m}", "%{w}={m}<&", "{W}, {w}; {m}"],
    "pwshell": ["{w}{m}", "{W}_{W}.{n}", "{x}", "{W}+{W}%{n}", "{W}^{w}!{n}"],
    "pwcolon": ["{w}{m}", "{W}!{W}{n}", "{W}#{n}+{w}", "{x}*{n}L"],
    "pw16": ["{w}{m}{m}{m}{m}", "{x}{x}", "{W}!{W}{m}{m}{m}"],
    "tok": ["{x}{x}{x}{x}", "{h}{h}{h}{h}{h}", "{x}_{x}-{x}{x}{x}", "{h}-{m}-{m}-{h}{m}"],
    "license": ["{L}-{L}-{L}-{L}-{L}", "{L}{L}-{L}{L}"],
}
_ALPHABETS = {
    "alnum": _ALNUM, "b64url": _ALNUM + "-_", "base": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "bech": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "digits": string.digits, "hex": "0123456789abcdef", "hexupper": "0123456789ABCDEF", "pem": _ALNUM + "+/", "akia": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "aws": _ALNUM + "+/", "b": _ALNUM + "+/",
}  # fmt: skip
_SPELLINGS: dict[str, Callable[[str], str]] = {
    "": str,
    "b64": lambda text: _base64(text),
    "basic": lambda text: _base64("svc:" + text),
    "sasl": lambda text: _base64("\0svc\0" + text),
    "url": lambda text: quote(text, safe=""),
    "json": lambda text: json.dumps(text)[1:-1],
    "xml": lambda text: html.escape(text, quote=True),
    "sql": lambda text: text.replace("'", "''"),
    "csv": lambda text: '"' + text.replace('"', '""') + '"' if set(text) & set(',;" ') else text,
    "pystr": lambda text: text.replace("\\", "\\\\").replace("'", "\\'"),
    "shq": lambda text: text.replace("'", "'\\''"),
    "yaml": lambda text: json.dumps(text) if text[0] in "%&*!<$" or " " in text or "#" in text else text,
}


@dataclass(frozen=True)
class Case:
    """One text with accidental secrets."""

    name: str  # program/form, and which filling
    where: str  # log, json, param, env or the name of a result
    text: str
    secrets: tuple[str, ...]  # as they are
    spelled: tuple[str, ...]  # as the text has them

    @property
    def program(self) -> str:
        """What writes so."""
        return self.name.partition("/")[0]


def cases(file: str, fillings: int = 2) -> list[Case]:
    """Every form of a file, each filled so many times."""
    blocks = re.split(r"^## ", (HERE / file).read_text("utf-8"), flags=re.MULTILINE)[1:]
    return [_case(block, filling) for block in blocks for filling in range(fillings)]


def harmless() -> Iterator[tuple[bool, str]]:
    """Lines of logs and documents, and whether one must stay to the letter (or has names that may be exchanged)."""
    for line in gzip.decompress((HERE / "harmless.txt.gz").read_bytes()).decode().split("\n"):
        if line:
            yield line[0] == "=", line[2:]


def _case(block: str, filling: int) -> Case:
    head, text = block.split("\n", 1)
    name, where = head.split(maxsplit=1)
    chance = random.Random(f"{name} {filling}")
    secrets: list[str] = []
    spelled: list[str] = []

    def fill(place: re.Match[str]) -> str:
        kind, spelling = place.groups()
        margin = place.string[place.string.rfind("\n", 0, place.start()) + 1 : place.start()]
        values = _values(kind, chance, filling)
        secrets.extend(values)
        spelled.extend(_SPELLINGS[spelling or ""](value) for value in values)
        return ("\n" + margin).join(spelled[-len(values) :])

    text = _PLACE.sub(fill, text)
    return Case(f"{name} {filling + 1}", where, text, tuple(secrets), tuple(spelled))


def _values(kind: str, chance: random.Random, filling: int) -> list[str]:
    if kind in ("pemlines", "pemlines4", "hexlines"):
        return [
            _of("hex" if kind == "hexlines" else "pem", 32 if kind == "hexlines" else 64, chance)
            for _ in range(4)
        ]
    return [_value(kind, chance, filling)]


def _value(kind: str, chance: random.Random, filling: int) -> str:
    if shapes := _SHAPES.get(kind):
        value = _shaped(shapes[(filling + 2 * chance.randrange(3)) % len(shapes)], chance)
        return value[:16].ljust(16, "7") if kind == "pw16" else value
    if made := _MADE.get(kind):
        return made(chance)
    name, size, upper = re.fullmatch(r"(b64url|[a-z]+?)(\d+)(upper)?", kind).groups()  # type: ignore[union-attr]
    return _of(name + (upper or ""), int(size), chance)


def _shaped(shape: str, chance: random.Random) -> str:
    sorts: dict[str, Callable[[], str]] = {
        "w": lambda: chance.choice(_WORDS),
        "W": lambda: chance.choice(_WORDS).capitalize(),
        "n": lambda: _of("digits", 2, chance),
        "m": lambda: _of("digits", 4, chance),
        "x": lambda: _of("alnum", 8, chance),
        "h": lambda: _of("hex", 8, chance),
        "L": lambda: _of("base", 5, chance),
    }
    return re.sub(r"\{(\w)\}", lambda part: sorts[part[1]](), shape)


def _of(alphabet: str, size: int, chance: random.Random) -> str:
    return "".join(chance.choice(_ALPHABETS[alphabet]) for _ in range(size))


def _jwt(chance: random.Random) -> str:
    parts = [
        b'{"alg":"HS256","typ":"JWT"}',
        json.dumps({"sub": _of("digits", 9, chance), "iat": 1763805600}).encode(),
    ]
    parts = [base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts]
    return b".".join(parts).decode() + "." + _of("b64url", 43, chance)


def _uuid(chance: random.Random) -> str:
    return "-".join(_of("hex", size, chance) for size in (8, 4, 4, 4, 12))


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


_MADE: dict[str, Callable[[random.Random], str]] = {
    "jwt": _jwt,
    "uuid": _uuid,
    "b64": lambda chance: _of("b", 42, chance) + "Q=",
    "b64long": lambda chance: _of("b", 158, chance) + "Q=",
    "wg": lambda chance: _of("b", 42, chance) + "E=",
    "akia": lambda chance: "AKIA" + _of("akia", 16, chance),
    "aws40": lambda chance: _of("aws", 40, chance),
    "pem": lambda chance: _of("pem", 128, chance),
    "pemline": lambda chance: _of("pem", 64, chance),
    "hexcolon": lambda chance: ":".join(_of("hex", 2, chance) for _ in range(15)),
    "base32": lambda chance: _of("base", 32, chance),
    "bech58": lambda chance: _of("bech", 58, chance),
}
