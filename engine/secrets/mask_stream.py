"""Copies a job's two output pipes into its log files with every known secret masked; a process of its own.

``python -I -S mask_stream.py <secrets_fd> <out_in> <out_file> <err_in> <err_file>``: five inherited
descriptors. The first gives a JSON list of texts up to its end, so no secret stands in a command line,
an environment or a file. The process ends when both pipes have ended, whoever still lives then.

Only the standard library is imported, because this file also runs alone; ``masking`` builds on it.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from binascii import b2a_base64
from collections.abc import Iterable, Iterator, Sequence

MASK = b"******"
SHORTEST = 4  # characters; shorter secrets would blacken harmless text and are not safe anyway
_LINE = 8  # characters; from here on a line of a many-line secret (a key file) is masked by itself
_BLOCK = 1 << 18
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~")
_MARKS = (b"\\", b"%", b"&", b"0x", b"\0", b"'", b'"', b"")  # bytes that most lines do not have
_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 27: "\\E"}


def literals(secrets: Iterable[str], dumps: bool = True) -> tuple[bytes, ...]:
    """Every byte string that stands for one of ``secrets``, in any encoding; the longest first."""
    texts = {part for secret in secrets for part in _parts(secret)}
    found = {form for text in texts for form in encodings(text)}
    if dumps:
        found |= {form for text in texts for form in dumped(text)}
    return tuple(sorted(found, key=lambda form: (-len(form), form)))


def encodings(secret: str) -> Iterator[bytes]:
    """The ways a secret is written down by ordinary programs."""
    raw = secret.encode("utf-8", "surrogatepass")
    yield raw
    yield from _url(raw)
    yield from _quoted(secret)
    yield from _doubled(secret)
    yield from _entities(secret)
    yield from _unicode(secret)
    yield raw.hex().encode()
    yield raw.hex().upper().encode()
    yield from _base64(raw)


def dumped(secret: str) -> Iterator[bytes]:
    """The ways that programs show bytes which they take for no text."""
    yield from _hexadecimal(secret.encode("utf-8", "surrogatepass"))
    for wide in (secret.encode("utf-16-le", "surrogatepass"), secret.encode("utf-16-be", "surrogatepass")):
        yield wide
        yield from _base64(wide)


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


def _doubled(secret: str) -> Iterator[bytes]:
    """Quotes within the quotes of CSV and SQL."""
    yield from _bytes(secret.replace('"', '""'), secret.replace("'", "''"))


def _entities(secret: str) -> Iterator[bytes]:
    """HTML and XML: by name, by number, with and without quotes."""
    named = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    for marks in ("&<>", '&<>"', "&<>\"'"):
        for other in ({"'": "&#39;"}, {"'": "&#x27;"}, {"'": "&apos;"}, {"'": "&#39;", '"': "&#34;"}):
            by_name = {**named, **other}
            yield from _bytes("".join(by_name[c] if c in marks else c for c in secret))
        for number in ("&#%d;", "&#x%x;", "&#x%X;"):
            yield from _bytes("".join(number % ord(c) if c in marks else c for c in secret))


def _unicode(secret: str) -> Iterator[bytes]:
    """JSON with more as numbers than is needed: Go, PHP (``\\u0026``), .NET (``\\u002B``), or every mark."""
    for form in ("\\u%04x", "\\u%04X"):
        for marks in ("<>&", "<>&'", "<>&'\"", "<>&'\"+", "<>&'\"+`"):
            plain = "".join(c if c in marks else json.dumps(c, ensure_ascii=False)[1:-1] for c in secret)
            yield from _bytes("".join(form % ord(c) if c in marks else c for c in plain))
        yield from _bytes("".join(c if c.isalnum() and c.isascii() else form % ord(c) for c in secret))
        yield from _bytes("".join(form % ord(c) for c in secret))


def _hexadecimal(raw: bytes) -> Iterator[bytes]:
    """As dumps have it: in one, by bytes, by groups of xxd and by the swapped words of hexdump; and the
    rows of 16 bytes of a dump that begins with the secret."""
    rows = [raw[at : at + 16] for at in range(0, len(raw), 16)] if len(raw) > 16 else []
    yield from (row for row in rows if len(row) >= _LINE)
    for part in (raw, *(row for row in rows if len(row) >= _LINE // 2)):
        for case in ("%02x", "%02X"):
            digits = [case % byte for byte in part]
            glued = (glue.join(digits) for glue in ("", " ", ":", "-", "\\x", "%", ", 0x", ",0x", " 0x"))
            yield from (each.encode() for each in glued)
            yield "  ".join((" ".join(digits[:8]), " ".join(digits[8:]))).encode()
            for first in (0, 1):  # where a group of two begins
                pairs = [digits[at : at + 2] for at in range(first, len(digits) - 1, 2)]
                yield " ".join("".join(each) for each in pairs).encode()
                yield " ".join("".join(each[::-1]) for each in pairs).encode()
                yield " 0x".join("".join(each[::-1]) for each in pairs).encode()
    yield "".join(f"\\{byte:03o}" for byte in raw).encode()


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


def _bytes(*texts: str) -> Iterator[bytes]:
    for text in texts:
        yield text.encode("utf-8", "surrogatepass")


def _base64(raw: bytes) -> Iterator[bytes]:
    """At each of the three offsets within a longer text: what follows from the secret alone, and
    the same where the text ends with the secret; of a long one also in lines of 64 or 76."""
    for width in (64, 76):
        lines = b2a_base64(raw, newline=False)
        parts = [lines[at : at + width] for at in range(0, len(lines), width)]
        if len(parts) > 1:
            yield from (glue.join(parts) for glue in (b"\n", b"\r\n"))
            yield from (part.rstrip(b"=") for part in parts if len(part) >= 2 * _LINE)
    for offset in range(3):
        whole = b2a_base64(b"\0" * offset + raw, newline=False)
        first = (offset * 8 + 5) // 6
        certain = whole[first : (offset + len(raw)) * 8 // 6]
        for form in (certain, whole[first:], whole[first:].rstrip(b"=")):
            if len(form) >= SHORTEST:
                yield form
                yield form.replace(b"+", b"-").replace(b"/", b"_")


class Stream:
    """Masks bytes that arrive piece by piece. The result does not depend on where the pieces were cut.

    Every byte that belongs to any occurrence of a literal goes; a run of such bytes becomes one mask.
    Held back is only what could be the beginning of a literal, so output is as live as it can be.
    """

    def __init__(self, forms: Sequence[bytes]) -> None:
        self._forms = tuple(each for each in forms if len(each) >= SHORTEST)
        self._by_mark = _by_mark(self._forms)
        self._held = b""
        self._masked = 0  # so many of the held bytes belong to a run whose mask is already out

    def feed(self, data: bytes) -> bytes:
        """What can be said for certain after ``data``."""
        text = self._held + data
        keep = min((_open_end(text, form) for form in self._forms), default=len(text))
        return self._settle(text, keep)

    def close(self) -> bytes:
        """What was held back; nothing follows."""
        return self._settle(self._held, len(self._held))

    def _settle(self, text: bytes, keep: int) -> bytes:
        """The masked form of ``text[:keep]``; the rest is held."""
        out: list[bytes] = []
        done = reached = self._masked
        for start, end in _runs(text, self._by_mark):
            if start > keep:
                break
            if start >= reached:
                out += (text[done:start], MASK)
            done = reached = max(reached, end)
        out.append(text[done:keep])
        self._held, self._masked = text[keep:], max(reached - keep, 0)
        return b"".join(out)


Heads = dict[bytes, list[bytes]]


def _by_mark(forms: Iterable[bytes]) -> list[tuple[bytes, Heads]]:
    """The forms by a mark that they need, then by the shortest of those that begin alike: a text without
    the mark, or without that one, holds none of the others."""
    found: list[tuple[bytes, Heads]] = [(mark, {}) for mark in _MARKS]
    for form in sorted(forms, key=len):
        heads = next(heads for mark, heads in found if mark in form)
        head = next((each for each in heads if form.startswith(each)), form)
        heads.setdefault(head, []).append(form)
    return [(mark, heads) for mark, heads in found if heads]


def _runs(text: bytes, by_mark: Iterable[tuple[bytes, Heads]]) -> list[tuple[int, int]]:
    """Where literals stand in ``text``, overlapping ones joined, in order."""
    near = (heads for mark, heads in by_mark if mark in text)
    forms = (form for heads in near for head, those in heads.items() if head in text for form in those)
    found = sorted(place for form in forms for place in _places(text, form))
    runs: list[tuple[int, int]] = []
    for start, end in found:
        if runs and start < runs[-1][1]:
            runs[-1] = (runs[-1][0], max(end, runs[-1][1]))
        else:
            runs.append((start, end))
    return runs


def _places(text: bytes, form: bytes) -> Iterator[tuple[int, int]]:
    start = text.find(form)
    while start >= 0:
        yield start, start + len(form)
        start = text.find(form, start + 1)


def _open_end(text: bytes, form: bytes) -> int:
    """Where the longest end of ``text`` begins that could be the beginning of ``form``."""
    place = max(len(text) - len(form) + 1, 0)
    while place < len(text):
        place = text.find(form[:1], place)
        if place < 0:
            break
        if form.startswith(text[place:]):
            return place
        place += 1
    return len(text)


class Copier:
    """One pipe on its way into one file."""

    def __init__(self, source: int, target: int, forms: Sequence[bytes]) -> None:
        self.source = source
        self._target = target
        self._stream = Stream(forms)
        self.complete = True

    def step(self) -> bool:
        """Copy what has arrived; False at the end of the pipe."""
        data = _read(self.source)
        self._write(self._stream.feed(data) if data else self._stream.close())
        return bool(data)

    def _write(self, data: bytes) -> None:
        """A full disk must not stop the job: what does not fit is lost, what follows is tried again."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._target, rest) :]
        except OSError:
            self.complete = False


