"""Hashes of passwords, and files that Ansible has encrypted."""

from __future__ import annotations

from export_import.redaction.rule import Found, Place, Rule, of_at_least

_CRYPT = (
    rb"\$(?:1|2[abxy]|5|6|7|8|9|y|apr1|sha1|md5|scrypt|argon2id?|argon2i|pbkdf2-sha[0-9]+|ml|P|H)"
    rb"\$[A-Za-z0-9./$=,+_-]+"
)
_LDAP = (
    rb"\{(?i:ssha|sha|smd5|ssha256|ssha512|crypt|pbkdf2[\w-]*)\}[A-Za-z0-9./$=+]+"
    rb"|\bpbkdf2_sha[0-9]+\$[A-Za-z0-9./$=+]+|SCRAM-SHA-[0-9]+\$[^\s\"']+"
    rb"|grub\.pbkdf2\.sha[0-9]+\.[0-9]+\.[0-9A-Fa-f.]+"
)


def _machine_hash(at: Found) -> Place | None:
    return (at.start, at.stop) if at.stop - at.start >= 24 else None


RULES = (
    Rule("password-hash", _CRYPT, _machine_hash),
    Rule("password-hash", _LDAP, _machine_hash),
    Rule(
        "password-hash",
        rb":[0-9a-fA-F]+:[0-9a-fA-F]+:::",
        lambda at: (at.start + 1, at.stop - 3) if at.stop - at.start == 69 else None,
    ),
    Rule(
        "password-hash", rb"\$ANSIBLE_VAULT;[0-9.]+;AES256[^\n]*\n(?:[ \t]*[0-9a-f]+\r?\n?)+", of_at_least(60)
    ),
)
