"""What must not leave a site does not, and what is harmless stays as it is."""

from __future__ import annotations

import base64
import html
import json
import random
import shlex
import shutil
import string
import subprocess
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.context.line import read_line, seal
from engine.runtime.clock import SystemClock
from export_import.keys import Keys
from export_import.redaction import leak_scanner, windows
from export_import.redaction.inventory import Inventory
from export_import.redaction.literals import Literals
from export_import.redaction.pseudonyms import Pseudonyms
from export_import.redaction.redactor import Redactor
from export_import.redaction.stored_secrets import forms_of
from tests.effort import effort

NAMES = Inventory(
    frozenset({"db01.customer.local", "db01", "plant-7"}), frozenset({"customer.local"}), frozenset({"lihua"})
)
NOBODY = Inventory(frozenset(), frozenset(), frozenset())
ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "raw": lambda raw: raw,
    "url": lambda raw: urllib.parse.quote(raw, safe="").encode(),
    "json": lambda raw: json.dumps(raw.decode()).encode(),
    "shell": lambda raw: shlex.quote(raw.decode()).encode(),
    "hex": lambda raw: raw.hex().encode(),
    "html": lambda raw: html.escape(raw.decode()).encode(),
    "base64": base64.b64encode,
    "base64 behind one": lambda raw: base64.b64encode(b"u" + raw),
    "base64 behind two": lambda raw: base64.b64encode(b"u:" + raw),
}


def secrets_of(seed: int, count: int = 200) -> list[str]:
    """Secrets of many shapes: words, tokens, with quotes, blanks, Chinese, and of many lines."""
    rng = random.Random(seed)
    letters = string.ascii_letters + string.digits
    shapes = [
        lambda: "".join(rng.choices(letters, k=rng.randint(8, 32))),
        lambda: "".join(rng.choices(letters + "!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~\\", k=rng.randint(8, 24))),
        lambda: "密码" + "".join(rng.choices(letters, k=8)) + "！",
        lambda: "".join(rng.choices(letters, k=9)) + " " + "".join(rng.choices(letters, k=9)),
        lambda: str(rng.randint(10**8, 10**14)),
    ]
    return [shapes[number % len(shapes)]() for number in range(count)]


def redactor(tmp_path: Path, secrets: list[str], names: Inventory = NOBODY) -> Redactor:
    tmp_path.mkdir(exist_ok=True)
    keys = Keys(tmp_path, SystemClock())
    return Redactor(frozenset(secrets), names, Pseudonyms(keys))


@pytest.fixture
def plain(tmp_path: Path) -> Redactor:
    return redactor(tmp_path, ["s3cr3t-Value-1"], NAMES)


def over(found: Redactor, text: str) -> str:
    return b"".join(found.over("bytes", [text.encode()])).decode()


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_two_hundred_secrets_in_nine_encodings_are_gone_wherever_the_pieces_end(
    tmp_path: Path, size: int
) -> None:
    secrets = secrets_of(size)
    planted = [code(each.encode()) for each in secrets for code in ENCODINGS.values()]
    text = b"".join(b"line %d value <" % number + each + b"> end\n" for number, each in enumerate(planted))
    found = redactor(tmp_path, secrets)

    done = b"".join(found.over("bytes", (text[at : at + size] for at in range(0, len(text), size))))

    looking = leak_scanner.LeakScanner(secrets)
    assert looking.first_leak(done) is None
    assert not [each for each in planted if len(each) > 8 and each in done]
    assert done.count(b"\n") == text.count(b"\n")


def test_secrets_are_found_across_the_edges_of_windows(tmp_path: Path) -> None:
    secret = "edge-Secret-0123456789"
    found = redactor(tmp_path, [secret])
    for offset in (-30, -20, -10, -1, 0, 1):
        filler = b"x" * ((1 << 20) + offset)
        done = b"".join(found.over("bytes", [filler, secret.encode(), b"y" * (2 << 20), secret.encode()]))
        assert secret.encode() not in done
        assert done.count(b"******") == 2


