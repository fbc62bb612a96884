"""Secrets in formats of their own: private keys, files of passwords, SMTP, JSON web keys, Kubernetes."""

from __future__ import annotations

import re

from export_import.redaction.command_lines import last_word
from export_import.redaction.rule import Candidate, Range, SecretRule
from export_import.redaction.secret_values import strong

_KEY_BEGIN = rb"-----? ?BEGIN [A-Za-z0-9 ]*(?:PRIVATE KEY|Static key)[A-Za-z0-9 ]*-----?"
_KEY_END = re.compile(rb"-----? ?END [A-Za-z0-9 ]*(?:PRIVATE KEY|Static key)[A-Za-z0-9 ]*-----?")
_OF_A_KEY = re.compile(
    rb"(?:[^\n]{0,80}?[ \t|>:\"'])?(?:[A-Za-z0-9+/=]{16,}\S{0,4}|[A-Za-z0-9+/]{2,}={0,2}"
    rb"|[A-Z][A-Za-z-]+: [^\n]*)?[ \t\r\"',+\\n]*\n?"
)
_KEY_LONGEST = 32 << 10


def _private_key(at: Candidate) -> Range | None:
    """All from its first line to its last; without a last one, every line that looks like one of a key."""
    end = _KEY_END.search(at.text, at.stop, at.stop + _KEY_LONGEST)
    if end is not None:
        return at.start, end.end()
    position = at.stop
    while (line := _OF_A_KEY.match(at.text, position)) is not None and line.end() > position:
        position = line.end()
    return (at.start, position) if position - at.stop > 16 else None


def _putty(at: Candidate) -> Range:
    """``Private-Lines: 8`` and so many lines, with the sum that follows them."""
    end = at.stop
    for _ in range(min(int(at.matched.split(b":")[1]), 200) + 1):
        end = max(at.text.find(b"\n", end + 1, end + 200), end)
    return at.stop, end


_CODE_FILE = re.compile(rb"\.(?:py|c|h|cc|cpp|hpp|go|js|ts|rs|java|sh|ya?ml|rb|pl)$")


def _chap(at: Candidate) -> Range | None:
    """A line of PPP's secrets: client, server, secret, addresses."""
    word = at.matched.split()[2].strip(b'"')
    return at.last(word) if strong(word) else None


def _web_key(at: Candidate) -> Range | None:
    """A member of a JSON web key that is not public."""
    start = at.text.rindex(b'"', at.start, at.stop) + 1
    around = at.text[max(at.start - 4096, 0) : at.stop + 4096]
    return (start, at.stop) if at.stop - start >= 16 and b'"kty"' in around else None


def _numbers(at: Candidate) -> Range | None:
    """The parts of a private key as openssl prints them: bytes with colons."""
    start = at.matched.index(b":") + 1 + at.start
    secret = at.text[start : at.stop].strip()
    start = at.text.index(secret, start) if secret else start
    return (start, start + len(secret)) if secret.count(b":") >= 7 else None


def _sent(at: Candidate) -> Range | None:
    """What a client sends with ``AUTH PLAIN``."""
    word = last_word(at)
    return word if word and word[1] - word[0] >= 8 and strong(at.text[word[0] : word[1]]) else None


def _pgpass(at: Candidate) -> Range | None:
    """A line of .pgpass: host:port:database:user:password."""
    parts = at.text[at.start : at.stop].strip().split(b":", 4)
    if len(parts) < 5 or not re.fullmatch(rb"\*|\d{3,5}", parts[1]) or len(parts[4]) < 3:
        return None
    is_code = b"/" in parts[0] or _CODE_FILE.search(parts[0])
    numbers = parts[3].isdigit() or parts[2].isdigit()
    return None if is_code or numbers or parts[4][:1] in b" /" else at.last(parts[4])


def _kubernetes(at: Candidate) -> Range | None:
    """The map below ``data:`` of a Secret, or the rest of its document."""
    end = at.text.find(b"\n---", at.stop, at.stop + (64 << 10))
    document = re.compile(rb"(?m)^([ \t]*)(?:data|stringData):[ \t]*\n((?:\1[ \t]+[^\n]*(?:\n|$))+)")
    data = document.search(at.text, at.stop, end if end >= 0 else at.stop + (64 << 10))
    if data is None:
        return None
    first = at.text.index(b":", data.start(2)) + 1
    return (first, data.end(2) - (at.text[data.end(2) - 1 : data.end(2)] == b"\n"))


_CHPASSWD = re.compile(
    rb"(?:[ \t]+\w+:[ \t]*\w*[ \t]*\n)*[ \t]+list:[ \t]*\|?[-+]?[ \t]*\n"
    rb"((?:[ \t]+(?:- )?[\w.-]+:[^\n]*(?:\n|\Z))+)"
)


def _chpasswd(at: Candidate) -> Range | None:
    """The list of cloud-init: ``user:password`` in each line."""
    users = _CHPASSWD.match(at.text, at.stop)
    return (at.text.index(b":", users.start(1)) + 1, len(at.text[: users.end(1)].rstrip())) if users else None


def _relay(at: Candidate) -> Range | None:
    """Postfix: ``[host]:587 user:x``; a key and its secret: ``AKIA…:x``."""
    start = (
        at.matched.rindex(b" " if b" " in at.matched else b"\t" if b"\t" in at.matched else b"A") + at.start
    )
    start = at.text.index(b":", start) + 1
    return (start, at.stop) if at.stop - start >= 4 else None


def _web_folder(at: Candidate) -> Range | None:
    """davfs2: ``https://host/path user x``."""
    word = last_word(at)
    return word if word and strong(at.text[word[0] : word[1]]) else None


PRIVATE_KEYS = (
    SecretRule("private-key", _KEY_BEGIN, _private_key),
    SecretRule("private-key", rb"Private-Lines: [0-9]+", _putty),
)
RULES = (
    SecretRule("option", rb"(?m:^)[ \t]*chpasswd:[ \t]*\n", _chpasswd),
    SecretRule("option", rb"(?m:^)\[[\w.-]+\](?::[0-9]+)?[ \t]+[^\s:]+:[^\s]+", _relay),
    SecretRule("key", rb"\bAKIA[A-Z0-9]+:[A-Za-z0-9/+]+", _relay),
    SecretRule("option", rb"(?m:^https?://[^\s]+[ \t]+[\w.-]+[ \t]+[^\s]+$)", _web_folder),
    SecretRule("option", rb"(?m:^)[^\s#]+[ \t]+[^\s]+[ \t]+[^\s]+[ \t]+\*[ \t]*(?m:$)", _chap),
    SecretRule("option", rb"(?i:\bauth[ \t]+(?:plain|login|xoauth2)[ \t]+)[A-Za-z0-9+/=]+", _sent),
    SecretRule(
        "key", rb"(?i:private-?exponent|\bpriv|prime[0-9]|coefficient)[ \t]*:[0-9a-fA-F:\s]+", _numbers
    ),
    SecretRule("key", rb"\"(?:d|p|q|k|dp|dq|qi)\"[ \t]*:[ \t]*\"[\w-]+", _web_key),
    SecretRule("pgpass", rb"(?m:^)[\w.*-]+:[0-9*]+:[^:\s]+:[^:\s]+:[^\s]+", _pgpass),
    SecretRule("kubernetes", rb"(?m:^)[ \t]*kind:[ \t]*Secret\b", _kubernetes),
)
