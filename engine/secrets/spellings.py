"""The ways in which programs write a secret down: as it is, quoted, encoded, and byte by byte."""

from __future__ import annotations

import json
from base64 import b32encode
from binascii import b2a_base64
from collections.abc import Iterable, Iterator
from typing import NamedTuple

SHORTEST = 4  # characters; shorter secrets would blacken harmless text and are not safe anyway
_LINE = 8  # characters; from here on a line of a many-line secret (a key file) is masked by itself
_BROKEN = 8  # bytes; what is shorter may be in any text once its blanks are ignored
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~")
_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 27: "\\E"}
_GLUES = ("", ":", "-", "\\x", "%", ",0x", "0x")  # between the bytes in hexadecimal, besides blanks


class Spellings(NamedTuple):
    """The spellings of secrets, the longest first."""

    plain: tuple[bytes, ...]  # just so
    broken: tuple[bytes, ...]  # with blanks and ends of lines anywhere in it: base64, base32, hexadecimal
    shown: tuple[bytes, ...]  # in the bytes that a dump shows


def spellings(secrets: Iterable[str]) -> Spellings:
    """Every byte string that spells one of ``secrets``."""
    texts = {part for secret in secrets for part in _parts(secret)}
    encoded = {form for text in texts for form in encodings(text)}
    short = {form for form in encoded if SHORTEST <= len(form) < _BROKEN}
    plain = {form for text in texts for form in written(text) if len(form) >= SHORTEST}
    shown = {form for text in texts for form in _shown(text)}
    return Spellings(_sorted(plain | short), _sorted(encoded - short), _sorted(shown))


def _sorted(forms: Iterable[bytes]) -> tuple[bytes, ...]:
    return tuple(
        sorted((form for form in forms if len(form) >= SHORTEST), key=lambda form: (-len(form), form))
    )


def written(secret: str) -> Iterator[bytes]:
    """As ordinary programs write it, within quotes, in URLs, in markup."""
    raw = _raw(secret)
    yield raw
    yield from (secret.encode(name, "surrogatepass") for name in ("utf-16-le", "utf-16-be"))
    yield from _url(raw)
    yield from _quoted(secret)
    yield from _escaped(secret, raw)
    yield from _bytes(secret.replace('"', '""'), secret.replace("'", "''"))  # doubled in CSV and SQL
    yield from _entities(secret)
    yield from _unicode(secret)