@pytest.mark.parametrize("end", ["\n", " "], ids=["lines", "one line"])
def test_redaction_does_not_depend_on_how_the_bytes_arrive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(windows, "_WINDOW", 32 << 10)  # more edges in less text
    found = redactor(tmp_path, ["s3cr3t-Value-1"], NAMES)
    text = (f"x db01 10.2.3.4 password=hunter22 s3cr3t-Value-1{end}" * 1500).encode()

    whole = b"".join(found.over("bytes", [text]))

    for size in (9973, 1009):
        assert (
            b"".join(found.over("bytes", (text[at : at + size] for at in range(0, len(text), size)))) == whole
        )
    assert b"db01" not in whole
    assert b"hunter22" not in whole


@pytest.mark.parametrize("size", [100_000, 480 << 10, 2 << 20])
def test_the_columns_of_a_long_table_are_masked_to_its_end(tmp_path: Path, size: int) -> None:
    found = redactor(tmp_path, [])
    rows = "".join(
        f"{number},clerk{number},pw{number}x{number * 7919 % 10007}Q,town\n" for number in range(36_000)
    )
    text = f"first,line,of another\n\nid,name,password,city\n{rows}\nid,pw1x2Q\n".encode()

    done = b"".join(found.over("bytes", (text[at : at + size] for at in range(0, len(text), size))))

    assert done.count(b"******") == 36_000
    assert done.endswith(b",******,town\n\nid,pw1x2Q\n")
    assert done.count(b"\n") == text.count(b"\n")


def test_beside_the_secret_cells_of_a_table_everything_else_is_found(tmp_path: Path) -> None:
    found = redactor(tmp_path, ["s3cr3t-Value-1"], NAMES)
    table = "name,password,url\na,x1yyyyyy,postgres://u:pw77wpzz@db01/x\nc,,AKIAIOSFODNN7EXAMPLE\nd,q1q1q1,s3cr3t-Value-1\n"

    done = over(found, table)

    for secret in ("x1yyyyyy", "pw77wpzz", "db01", "AKIA", "q1q1q1", "s3cr3t"):
        assert secret not in done
    assert done.startswith("name,password,url\na,******,postgres://u:******@")


@given(st.lists(st.binary(min_size=7, max_size=40), min_size=1, max_size=6), st.data())
@settings(max_examples=effort(25, all=40), deadline=None)
def test_in_a_long_text_literals_are_found_wherever_they_stand(
    forms: list[bytes], data: st.DataObject
) -> None:
    text = bytearray(b"2026-11-21 INFO batch 77 status=ok\n" * 500)
    for form in forms:
        place = data.draw(st.integers(0, len(text) - len(form)))
        text[place : place + len(form)] = form
    whole = bytes(text)

    found = [(start, stop) for start, stop, _ in Literals(forms, lambda: b"*")(whole)]

    standing = {at for form in forms for at in range(len(whole)) if whole.startswith(form, at)}
    assert all(any(start <= at < stop for start, stop in found) for at in standing)
    assert all(whole[start:stop].startswith(tuple(forms)) for start, stop in found)


@given(st.text(min_size=4, max_size=30), st.integers(0, 2000), st.data())
@settings(max_examples=effort(30, all=600), deadline=None)
def test_the_second_look_sees_every_encoding_at_every_place(
    secret: str, place: int, data: st.DataObject
) -> None:
    form = data.draw(st.sampled_from(sorted(leak_scanner.encodings(secret))))
    text = b"x" * place + form + b"y" * 2000

    assert leak_scanner.LeakScanner([secret]).first_leak(text) is not None
    assert leak_scanner.LeakScanner(["another-Secret-1"]).first_leak(b"x" * place + b"y" * 2000) is None


@pytest.mark.parametrize("fill", [b"", b"-" * 40_000])
def test_what_looks_like_a_secret_may_hold_a_known_one(tmp_path: Path, fill: bytes) -> None:
    found = redactor(tmp_path, ["s3cr3t-Value-1"], NAMES)
    text = (
        b"a s3cr3t-Value-1 https://u:s3cr3t-Value-1@db01/x password=s3cr3t-Value-1z 10.2.3.4 s3cr3t-Value-1"
    )

    first = found.text("10.2.3.4").encode()
    done = b"".join(found.over("bytes", [text, fill]))

    start = b"a ****** https://u:******@host-"
    assert done.startswith(start)
    assert done[len(start) + 6 :] == b"/x password=****** " + first + b" ******" + fill


