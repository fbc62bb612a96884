"""Values behind the name of a secret without a mark between: directives, sentences, SQL."""

from __future__ import annotations

import re

from export_import.redaction.mentions import TAIL, whole_name
from export_import.redaction.rule import Candidate, Range, SecretRule, line_end
from export_import.redaction.secret_values import is_harmless, strong, value_at

_STORED = (  # how it is written down, between the name and the value
    rb"simple|cipher|irreversible-cipher|ascii-text|enc|ciphertext|clear|--plaintext|--iscrypted"
)
_SPACED = rb"""["']?[ \t]+(?:(?i:to|is|as|0|7|reg_[a-z_]+|""" + _STORED + rb""")[ \t]+)?"""
_A_WORD = re.compile(rb"[(\"'`]?[A-Za-z]+(?:['\xe2-][A-Za-z]+)*[\])}\"'.,:;\xe2\x80\x90-]*(?=\s|$)")
_NETRC = re.compile(rb"(?i)machine|login|account|port|protocol|mda|role|privilege|is\b|priv\b|encrypted")
_SHORT_NAMES = (b"pass", b"token", b"tokens", b"credential", b"credentials", b"cookie")
_WORDS_BEFORE = re.compile(rb"[a-z]+,?\s+[a-z]+,?\s+$|^\s*$")
_IN_SQL = (
    rb"(?i:identified(?:[ \t]+with[ \t]+\S+)?[ \t]+(?:by|as)(?:[ \t]+password)?|\bpassword)"
    rb"[ \t]*\(?[nN]?''?|(?i:identified[ \t]+by[ \t]+(?:values[ \t]+)?)[\"'\w$]"
    rb"|(?i:convertto-securestring(?:[ \t]+-string)?)[ \t]+[\"']"
)
_IN_A_SENTENCE = (
    rb"(?i:password|passphrase|passcode|passwd|\bpin|token|secret|credential"
    rb"|(?:unseal|recovery|unlock|license|product|activation|encryption|api|secret|access|private) key"
    rb"|(?:recovery|backup|access|one-time|security) code)s?"
    rb"(?: [\w@./'\"()-]+)?(?: [\w@./'\"()-]+)?(?: [\w@./'\"()-]+)?(?: [\w@./'\"()-]+)?"
    rb"(?::| is:?| to:?| as:?| =)[ \t]+"
)


def _directive(at: Candidate) -> Range | None:
    """A name, a blank and a value: ``requirepass x``, ``--password x``, ``machine m login u password x``."""
    name, begin = whole_name(at)
    if not at.is_secret(name):
        return None
    line = at.text.rfind(b"\n", max(begin - 400, 0), begin) + 1
    before = at.text[line:begin]
    value = value_at(at.text, at.stop, begin, False)
    start = value.start
    if value.quoted:
        stop = value.stop
    else:
        run = re.compile(rb"[^\s\"'`]+").match(at.text, start)
        stop = run.end() if run else start
        stop -= at.text[stop - 1 : stop] in (b";", b",", b")")
    secret = at.text[start:stop]
    rest = at.text[stop : line_end(at.text, stop)].strip()
    option = at.text[begin : begin + 1] == b"-" and not at.matched.endswith((b"  ", b"\t"))
    if (
        before.endswith((b"/", b"."))
        or secret[:1] in (b"-", b"=", b":", b"|")
        or is_harmless(at.names, name, secret, value.quoted or option, True, False)
        or (option and _is_explained(at.text[begin : at.stop], before, secret, rest))
    ):
        return None
    login = re.search(
        rb"(?i)\b(?:login|user|username|account|server|neighbor"
        rb"|identity)\s+\S+\s+(?:privilege \d+\s+|account \S+\s+)?$|(?:^|\s)enable\s*$"
        rb"|snmp-server\s*$",
        before,
    )
    only = not before.strip(b" \t#;") and (not rest or rest.startswith((b"#", b"secret", b"encrypted")))
    cisco = re.match(rb"[0579] (\S+)", at.text[start : start + 200])
    if cisco is not None and len(secret) == 1:
        return start + 2, start + 2 + len(cisco[1])
    stored = re.search(rb"(?i)\s(?:" + _STORED + rb")\s+$", at.matched)
    sql = value.quoted and re.search(rb"(?i)(?:with|user|role|login|by|set|encrypted)\s*$", before)
    netrc = login and (not rest or _NETRC.match(rest))
    plain = name[:1].isupper() and secret.isalpha()  # a headline or a sentence: ``Password manager``
    alone = only and not plain and (strong(secret) or name.lower() not in _SHORT_NAMES)
    by_looks = (stored and value.quoted) or ((stored or value.quoted or b" " not in rest) and strong(secret))
    return (start, stop) if option or alone or sql or netrc or by_looks else None


