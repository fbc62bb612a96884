"""Values behind the name of a secret and a mark: ``name: x``, ``name=x``, elements, pairs."""

from __future__ import annotations

import re

from export_import.redaction.mentions import CHINESE, TAIL, whole_name
from export_import.redaction.rule import Candidate, Range, SecretRule, line_end
from export_import.redaction.secret_values import is_harmless, strong, value_at

_SEPARATED = rb"""\\*["'`\]]*[ \t]*(?:=>|:=|[:=])"""
_SERIALIZED = rb"""\\*";s:[0-9]+:\\*\""""
_COLUMN = rb"[ \t]*\|[ \t]+[^\s|]"
# What may be between the mark and the value: PHP's type, a line that goes on, a map with the value in it.
_INSIDE = re.compile(
    rb"""\s*string\(\d+\)\s*(?=")|[ \t]*\\\r?\n[ \t]*|\s*\{[^{}]{0,200}?["']?\bvalue["']?\s*[:=]\s*"""
)
_XML = (
    rb"""(?:["'][^<>\n"']*(?:["'][^<>\n"']*["'])*[^<>\n"']*>|[ \t]*>"""
    rb"""|(?:[ \t]+[\w:.-]+="[^"<>\n]*")+[ \t]*>|</[\w:.-]+>\s*<[\w:.-]+[^<>]*>)"""
)
_VALUE_BESIDE = (
    rb"""\\*["']?[,;]?(?:\s*\{)?\s*(?:[-\w]+="[^"<>\n]*"\s+)*\s\\*["']?"""
    rb"""(?i:(?:parameter)?value|content|default|val)\\*["']?[ \t]*[:=]"""
)
_CLOSE = rb"""\\*["'],\\*["']?\s*(?:\\*[bu]?\\*["'])"""
_TAG = re.compile(rb"<([\w:.\x80-\xff-]+)(?:[^<>]*[^<>/])?>\s*(?:<!\[CDATA\[)?\Z")
_GOES_ON = re.compile(rb"[ \t]+[a-z]+(?:[.,;]|[ \t]+[A-Za-z]+|[ \t]*$)|/[A-Z]\w+=", re.MULTILINE)
_SAID = tuple(each.encode() for each in "：是为「『】")
_IN_CHINESE = (
    rb"[\x80-\xff]*(?:"
    + CHINESE
    + rb")[\x80-\xff]*(?:\([^)\n]*\))?[\"']?[ \t]*(?:[:=]|"
    + "：|是|为|「|『|】".encode()
    + rb"|>|[ \t]+)"
)


def _assigned(at: Candidate) -> Range | None:
    """The value behind the separator, if the whole name is one of a secret."""
    name, begin = whole_name(at)
    after = at.text[at.stop : at.stop + 1]
    separator = at.text[at.stop - 1 : at.stop]
    if (
        (after in (b"=", b"~") and separator == b"=")
        or (separator == b":" and after == b":" and at.text[at.stop + 1 : at.stop + 2] != b" ")
        or at.text[at.stop - 2 : at.stop] in (b"==", b"!=")
    ):
        return None
    if not at.is_secret(name) or _mentions(at, separator):
        return None
    if name in (b"pass", b"PASS", b"Pass"):
        line = at.text.rfind(b"\n", 0, begin) + 1
        if (separator == b":" and name != b"pass") or (
            at.text[line:begin].strip()[-1:].isalnum() and after not in b"\"'"
        ):
            return None
    element = separator == b">" and at.text[at.stop - 2 : at.stop] != b"=>"
    if inside := _INSIDE.match(at.text, at.stop):
        at = at._replace(stop=inside.end())
    if after == b":":
        at = at._replace(stop=at.stop + 1)  # LDIF: what follows is base64
    colon = separator in (b":", b">", b"\x9a")
    if element:
        return _element(at, name)
    return _judged(at, name, begin, colon)


def _mentions(at: Candidate, separator: bytes) -> bool:
    """``the setting LoadCredential= names``: a blank behind ``=`` alone, and a sentence."""
    alone = separator == b"=" and at.text[at.stop - 2 : at.stop - 1].isalnum()
    return alone and _GOES_ON.match(at.text, at.stop) is not None


def _judged(at: Candidate, name: bytes, begin: int, colon: bool) -> Range | None:
    value = value_at(at.text, at.stop, begin, colon)
    start, stop, secret = value.start, value.stop, at.text[value.start : value.stop]
    folded = name.lower()
    if folded.endswith((b"authorization", b"cookie")) and not value.quoted:
        stop = _to_the_end(at.text, start, at.text[begin - 1 : begin])
        secret = at.text[start:stop]
    if folded.endswith(b"authorization") and (
        scheme := re.match(
            rb"(?i)(?:bearer|basic|digest|token|negotiate|ntlm|apikey|aws4-hmac-sha256)[ \t]+", secret
        )
    ):
        token = secret[scheme.end() :]
        good = len(token) >= 4 and not is_harmless(at.names, b"token", token)
        return (start + scheme.end(), stop) if good else None
    if b"cookie" in folded and b"=" not in secret and not strong(secret):
        return None
    return None if is_harmless(at.names, name, secret, value.quoted, value.firm, colon) else (start, stop)