@given(st.text(min_size=8, max_size=40).filter(lambda text: len(text.strip()) >= 8))
@example("000000''")
@settings(max_examples=effort(30, all=600), deadline=None)
def test_what_the_second_look_searches_the_first_has_taken_out(secret: str) -> None:
    forms = forms_of([secret])
    assert all(any(known in each for known in forms) for each in leak_scanner.encodings(secret))


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("password=Tr0ub4dor", "Tr0ub4dor"),
        ('{"apiKey": "9f8e7d6c5b"}', "9f8e7d6c5b"),
        (r'"{\"apiKey\": \"9f8e7d6c5b\"}"', "9f8e7d6c5b"),
        ("postgresql://app:geheim77@db/x", "geheim77"),
        ("Authorization: Bearer abcdefghijklmnop", "abcdefghijklmnop"),
        ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
        ("curl --password hunter2222 x", "hunter2222"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4fw", "SflKxwRJSMeKKF2QT4fw"),
        ("key AKIAIOSFODNN7EXAMPLE.", "AKIAIOSFODNN7EXAMPLE"),
        ("root:$6$abcdefgh$0123456789abcdefghijklmnop:19000", "0123456789abcdefghijklmnop"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabcd\n-----END RSA PRIVATE KEY-----\n", "MIIE"),
        ("token: 'zz-11-yy-22'", "zz-11-yy-22"),
        ("client_secret=abc123def", "abc123def"),
    ],
)
def test_what_looks_like_a_secret_is_masked(plain: Redactor, text: str, gone: str) -> None:
    done = over(plain, text)
    assert gone not in done
    assert "******" in done


def test_ten_thousand_harmless_lines_stay_as_they_are(plain: Redactor) -> None:
    lines = list(harmless(10_000))
    done = over(plain, "\n".join(lines)).split("\n")
    altered = [(before, after) for before, after in zip(lines, done, strict=True) if before != after]
    assert len(altered) <= 10, altered[:20]


def harmless(count: int) -> Iterator[str]:
    rng = random.Random(7)
    words = [
        "load",
        "file",
        "table",
        "rows",
        "index",
        "cache",
        "commit",
        "worker",
        "queue",
        "retry",
        "batch",
        "token",
        "password",
        "secret",
        "key",
    ]
    makers: list[Callable[[], str]] = [
        lambda: f"2026-11-21 14:38:{rng.randint(0, 59):02d},123 INFO {' '.join(rng.choices(words, k=6))}",
        lambda: f"tokens: {rng.randint(1, 9999)} used, max_tokens={rng.randint(1, 9999)}",
        lambda: "password: expected",
        lambda: "Enter password:",
        lambda: "the secret of good code is tests; tokens are cheap",
        lambda: f'File "/opt/app/x{rng.randint(1, 99)}.py", line {rng.randint(1, 999)}, in run',
        lambda: (
            f"skerry version {rng.randint(1, 9)}.{rng.randint(0, 20)}.{rng.randint(0, 99)}.{rng.randint(1, 9)}"
        ),
        lambda: f"std::vector<int>::at: index {rng.randint(1, 99)} std::abs a::b",
        lambda: f"sha256 {rng.getrandbits(256):064x}",
        lambda: f"id {rng.getrandbits(128):032x} {base64.b64encode(rng.randbytes(24)).decode()}",
        lambda: f"127.0.0.1:{rng.randint(1024, 9999)} GET /index.html 200 {rng.random() * 100:.3f} ms",
        lambda: f"took 12:34:{rng.randint(10, 59)} of 1:02:03, ratio 3.14.15",
        lambda: "SELECT id, token FROM t WHERE password IS NOT NULL",
        lambda: f"row {rng.randint(1, 10**9)}; status=ok; secret=true; token=null",
        lambda: "https://example.com/path?x=1#y mailto:someone@example.com",
        lambda: "中文日志：加载完成，共 3 行",
    ]
    for number in range(count):
        yield makers[number % len(makers)]()


