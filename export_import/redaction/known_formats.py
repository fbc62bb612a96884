"""Secrets in formats of their own: files of passwords, SMTP dialogues, JSON web keys, Kubernetes."""

from __future__ import annotations

import re

from export_import.redaction.command_lines import last_word
from export_import.redaction.rule import Found, Place, Rule
from export_import.redaction.secret_values import strong


def _chap(at: Found) -> Place | None:
    """A line of PPP's secrets: client, server, secret, addresses."""
    word = at.found.split()[2].strip(b'"')
    start = at.text.rindex(word, at.start, at.stop)
    return (start, start + len(word)) if strong(word) else None


def _web_key(at: Found) -> Place | None:
    """A member of a JSON web key that is not public."""
    start = at.text.rindex(b'"', at.start, at.stop) + 1
    around = at.text[max(at.start - 4096, 0) : at.stop + 4096]
    return (start, at.stop) if at.stop - start >= 16 and b'"kty"' in around else None


def _numbers(at: Found) -> Place | None:
    """The parts of a private key as openssl prints them: bytes with colons."""
    start = at.found.index(b":") + 1 + at.start
    secret = at.text[start : at.stop].strip()
    start = at.text.index(secret, start) if secret else start
    return (start, start + len(secret)) if secret.count(b":") >= 7 else None


def _sent(at: Found) -> Place | None:
    """What a client sends with ``AUTH PLAIN``."""
    place = last_word(at)
    return place if place and place[1] - place[0] >= 8 and strong(at.text[place[0] : place[1]]) else None


def _pgpass(at: Found) -> Place | None:
    """A line of .pgpass: host:port:database:user:password."""
    start = at.found.index(b":") + at.start
    parts = at.text[at.start : at.stop].strip().split(b":", 4)
    if (
        len(parts) < 5
        or not (parts[1] == b"*" or (parts[1].isdigit() and 3 <= len(parts[1]) <= 5))
        or len(parts[4]) < 3
    ):
        return None
    if (
        b"/" in parts[0]
        or re.search(rb"\.(?:py|c|h|cc|cpp|hpp|go|js|ts|rs|java|sh|ya?ml|rb|pl)$", parts[0])
        or parts[4][:1] in b" /"
        or parts[3].isdigit()
        or parts[2].isdigit()
    ):
        return None
    start = at.text.rindex(parts[4], at.start, at.stop)
    return start, start + len(parts[4])


def _kubernetes(at: Found) -> Place | None:
    """The map below ``data:`` of a Secret, or the rest of its document."""
    end = at.text.find(b"\n---", at.stop, at.stop + (64 << 10))
    document = re.compile(rb"(?m)^([ \t]*)(?:data|stringData):[ \t]*\n((?:\1[ \t]+[^\n]*(?:\n|$))+)")
    found = document.search(at.text, at.stop, end if end >= 0 else at.stop + (64 << 10))
    if found is None:
        return None
    first = at.text.index(b":", found.start(2)) + 1
    return (first, found.end(2) - (at.text[found.end(2) - 1 : found.end(2)] == b"\n"))


_CHPASSWD = re.compile(
    rb"(?:[ \t]+\w+:[ \t]*\w*[ \t]*\n)*[ \t]+list:[ \t]*\|?[-+]?[ \t]*\n"
    rb"((?:[ \t]+(?:- )?[\w.-]+:[^\n]*(?:\n|\Z))+)"
)


def _chpasswd(at: Found) -> Place | None:
    """The list of cloud-init: ``user:password`` in each line."""
    found = _CHPASSWD.match(at.text, at.stop)
    return (at.text.index(b":", found.start(1)) + 1, len(at.text[: found.end(1)].rstrip())) if found else None


def _relay(at: Found) -> Place | None:
    """Postfix: ``[host]:587 user:x``; a key and its secret: ``AKIA…:x``."""
    start = at.found.rindex(b" " if b" " in at.found else b"\t" if b"\t" in at.found else b"A") + at.start
    start = at.text.index(b":", start) + 1
    return (start, at.stop) if at.stop - start >= 4 else None


def _web_folder(at: Found) -> Place | None:
    """davfs2: ``https://host/path user x``."""
    place = last_word(at)
    return place if place and strong(at.text[place[0] : place[1]]) else None


RULES = (
    Rule("option", rb"(?m:^)[ \t]*chpasswd:[ \t]*\n", _chpasswd),
    Rule("option", rb"(?m:^)\[[\w.-]+\](?::[0-9]+)?[ \t]+[^\s:]+:[^\s]+", _relay),
    Rule("key", rb"\bAKIA[A-Z0-9]+:[A-Za-z0-9/+]+", _relay),
    Rule("option", rb"(?m:^https?://[^\s]+[ \t]+[\w.-]+[ \t]+[^\s]+$)", _web_folder),
    Rule("option", rb"(?m:^)[^\s#]+[ \t]+[^\s]+[ \t]+[^\s]+[ \t]+\*[ \t]*(?m:$)", _chap),
    Rule("option", rb"(?i:\bauth[ \t]+(?:plain|login|xoauth2)[ \t]+)[A-Za-z0-9+/=]+", _sent),
    Rule("key", rb"(?i:private-?exponent|\bpriv|prime[0-9]|coefficient)[ \t]*:[0-9a-fA-F:\s]+", _numbers),
    Rule("key", rb"\"(?:d|p|q|k|dp|dq|qi)\"[ \t]*:[ \t]*\"[\w-]+", _web_key),
    Rule("pgpass", rb"(?m:^)[\w.*-]+:[0-9*]+:[^:\s]+:[^:\s]+:[^\s]+", _pgpass),
    Rule("kubernetes", rb"(?m:^)[ \t]*kind:[ \t]*Secret\b", _kubernetes),
)