def _to_the_end(text: bytes, start: int, opening: bytes) -> int:
    """Of a header: of its line, or of the quotes around it."""
    marks = opening if opening in (b'"', b"'", b"`") else b""
    rest = re.compile(rb"[^\n\r" + marks + rb"]*").match(text, start)
    return rest.end() if rest else start


def _element(at: Candidate, name: bytes) -> Range | None:
    """The text within an element, also one deeper, also CDATA."""
    opened = re.compile(rb"\s*(?:<(?!/)[\w:.-]+[^<>]*>\s*)?(?:<!\[CDATA\[)?").match(at.text, at.stop)
    start = opened.end() if opened else at.stop
    stop = at.text.find(b"]]>" if opened and b"CDATA" in opened[0] else b"<", start, start + (16 << 10))
    secret = at.text[start:stop] if stop > start else b""
    tag = _TAG.search(at.text, max(start - 600, 0), start)
    closed = tag is not None and re.compile(rb"(?:\]\]>\s*)?</" + re.escape(tag[1]) + rb"\s*>").match(
        at.text, stop
    )
    return None if not secret or not closed or is_harmless(at.names, name, secret) else (start, stop)


def _pair(at: Candidate) -> Range | None:
    """``("password", "x")``, an option and its value in a list."""
    name, begin = whole_name(at)
    if not at.is_secret(name):
        return None
    stop = at.text.find(at.text[at.stop - 1 : at.stop], at.stop, at.stop + 4096)
    secret = at.text[at.stop : stop] if stop > 0 else b""
    before, after = at.text[begin - 2 : begin - 1], at.text[stop + 1 : stop + 2]
    alone = before in (b"(", b"[", b"{") and after in (b")", b"]", b"}")
    option = at.text[max(begin - 2, 0) : begin].endswith(b"-") or at.text[begin : begin + 1] == b"-"
    harmless = is_harmless(at.names, name, secret) or (b" " in secret and not strong(secret))
    return (at.stop, stop) if secret and not harmless and (alone or option or strong(secret)) else None


def _called(at: Candidate) -> Range | None:
    """``.password("x")``."""
    name, _ = whole_name(at)
    stop = at.text.find(at.text[at.stop - 1 : at.stop], at.stop, at.stop + 4096)
    secret = at.text[at.stop : stop] if stop > at.stop else b""
    harmless = not at.is_secret(name) or (b" " in secret and not re.search(rb"\d", secret))
    return None if harmless or not strong(secret) else (at.stop, stop)


def _serialized(at: Candidate) -> Range | None:
    """PHP: ``"password";s:4:"x";``."""
    name, _ = whole_name(at)
    stop = at.text.find(b'"', at.stop, at.stop + 4096)
    return (at.stop, stop) if stop > at.stop and at.is_secret(name) else None


def _beside(at: Candidate) -> Range | None:
    """``password | x`` alone in a line, as psql's and others' tables of names and values."""
    name, begin = whole_name(at)
    line = at.text[at.text.rfind(b"\n", 0, begin) + 1 : begin]
    start = at.stop - 1
    secret = at.text[start : line_end(at.text, at.stop)].rstrip(b" \t\r|")
    alone = not line.strip(b" \t|") and b"|" not in secret and at.is_secret(name)
    return (start, start + len(secret)) if alone and strong(secret) else None


def _named(at: Candidate) -> Range | None:
    """``name: DB_PASSWORD`` and beside it ``value: x``."""
    name, begin = whole_name(at)
    return _judged(at, name, begin, True) if at.is_secret(name) else None


def _chinese(at: Candidate) -> Range | None:
    """``密码：x``, ``密码是 x``; a sentence in Chinese behind it is none."""
    _name, begin = whole_name(at)
    if at.matched.endswith(b">"):
        return _element(at, b"password") if at.text[begin - 1 : begin] == b"<" else None
    name = at.matched.decode("utf-8", "replace").rstrip(" \t:=：\"'是为「『】")
    if not at.names.has(name):
        return None
    value = value_at(at.text, at.stop, begin, False)
    secret = at.text[value.start : value.stop]
    for mark in ("，", "。", "；", "、", "」", "』"):
        secret = secret.partition(mark.encode())[0]
    before = at.matched.rstrip()
    if at.matched[-1:] in b" \t" and before[-1:] not in b":=" and not before.endswith(_SAID):
        secret = secret.split()[0] if secret.split() else b""
        if not strong(secret):
            return None
    chinese = not value.quoted and all(byte >= 128 for byte in secret)
    harmless = chinese or is_harmless(at.names, b"password", secret)
    return None if harmless else (value.start, value.start + len(secret))


def rules(words: bytes) -> tuple[SecretRule, ...]:
    """The rules for names that hold one of ``words`` (a pattern)."""
    return (
        SecretRule("named", words + TAIL + _VALUE_BESIDE, _named),
        SecretRule("assignment", words + TAIL + rb"(?:" + _SEPARATED + rb"|" + _XML + rb")", _assigned),
        SecretRule("assignment", words + TAIL + rb"""\(\s*["']""", _called),
        SecretRule("assignment", words + TAIL + _SERIALIZED, _serialized),
        SecretRule("assignment", words + TAIL + _COLUMN, _beside),
        SecretRule("pair", words + TAIL + _CLOSE, _pair),
    )


CHINESE_RULES = (SecretRule("assignment", _IN_CHINESE, _chinese),)
