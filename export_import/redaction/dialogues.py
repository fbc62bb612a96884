"""Secrets that are sent or typed: FTP, POP, IMAP, SMTP, Redis; parts of forms; behind a prompt."""

from __future__ import annotations

import re

from export_import.redaction.rule import Candidate, Range, SecretRule, line_end
from export_import.redaction.secret_values import is_harmless, strong

_WORD = rb"(?i:pass(?:word|wd|phrase|code)|secret|token|pin)"
_PASS = rb"(?m:^)[ \t]*(?:C:|>+|-+>)[ \t]*PASS[ \t]+[^\s]|\"PASS [^\"\n]*\\r"
_AUTH = rb"(?:[0-9]>|(?m:^)|C:)[ \t]*(?:AUTH|auth)[ \t]+[^\s]|\"(?:AUTH|auth)\" \"[^\"]"
_LOGIN = rb"(?m:^|[>:][ \t]*)[A-Za-z]*[0-9.]+ LOGIN[ \t]+[^\s]+[ \t]+[^\s]"
_ASKED = rb"334 (?:UGFzc3dvcmQ6?|cGFzc3dvcmQ6?)[=\r]*\n[^\n]+"
_BELOW = rb"(?m:" + _WORD + rb"[^\n=,;{(]*[:\"][ \t]*\r?\n[ \t]*\r?\n[^\n]+)"
_PROMPT = rb"(?m:^)[ \t]*(?i:enter (?:the )?)?" + _WORD + rb" for [^\s:]+:[ \t]+[^\s]"
_FOR = rb"(?i:new value|generated)[ \t]*:[ \t]*[^\s]+[ \t]+(?i:for the )" + _WORD
_BOTH = rb"(?i:credentials?|login|account)[ \t]*:[ \t]*[^\s/:]+[ \t]+/[ \t]+[^\s]+"
_METHODS = b"login plain tls ssl cram-md5 gssapi ntlm xoauth2 digest-md5 external".split()


def _line(at: Candidate) -> Range | None:
    """From the last byte found on: up to the end of the line, or of its quotes."""
    if at.matched.startswith(b'"PASS'):
        return at.start + 6, at.stop - 2
    run = re.compile(rb"\"([^\"\n]+)|([^\r\n]+)").match(at.text, at.stop - 1)
    return run.span(run.lastindex or 0) if run else None


def _auth(at: Candidate) -> Range | None:
    """Redis: ``AUTH x``, ``AUTH user x``; never the name of a way to log in."""
    quoted = at.matched.startswith(b'"')
    pattern = rb"([^\"\n]+)(?:\" \"([^\"\n]+))?" if quoted else rb"(\S+)(?:[ \t]+(\S+))?[ \t\r]*$"
    words = re.compile(pattern, re.MULTILINE).match(at.text, at.stop - 1)
    if words is None or words[1].lower() in _METHODS:
        return None
    known = quoted or at.matched[:1].isdigit() or strong(words[words.lastindex or 0])
    return words.span(words.lastindex or 0) if known else None


def _below(at: Candidate) -> Range | None:
    """One word that is none, alone below an empty line; a part of a form."""
    line = at.text.rfind(b"\n", at.start, at.stop) + 1
    secret = at.text[line : at.stop].strip()
    start = at.text.index(secret, line) if secret else line
    form = re.search(rb"name=\"[^\"\n]*\Z", at.text[max(at.start - 60, 0) : at.start]) is not None
    alone = b" " not in secret and len(secret) >= 12 and strong(secret)
    return (start, start + len(secret)) if form or alone else None


def _typed(at: Candidate) -> Range | None:
    """What follows ``Passphrase for /dev/sda3:``."""
    secret = at.text[at.stop - 1 : line_end(at.text, at.stop)].rstrip()
    harmless = is_harmless(at.names, b"password", secret, False, True, True)
    harmless = harmless or (b" " in secret and not re.search(rb"\d", secret))
    return None if harmless else (at.stop - 1, at.stop - 1 + len(secret))


def _second(at: Candidate) -> Range | None:
    """``334 …`` and the answer; ``credentials: root / x``."""
    word = at.matched.split()[-1]
    start = at.text.rindex(word, at.start, at.stop)
    sent = at.matched.startswith(b"334") or strong(word)
    return (start, at.stop) if sent and len(word) >= 4 else None


def _before_its_name(at: Candidate) -> Range | None:
    """``New value: x for the password of …``."""
    start = at.text.index(b":", at.start) + 1
    word = at.text[start : at.stop].split()[0]
    start = at.text.index(word, start)
    return (start, start + len(word)) if strong(word) else None


RULES = (
    SecretRule("dialogue", _PASS, _line),
    SecretRule("dialogue", _LOGIN, _line),
    SecretRule("dialogue", _AUTH, _auth),
    SecretRule("dialogue", _ASKED, _second),
    SecretRule("dialogue", _BELOW, _below),
    SecretRule("dialogue", _PROMPT, _typed),
    SecretRule("dialogue", _BOTH, _second),
    SecretRule("dialogue", _FOR, _before_its_name),
)
