"""No secret leaves in any encoding, wherever the bytes are cut; harmless text is left alone."""

from __future__ import annotations

import base64
import html
import json
import re
import shlex
import shutil
import subprocess
import urllib.parse
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.message import Message
from engine.secrets.mask_stream import MASK
from engine.secrets.masking import MASKED, ValueMasker
from engine.secrets.spellings import spellings
from tests.effort import effort

SECRET = "p@ss 'w\"ö/rd\\马+$"
ENCODED = {
    "raw": SECRET,
    "url": quote(SECRET, safe=""),
    "url with slashes": quote(SECRET),
    "url in lower case": quote(SECRET, safe="").lower().replace("ö", "%c3%b6"),
    "form": quote_plus(SECRET),
    "json": json.dumps(SECRET)[1:-1],
    "json as it is": json.dumps(SECRET, ensure_ascii=False)[1:-1],
    "json in json": json.dumps(json.dumps(SECRET))[3:-3],
    "shell": shlex.quote(SECRET)[1:-1],
    "python": repr(SECRET)[1:-1],
    "hex": SECRET.encode().hex(),
    "HEX": SECRET.encode().hex().upper(),
    "base64": base64.b64encode(SECRET.encode()).decode(),
    "base64url": base64.urlsafe_b64encode(SECRET.encode()).decode(),
}

secrets = st.text(st.characters(codec="utf-8"), min_size=4, max_size=12)
small = st.text("ab", min_size=4, max_size=7)
cuts = st.lists(st.integers(0, 200), max_size=12)


def _whole(masker: ValueMasker, data: bytes) -> bytes:
    return _in_pieces(masker, data, [])


def _in_pieces(masker: ValueMasker, data: bytes, places: list[int]) -> bytes:
    stream, out, start = masker.stream(), b"", 0
    for place in (*sorted(place % (len(data) + 1) for place in places), len(data)):
        out += stream.feed(data[start:place])
        start = place
    return out + stream.close()


@pytest.mark.parametrize("form", ENCODED)
def test_every_encoding_is_masked(form: str) -> None:
    masked = ValueMasker([SECRET]).text(f"before <{ENCODED[form]}> after")

    assert masked == f"before <{MASKED}> after"


@pytest.mark.parametrize("user", ["u", "us", "usr"])
def test_base64_of_a_longer_text_is_masked_at_every_offset(user: str) -> None:
    header = base64.b64encode(f"{user}:{SECRET}".encode()).decode()

    masked = ValueMasker([SECRET]).text(header)

    assert masked.endswith(MASKED)
    assert len(masked) <= len(user) + 4 + len(MASKED)


@given(secrets, st.binary(max_size=20), st.binary(max_size=20))
def test_no_secret_is_found_in_base64_with_anything_around_it(
    secret: str, before: bytes, after: bytes
) -> None:
    text = base64.b64encode(before + secret.encode() + after).decode()

    assert MASKED in ValueMasker([secret]).text(text)


@given(st.lists(secrets, min_size=1, max_size=3), st.data(), cuts)
def test_where_the_bytes_are_cut_makes_no_difference(
    values: list[str], data: st.DataObject, places: list[int]
) -> None:
    masker, forms = ValueMasker(values), spellings(values)
    known = (*forms.plain, *forms.broken, *map(_dumped, forms.shown), b"\n", b" ")
    pieces = data.draw(st.lists(st.one_of(st.sampled_from(known), st.binary(max_size=9)), max_size=8))
    text = data.draw(st.sampled_from([b"", b" ", b"\n"])).join(pieces)

    assert _in_pieces(masker, text, places) == _whole(masker, text)


def _dumped(shown: bytes) -> bytes:
    rows = (shown[at : at + 5] for at in range(0, len(shown), 5))
    return b"".join(f"\n{number:08x}: {row.hex(' ', 2)}  {row!r}".encode() for number, row in enumerate(rows))


@given(st.lists(small, min_size=1, max_size=4), st.text("abc", max_size=60), cuts)
def test_overlapping_secrets_leave_nothing_whatever_the_cuts(
    values: list[str], text: str, places: list[int]
) -> None:
    masker = ValueMasker(values)

    out = _in_pieces(masker, text.encode(), places)

    assert out == _whole(masker, text.encode())
    assert out.replace(MASK, b"") == _uncovered(values, text)


def _uncovered(values: list[str], text: str) -> bytes:
    """By brute force: the letters that belong to no occurrence of any value."""
    covered = {
        place
        for value in values
        for start in range(len(text))
        if text.startswith(value, start)
        for place in range(start, start + len(value))
    }
    return "".join(letter for place, letter in enumerate(text) if place not in covered).encode()


@given(secrets, st.text())
def test_text_without_the_secret_is_the_same_object(secret: str, text: str) -> None:
    masker = ValueMasker([secret])
    masked = masker.text(text)

    assert masked is text or MASKED in masked


def test_one_byte_at_a_time_is_masked_and_live() -> None:
    stream = ValueMasker(["hunter2-Secret"]).stream()

    out = [stream.feed(bytes([byte])) for byte in b"say hunter2-Secret now, hunt"]

    assert b"".join(out) == b"say ****** now, "
    assert out[0] == b"s"
    assert stream.close() == b"hunt"


def test_neighbours_are_two_masks_and_overlaps_one() -> None:
    masker = ValueMasker(["abcd", "cdef"])

    assert masker.text("abcdabcd") == MASKED + MASKED
    assert masker.text("abcdef") == MASKED