def copy(copiers: Iterable[Copier]) -> bool:
    """Copy until every pipe has ended; whether every byte found its place."""
    all_of_them = list(copiers)
    poll, waiting = select.poll(), {each.source: each for each in all_of_them}
    for source in waiting:
        poll.register(source, select.POLLIN)
    while waiting:
        for source, _ in poll.poll():
            if not waiting[source].step():
                poll.unregister(source)
                del waiting[source]
    return all(each.complete for each in all_of_them)


def main(secrets: int, out_in: int, out_file: int, err_in: int, err_file: int) -> int:
    """Exit status 0: all was written; 3: the disk did not take all; 2: no secrets could be read."""
    try:
        with os.fdopen(secrets, "rb") as stream:
            forms = literals(json.loads(stream.read()))
    except (OSError, ValueError, TypeError, AttributeError):
        _drain(out_in, err_in)  # better no output than one with secrets; and no SIGPIPE for the job
        return 2
    return 0 if copy((Copier(out_in, out_file, forms), Copier(err_in, err_file, forms))) else 3


def _read(source: int) -> bytes:
    try:
        return os.read(source, _BLOCK)
    except OSError:
        return b""


def _drain(*sources: int) -> None:
    for source in sources:
        while _read(source):
            pass


def _outlive() -> None:
    """What ends a session or a job must not cut its output: this process ends when the writers have."""
    for each in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT):
        signal.signal(each, signal.SIG_IGN)


if __name__ == "__main__":
    _outlive()
    sys.exit(main(*map(int, sys.argv[1:])))
