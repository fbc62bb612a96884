"""Passwords in URLs and in the names of data sources."""

from __future__ import annotations

import re

from export_import.redaction.rule import Candidate, Range, SecretRule
from export_import.redaction.secret_values import is_harmless, strong

_IN_A_URL = (
    rb"""[A-Za-z][A-Za-z0-9+.-]*://[^\s@"'<>]*:[^\s"'<>]*@"""
    rb"""|[A-Za-z][A-Za-z0-9+.-]*://[^\s/:"'<>]+@[^\s/:@"'<>]*:[^\s"'<>]*@"""
)
_IN_A_SOURCE = (
    rb"\b[\w.-]+:[^\s\"'@:]+@(?:tcp|unix)\("
    rb"|(?i:thin:|sqlplus (?:-[a-zA-Z]+ )*|sqlldr |userid=|connect |expdp |impdp "
    rb"|rman target )[\w$#-]+/[^\s@\"']+@"
)
_HOST_LIKE = re.compile(rb"[A-Za-z0-9\[][\w.:\[\]%-]*(?=[/?#,;\s\"'<>)\\\]}`|]|$)|(?:tcp|unix)\(")
_AUTHORITY = re.compile(rb"[^\s\"'<>`]+")


def _url(at: Candidate) -> Range | None:
    """``scheme://user:`` stays; the password goes on to the last ``@`` that has a host behind it."""
    begin = at.text.index(b"://", at.start) + 3
    run = _AUTHORITY.match(at.text, begin, begin + 4096)
    if run is None:
        return None
    colon, stop = at.text.find(b":", begin, run.end()), 0
    sign = at.text.find(b"@", begin, run.end())
    if colon < 0 or sign < colon:
        colon = at.text.find(b":", sign, run.end()) if colon > 0 and b"/" not in at.text[begin:colon] else -1
        if colon < 0 or at.text.find(b"@", colon, run.end()) < 0 or at.text[begin : sign + 1].count(b"/"):
            return None
    while sign >= 0:
        stop = sign if sign > colon and _HOST_LIKE.match(at.text, sign + 1, run.end() + 1) else stop
        sign = at.text.find(b"@", sign + 1, run.end())
    secret = at.text[colon + 1 : stop]
    port = re.match(rb"\d{1,5}/", secret) or b"/" in at.text[begin:colon]
    holder = secret[:1] in b"$<{*" and is_harmless(at.names, b"password", secret)
    return None if stop <= colon + 1 or port or holder else (colon + 1, stop)


def _dsn(at: Candidate) -> Range | None:
    """``user:password@tcp(host)``, ``user/password@host``, ``user%password``: the secret behind the mark."""
    mark = max(at.text.find(each, at.start, at.stop) for each in (b":", b"/", b"%"))
    stop = at.text.rfind(b"@", at.start, at.stop)
    stop = stop if stop > mark else at.stop
    return (mark + 1, stop) if stop - mark - 1 >= 3 and not at.text[mark + 1 : stop].isdigit() else None


def _user(at: Candidate) -> Range | None:
    """``scheme://token@host``: a user that is no name."""
    start = at.text.index(b"://", at.start) + 3
    secret = at.text[start : at.stop - 1]
    return (start, at.stop - 1) if len(secret) >= 20 and strong(secret) and b"." not in secret else None


RULES = (
    SecretRule(
        "url-password",
        rb"""[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>]+@[\w\[]""",
        lambda at: _user(at._replace(stop=at.stop - 1)),
    ),
    SecretRule("url-password", _IN_A_URL, _url),
    SecretRule("url-password", _IN_A_SOURCE, _dsn),
)
