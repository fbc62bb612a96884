"""The corpus: forms with place-holders for secrets, filled from a seed; a form's text is what a program writes or reads.

A file of forms has ``## name`` lines, each followed by a text. ``<<pw>>`` and the like are filled with random values
(``_KINDS``); the same place-holder twice in one form is the same value.
"""

from __future__ import annotations

import base64
import gzip
import random
import re
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
_ALNUM = string.ascii_letters + string.digits
_HOLDER = re.compile(r"<<([a-z]+(?:64[a-z]*)?)(\d?)>>")


class Sample(NamedTuple):
    """A text with secrets in it."""

    form: str
    text: str
    secrets: tuple[str, ...]


def _of(alphabet: str, low: int, high: int) -> Callable[[random.Random], str]:
    return lambda rng: "".join(rng.choices(alphabet, k=rng.randint(low, high)))


def _password(marks: str) -> Callable[[random.Random], str]:
    """Letters, digits and at least one of the marks in the middle."""

    def made(rng: random.Random) -> str:
        letters = rng.choices(_ALNUM, k=rng.randint(8, 14))
        letters[rng.randint(2, 5)] = rng.choice(marks)
        letters[1] = rng.choice(string.digits)
        return rng.choice(string.ascii_letters) + "".join(letters)

    return made


def _first(marks: str) -> Callable[[random.Random], str]:
    inner = _password("!#+-_")
    return lambda rng: rng.choice(marks) + inner(rng)


def _base64(low: int, high: int) -> Callable[[random.Random], str]:
    return lambda rng: base64.b64encode(rng.randbytes(rng.randint(low, high))).decode()


def _lines(width: int, count: int) -> Callable[[random.Random], str]:
    def made(rng: random.Random) -> str:
        return "\n".join(base64.b64encode(rng.randbytes(width * 3 // 4)).decode() for _ in range(count))

    return made


_KINDS: dict[str, Callable[[random.Random], str]] = {
    "pw": _password("!#+-_.~^"),  # as most programs take it
    "hard": _password(",;(/@:&?"),  # with what separates in some formats
    "odd": _first("$%<*"),  # begins like a place-holder
    "url": _password("/@:"),
    "low": _of(string.ascii_lowercase + string.digits, 10, 16),
    "word": _of(string.ascii_lowercase, 9, 12),
    "cap": _of(string.ascii_uppercase + string.digits, 16, 16),
    "num": _of(string.digits, 8, 8),
    "hex": _of("0123456789abcdef", 32, 32),
    "hexlong": _of("0123456789abcdef", 64, 64),
    "alnum": _of(_ALNUM, 24, 24),
    "alnumlong": _of(_ALNUM, 40, 40),
    "b64": _base64(18, 32),
    "b64key": _base64(32, 32),
    "b64long": _base64(64, 64),
    "urlsafe": _of(_ALNUM + "-_", 43, 43),
    "key": _lines(64, 6),
    "phrase": lambda rng: (
        " ".join(_of(string.ascii_lowercase, 4, 7)(rng) for _ in range(4)) + str(rng.randint(10, 99))
    ),
}


def samples(name: str, each: int, seed: int = 1) -> Iterator[Sample]:
    """Every form of a file, ``each`` times."""
    text = (FOLDER / f"{name}.txt").read_text("utf-8")
    for part in re.split(r"(?m)^## ", text)[1:]:
        title, _, template = part.partition("\n")
        for number in range(each):
            yield _filled(title.strip(), template, random.Random(f"{seed} {title} {number}"))


def _filled(title: str, template: str, rng: random.Random) -> Sample:
    values: dict[str, str] = {}

    def value(match: re.Match[str]) -> str:
        return values.setdefault(match[0], _KINDS[match[1]](rng))

    text = _HOLDER.sub(value, template)
    secrets = tuple(line for each in values.values() for line in each.splitlines())
    return Sample(title, text, secrets)


def harmless() -> list[str]:
    """Ten thousand lines of real programs' output without a secret in them."""
    return gzip.decompress((FOLDER / "harmless.txt.gz").read_bytes()).decode("utf-8").splitlines()