def test_the_longer_of_two_secrets_leaves_no_tail() -> None:
    assert ValueMasker(["secret", "secret-longer"]).text("a secret-longer b") == f"a {MASKED} b"


def test_each_line_of_a_key_is_masked_also_when_indented() -> None:
    key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\nzzzzzzzzzzzz\n-----END KEY-----\n"

    masked = ValueMasker([key]).text("  MIIEvQIBADANBg\r\n  zzzzzzzzzzzz\r\n")

    assert masked == f"  {MASKED}\r\n  {MASKED}\r\n"


def test_a_secret_read_from_a_file_is_masked_without_its_line_end_too() -> None:
    assert ValueMasker(["hunter2\n"]).text("is hunter2 here") == f"is {MASKED} here"


def test_a_short_secret_is_masked_as_a_whole_value_only() -> None:
    masker = ValueMasker(["abc"])

    assert masker.text("abc") == MASKED
    assert masker.text("abcdef abc") == "abcdef abc"


def test_a_tree_is_masked_in_keys_texts_and_numbers() -> None:
    tree: dict[str, Any] = {"a": ["the 1234567 is", 1234567, 7, True, None], "1234567": {"x": ("1234567",)}}

    masked = ValueMasker(["1234567"]).value(tree)

    assert masked == {"a": [f"the {MASKED} is", MASKED, 7, True, None], MASKED: {"x": [MASKED]}}
    assert tree["a"][1] == 1234567


def test_without_secrets_nothing_is_copied() -> None:
    tree: dict[str, Any] = {"a": [1]}

    assert ValueMasker().value(tree) is tree
    assert not ValueMasker([""])
    assert ValueMasker().stream().feed(b"text") == b"text"


def test_many_secrets_in_nine_encodings_leave_nothing() -> None:
    values = [f"S3cr&t/{number:04d}\"'{number * 7919}" for number in range(effort(60, all=200))]
    lines = [form for value in values for form in _nine(value)]

    masked = ValueMasker(values).text("\n".join(lines))

    assert set(masked.split("\n")) == {MASKED}


def _nine(value: str) -> list[str]:
    raw = value.encode()
    return [
        value,
        quote(value, safe=""),
        quote_plus(value),
        json.dumps(value)[1:-1],
        shlex.quote(value)[1:-1],
        raw.hex(),
        raw.hex().upper(),
        base64.b64encode(raw).decode(),
        base64.urlsafe_b64encode(raw).decode(),
    ]


_HARD = "p&s'w\"o<r>d +Q7/x"
SPELLINGS = {
    "csv": lambda s: '"' + s.replace('"', '""') + '"',
    "sql": lambda s: "'" + s.replace("'", "''") + "'",
    "html": html.escape,
    "html by number": lambda s: html.escape(s, quote=False).replace('"', "&#34;").replace("'", "&#39;"),
    "xml by number": lambda s: "".join(f"&#{ord(c)};" if c in "&<>\"'" else c for c in s),
    "go json": lambda s: (
        json.dumps(s).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    ),
    "form": lambda s: urllib.parse.urlencode({"p": s}),
    "percent, small letters": lambda s: re.sub("%..", lambda m: m[0].lower(), urllib.parse.quote(s, safe="")),
    "percent twice": lambda s: urllib.parse.quote(urllib.parse.quote(s, safe="")),
    "every byte by percent": lambda s: "".join(f"%{b:02X}" for b in s.encode()),
    "powershell": lambda s: base64.b64encode(s.encode("utf-16-le")).decode(),
    "hex with blanks": lambda s: s.encode().hex(" "),
    "octal": lambda s: "".join(f"\\{b:03o}" for b in s.encode()),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_more_spellings_are_masked_in_live_output(spelling: str) -> None:
    stream = ValueMasker([_HARD]).stream()
    written = SPELLINGS[spelling](_HARD)
    done = stream.feed(f"before {written} behind".encode()) + stream.close()
    assert b"******" in done
    assert not [part for part in re.findall(r"[\w%;&]{12,}", written) if part.encode() in done]


@pytest.mark.parametrize(
    "command",
    [
        "xxd",
        "xxd -p",
        "xxd -i",
        "hexdump",
        "hexdump -C",
        "hexdump -b",
        "od",
        "od -An -tx1",
        "base64",
        "base64 -w 9",
    ],
)
@pytest.mark.parametrize("secret", ["hunter2-Secret77", "a-Key-Of-26-Letters-0123xy", "Z9" * 40])
def test_dumps_of_a_secret_by_real_programs_are_masked(command: str, secret: str) -> None:
    if shutil.which(command.split()[0]) is None:
        pytest.skip(f"{command.split()[0]} is not installed")
    output = subprocess.run(command.split(), input=secret.encode(), stdout=subprocess.PIPE, check=True).stdout
    stream = ValueMasker([secret]).stream()
    done = stream.feed(output) + stream.close()
    assert done.count(b"******") >= 1
    digits = re.sub(rb"[^0-9a-f]", b"", b"".join(line[8:] for line in done.splitlines(keepends=True)))
    assert secret[:6].encode().hex().encode() not in digits
    assert base64.b64encode(secret.encode())[:20] not in done


def test_what_a_message_is_made_from_is_masked_too() -> None:
    inner = Message.of("there is no worker {name!r}", name="hunter2222")

    found = ValueMasker(["hunter2222"]).value({"error": Message.of("job 'a': {message}", message=inner)})

    assert found["error"] == "job 'a': there is no worker '******'"
    assert found["error"].facts["message"].facts == {"name": "******"}
    assert "hunter2222" not in json.dumps(found["error"].to_json())
