"""Secrets known by their looks alone: tokens, JWT, webhooks, what follows ``Bearer``, hashes of passwords."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error

from export_import.redaction.rule import Candidate, Range, SecretRule, of_at_least
from export_import.redaction.secret_values import strong
from export_import.redaction.word_lists import TOKENS

_WEBHOOK = (
    rb"hooks\.slack\.com/(?:services|workflows)/[\w/]+"
    rb"|discord(?:app)?\.com/api/webhooks/[0-9]+/[\w-]+|webhook\.office\.com/[\w@/-]+"
    rb"|api\.telegram\.org/bot[0-9]+:[\w-]+|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=[\w-]+"
    rb"|(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/[\w-]+"
)
_CRYPT = (
    rb"\$(?:1|2[abxy]|5|6|7|8|9|y|apr1|sha1|md5|scrypt|argon2id?|argon2i|pbkdf2-sha[0-9]+|ml|P|H)"
    rb"\$[A-Za-z0-9./$=,+_-]+"
)
_LDAP = (
    rb"\{(?i:ssha|sha|smd5|ssha256|ssha512|crypt|pbkdf2[\w-]*)\}[A-Za-z0-9./$=+]+"
    rb"|\bpbkdf2_sha[0-9]+\$[A-Za-z0-9./$=+]+|SCRAM-SHA-[0-9]+\$[^\s\"']+"
    rb"|grub\.pbkdf2\.sha[0-9]+\.[0-9]+\.[0-9A-Fa-f.]+"
)


def _token(at: Candidate) -> Range | None:
    """Long enough, with digits among it, and not the middle of something longer."""
    before = at.text[at.start - 1 : at.start] if at.start else b""
    if at.matched.startswith((b"sk-ssh-", b"sk-ecdsa-")):
        return None  # the kind of a key of OpenSSH
    common = at.matched[:2] in (b"SK", b"AC") or (
        at.matched.startswith((b"key-", b"sk-")) and b"_" in at.matched
    )
    long_enough = at.stop - at.start >= (30 if common else 20)
    has_digits = at.matched.startswith(b"AKIA") or any(48 <= each <= 57 for each in at.matched)
    return (at.start, at.stop) if long_enough and has_digits and not before.isalnum() else None


def _authorization(at: Candidate) -> Range | None:
    start = at.matched.rindex(b" ") + 1 + at.start if b" " in at.matched else at.start
    secret = at.text[start : at.stop].rstrip(b".,")
    if b"asic" in at.matched.split()[0].lower():
        try:
            decoded = b64decode(secret + b"=" * (-len(secret) % 4), validate=True)
        except (Error, ValueError):
            return None
        return (start, at.stop) if b":" in decoded and decoded.isascii() else None
    return (start, at.stop) if len(secret) >= 12 and (strong(secret) or len(secret) > 24) else None


TOKEN_RULES = (
    SecretRule("jwt", rb"\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*", of_at_least(36)),
    SecretRule("webhook", _WEBHOOK, lambda at: (at.text.index(b"/", at.start) + 1, at.stop)),
    SecretRule("token", rb"\b[0-9]+:AA[\w-]+", of_at_least(40)),
    SecretRule("token", rb"(?:" + TOKENS + rb")", _token),
)
AUTHORIZATION = (
    SecretRule("authorization", rb"(?i:\bbearer|\bbasic)[ \t]+[A-Za-z0-9+/=._~-]+", _authorization),
)
PASSWORD_HASHES = (
    SecretRule("password-hash", _CRYPT, of_at_least(24)),
    SecretRule("password-hash", _LDAP, of_at_least(24)),
    SecretRule(
        "password-hash",
        rb":[0-9a-fA-F]+:[0-9a-fA-F]+:::",
        lambda at: (at.start + 1, at.stop - 3) if at.stop - at.start == 69 else None,
    ),
    SecretRule(
        "password-hash", rb"\$ANSIBLE_VAULT;[0-9.]+;AES256[^\n]*\n(?:[ \t]*[0-9a-f]+\r?\n?)+", of_at_least(60)
    ),
)