def _is_explained(option: bytes, before: bytes, secret: bytes, rest: bytes) -> bool:
    """Whether the option is one of a sentence: a word follows, and words are around."""
    if option.startswith((b"--no-", b"-no-")) or option.rstrip(b" \t\"'").endswith((b".", b",")):
        return True
    if secret[:1] == b"[" or not _A_WORD.fullmatch(secret):
        return secret[:1] == b"["
    rest = rest.lstrip(b",.;:) ")
    ended = rest[:1] in (b"[", b"<") or secret[-1:] in b".,:;)]}\"'"
    return ended or _A_WORD.match(rest) is not None or (not rest and _WORDS_BEFORE.search(before) is not None)


def _prose(at: Candidate) -> Range | None:
    """``The temporary password for root is: x``: only what no word looks like."""
    value = value_at(at.text, at.stop, at.start, False)
    start, stop = value.start, value.stop
    if not value.quoted:
        run = re.compile(rb"[^\s\"'`]+").match(at.text, start)
        stop = run.end() if run else start
        stop -= at.text[stop - 1 : stop] in (b".", b",", b")")
    secret = at.text[start:stop]
    colon = at.matched.rstrip().endswith(b":") and b"password" in at.matched.lower()
    if b"\n" in secret or b" " in secret:
        return None
    good = (
        strong(secret)
        and not secret.startswith((b"/", b"http", b"{", b"[", b"("))
        and not re.fullmatch(rb"0x[0-9a-f]+|[\w.-]{1,30}=\S+|[a-z]+[0-9]{1,2}|[\w.+-]+@[\w.-]+", secret)
    )
    quoted = value.quoted and colon and not is_harmless(at.names, b"password", secret, False, False, True)
    return (start, stop) if good or quoted else None


def _identified(at: Candidate) -> Range | None:
    """SQL: behind ``IDENTIFIED BY '`` or ``PASSWORD '``."""
    quote = at.text[at.stop - 1 : at.stop]
    if quote not in b"\"'":
        return _bare(at)
    value = value_at(at.text, at.stop - 1, at.start, False)
    secret = at.text[value.start : value.stop]
    good = quote and len(secret) >= 3 and not is_harmless(at.names, b"password", secret)
    return (value.start, value.stop) if good else None


def _bare(at: Candidate) -> Range | None:
    """Oracle: ``IDENTIFIED BY x``."""
    run = re.compile(rb"[\w$#^%+!.*-]+").match(at.text, at.stop - 1)
    harmless = run is None or is_harmless(at.names, b"password", run[0], False, False, True)
    return None if run is None or harmless else run.span()


def rules(words: bytes) -> tuple[SecretRule, ...]:
    """The rules for names that hold one of ``words`` (a pattern)."""
    return (
        SecretRule("sql", _IN_SQL, _identified),
        SecretRule("sentence", _IN_A_SENTENCE, _prose),
        SecretRule("directive", words + TAIL + _SPACED, _directive),
    )