def encodings(secret: str) -> Iterator[bytes]:
    """In base64, base32 and hexadecimal, without what programs put between for the eye."""
    raw = _raw(secret)
    for case in ("%02x", "%02X"):
        digits = [case % byte for byte in raw]
        yield from (glue.join(digits).encode() for glue in _GLUES)
    yield from base64(raw)
    yield from wide_base64(secret)
    for offset in range(5):
        whole = b32encode(bytes(offset) + raw)
        first, last = -(-offset * 8 // 5), (offset + len(raw)) * 8 // 5
        yield whole[first:last]
        yield whole[first:].rstrip(b"=")


def base64(raw: bytes) -> Iterator[bytes]:
    """At each of the three offsets within a longer text: what follows from the secret alone, and
    the same where the text ends with the secret."""
    for offset in range(3):
        whole = b2a_base64(bytes(offset) + raw, newline=False)
        first = (offset * 8 + 5) // 6
        certain = whole[first : (offset + len(raw)) * 8 // 6]
        for form in (certain, whole[first:], whole[first:].rstrip(b"=")):
            if len(form) >= SHORTEST:
                yield form
                yield form.replace(b"+", b"-").replace(b"/", b"_")


def wide_base64(secret: str) -> Iterator[bytes]:
    """Base64 of UTF-16. Where every second byte is zero, both orders of bytes are one but for an offset."""
    little = secret.encode("utf-16-le", "surrogatepass")
    if not any(little[1::2]):
        yield from base64(little[:-1])
    else:
        yield from base64(little)
        yield from base64(secret.encode("utf-16-be", "surrogatepass"))


def _raw(secret: str) -> bytes:
    return secret.encode("utf-8", "surrogatepass")


def _shown(secret: str) -> Iterator[bytes]:
    """Its bytes; and as ``od -a`` has them, without the upper bit."""
    for name in ("utf-8", "utf-16-le", "utf-16-be"):
        raw = secret.encode(name, "surrogatepass")
        yield raw
        yield bytes(byte & 0x7F for byte in raw)


def _parts(secret: str) -> Iterator[str]:
    """The secret itself, without blanks around it, and the lines of one that has several."""
    lines = secret.splitlines() if len(secret.splitlines()) > 1 else []
    yield from (text for text in (secret, secret.strip()) if len(text) >= SHORTEST)
    yield from (line.strip() for line in lines if len(line.strip()) >= _LINE)


def _url(raw: bytes) -> Iterator[bytes]:
    for safe in (b"", b"/", b"!*'()", b"*"):  # quote(safe=''), quote(), encodeURIComponent(), forms
        for form in ("%%%02X", "%%%02x"):
            keep = _PLAIN | frozenset(safe)
            quoted = "".join(chr(byte) if byte in keep else form % byte for byte in raw)
            yield quoted.encode()
            yield quoted.replace("%20", "+").encode()
            yield quoted.replace("%", "%25").encode()


def _entities(secret: str) -> Iterator[bytes]:
    """HTML and XML: by name, by number, with and without quotes, all of it or what is not ASCII."""
    named = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    for marks in ("&<>", '&<>"', "&<>\"'"):
        for other in ({"'": "&#39;"}, {"'": "&#x27;"}, {"'": "&apos;"}, {"'": "&#39;", '"': "&#34;"}):
            by_name = {**named, **other}
            quoted = "".join(by_name[c] if c in marks else c for c in secret)
            yield from _bytes(quoted)
            if not secret.isascii():
                for number in ("&#%d;", "&#x%x;", "&#x%X;"):
                    yield from _bytes("".join(c if c.isascii() else number % ord(c) for c in quoted))
        for number in ("&#%d;", "&#x%x;", "&#x%X;"):
            yield from _bytes("".join(number % ord(c) if c in marks else c for c in secret))
    for number in ("&#%d;", "&#x%x;", "&#x%X;"):
        yield from _bytes("".join(number % ord(c) for c in secret))


def _unicode(secret: str) -> Iterator[bytes]:
    """JSON with more as numbers than is needed: Go, PHP (``\\u0026``), .NET (``\\u002B``), or every mark."""
    for form in ("\\u%04x", "\\u%04X"):
        for marks in ("<>&", "<>&'", "<>&'\"", "<>&'\"+", "<>&'\"+`"):
            plain = "".join(c if c in marks else json.dumps(c, ensure_ascii=False)[1:-1] for c in secret)
            yield from _bytes("".join(form % ord(c) if c in marks else c for c in plain))
        yield from _bytes("".join(c if c.isalnum() and c.isascii() else form % ord(c) for c in secret))
        yield from _bytes("".join(form % ord(c) for c in secret))


def _quoted(secret: str) -> Iterator[bytes]:
    """JSON (also within JSON, and with Chinese left as it is), Python and shell spellings."""
    for ascii_only in (True, False):
        once = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield from _bytes(once, once.replace("/", "\\/"))
        yield from _bytes(json.dumps(once, ensure_ascii=ascii_only)[1:-1])
    yield from _bytes(repr(secret)[1:-1], secret.replace("'", "'\"'\"'"), secret.replace("'", "'\\''"))
    plain = "".join(c if c.isalnum() or c in "_-./:=@%+," else "\\" + c for c in secret)
    dollar = "".join(_ESCAPES.get(ord(c), "\\" + c if c in "\\'" else c) for c in secret)
    yield from _bytes(plain, dollar)


def _escaped(secret: str, raw: bytes) -> Iterator[bytes]:
    """With backslashes before quotes (MySQL, ``declare -p``), and by numbers where it is not ASCII (Python,
    git, shells without a locale) or throughout."""
    for marks in ("\\'\"", '\\"$`'):
        yield from _bytes("".join("\\" + c if c in marks else c for c in secret))
    yield from _bytes("".join("\\" + c if c in "\\'\"" else _ESCAPES.get(ord(c), c) for c in secret))
    yield from _bytes(ascii(secret)[1:-1], repr(raw)[2:-1])
    yield "".join(map(_in_octal, raw)).encode()
    yield "".join(f"\\{byte:03o}" for byte in raw).encode()
    yield "".join(map(_visible, raw)).encode()


def _in_octal(byte: int) -> str:
    """As shells show it without a locale: ``$'\\303\\251'``."""
    if byte < 32 or byte > 126:
        return _ESCAPES.get(byte, f"\\{byte:03o}")
    return "\\" + chr(byte) if byte in b"\\'" else chr(byte)


def _visible(byte: int) -> str:
    """As ``cat -v`` shows it."""
    if byte in b"\t\n":
        return chr(byte)
    low = byte & 127
    return "M-" * (byte > 127) + ("^" + chr(low ^ 64) if low < 32 or low == 127 else chr(low))


def _bytes(*texts: str) -> Iterator[bytes]:
    for text in texts:
        yield text.encode("utf-8", "surrogatepass")