def test_names_are_the_same_everywhere_and_translate_back(tmp_path: Path) -> None:
    found = redactor(tmp_path, [], NAMES)
    text = "lihua on DB01 (db01.customer.local, 10.20.30.40, fe80::1ff:fe23:4567:890a) mail li@customer.local"
    done = over(found, text)
    again = over(found, "connect 10.20.30.40 as lihua to db01")

    assert not [each for each in ("lihua", "db01", "DB01", "10.20.30.40", "customer") if each in done]
    host = next(each for each in again.split() if each.startswith("host-"))
    assert host in done
    assert "198.1" in again
    found.save()
    names = Pseudonyms(Keys(tmp_path, SystemClock()))
    assert names.translate(again) == "connect 10.20.30.40 as lihua to db01"
    assert (tmp_path / "keys" / "pseudonyms.json").stat().st_mode & 0o777 == 0o600


def test_another_site_gives_other_names(tmp_path: Path) -> None:
    one, two = redactor(tmp_path / "one", [], NAMES), redactor(tmp_path / "two", [], NAMES)
    assert over(one, "db01") != over(two, "db01")


def test_a_context_line_is_redacted_as_a_tree_and_gets_a_sum_of_its_own(plain: Redactor) -> None:
    body = '{"seq":1,"time":"t","run":1,"actor":"lihua","path":"$.JOB[\'db01\']","new":{"URL":"http://db01/s3cr3t-Value-1"}'
    line = seal(body).encode() + b"\n"
    (done,) = plain.over("lines", [line])
    record = read_line(bytes(done).rstrip(b"\n"))
    assert record["path"] == "$.JOB['db01']"
    assert record["new"]["URL"].endswith("/******")
    assert "db01" not in record["new"]["URL"]
    assert record["actor"].startswith("user-")


def test_json_without_anything_to_take_out_stays_byte_for_byte(plain: Redactor) -> None:
    data = b'{ "a" :  1.50, "b": ["x"] }\n'
    assert b"".join(plain.over("json", [data])) == data


def test_a_secret_that_is_a_number_is_masked_in_json(tmp_path: Path) -> None:
    found = redactor(tmp_path, ["31415926535"])
    assert b"".join(found.over("json", [b'{"pin":31415926535,"n":1}'])) == b'{"pin":"******","n":1}'


def test_without_redaction_nothing_changes(tmp_path: Path) -> None:
    found = Redactor(frozenset(), None, None)
    assert b"".join(found.over("bytes", [b"password=hunter22"])) == b"password=hunter22"
    assert found.text("10.1.2.3") == "10.1.2.3"


def test_a_small_json_file_is_looked_at_once(tmp_path: Path) -> None:
    found = redactor(tmp_path, ["31415926"], NAMES)
    data = '{"mac": "00:1b:44:11:3a:b7", "db01": [{"path": "/home/lihua"}, 131415926, "{\\"node\\": \\"db01\\"}"]}'

    done = json.loads(over(found, data))

    host, user = found.text("db01"), found.text("lihua")
    assert done["mac"] == found.text("00:1b:44:11:3a:b7")
    assert done[host] == [{"path": f"/home/{user}"}, "******", f'{{"node":"{host}"}}']


@pytest.mark.parametrize("before", range(0, 17, 4))
@pytest.mark.parametrize("command", ["xxd", "hexdump", "od -c", "base64 -w 10", "base32 -w 12"])
def test_dumps_in_a_file_show_no_secret_wherever_it_begins(tmp_path: Path, command: str, before: int) -> None:
    if shutil.which(command.split()[0]) is None:
        pytest.skip(f"{command.split()[0]} is not installed")
    found = redactor(tmp_path, ["hunter2-Secret of 77"])
    shown, other = (
        subprocess.run(command.split(), input=text, stdout=subprocess.PIPE, check=True).stdout
        for text in (b"x" * before + b"hunter2-Secret of 77", b"x" * before + b"~~~~~~~~~~~~~~~~~~~~")
    )

    done = b"".join(found.over("bytes", [b"a log\n", shown, b"its end\n"]))

    parts = (shown[at : at + 8] for at in range(len(shown) - 7))
    assert not [part for part in parts if part in done and part[1:-1] not in other]
    assert done.startswith(b"a log\n")
    assert done.endswith(b"its end\n")
