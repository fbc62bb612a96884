"""Tokens that are known by their looks alone: prefixes of services, JWT, addresses of webhooks."""

from __future__ import annotations

from export_import.redaction.rule import Found, Place, Rule, of_at_least
from export_import.redaction.word_lists import TOKENS

_WEBHOOK = (
    rb"hooks\.slack\.com/(?:services|workflows)/[\w/]+"
    rb"|discord(?:app)?\.com/api/webhooks/[0-9]+/[\w-]+|webhook\.office\.com/[\w@/-]+"
    rb"|api\.telegram\.org/bot[0-9]+:[\w-]+|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=[\w-]+"
    rb"|(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/[\w-]+"
)


def _token(at: Found) -> Place | None:
    """Long enough, with digits among it, and not the middle of something longer."""
    before = at.text[at.start - 1 : at.start] if at.start else b""
    if at.found.startswith((b"sk-ssh-", b"sk-ecdsa-")):
        return None  # the kind of a key of OpenSSH
    least = (
        30
        if at.found[:2] in (b"SK", b"AC") or (at.found.startswith((b"key-", b"sk-")) and b"_" in at.found)
        else 20
    )
    good = (
        at.stop - at.start >= least
        and not before.isalnum()
        and (at.found.startswith(b"AKIA") or any(48 <= each <= 57 for each in at.found))
    )
    return (at.start, at.stop) if good else None


RULES = (
    Rule("jwt", rb"\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*", of_at_least(36)),
    Rule("webhook", _WEBHOOK, lambda at: (at.text.index(b"/", at.start) + 1, at.stop)),
    Rule("token", rb"\b[0-9]+:AA[\w-]+", of_at_least(40)),
    Rule("token", rb"(?:" + TOKENS + rb")", _token),
)
