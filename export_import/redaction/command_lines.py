"""Secrets in command lines: short options by their program, users with passwords, piped input."""

from __future__ import annotations

import re

from export_import.redaction.rule import Candidate, Range, SecretRule
from export_import.redaction.secret_values import is_harmless, strong
from export_import.redaction.word_lists import PROGRAMS_BY_OPTION

_USER_BEFORE = re.compile(rb"[ \t](?:-[uU][ \t=]?|--?user(?:name)?[ \t=])[\"'\w]")
_PROGRAM = {
    letter: re.compile(rb"(?m:^|[/\s\"'=(|;&`,\[$])(?:" + names + rb")(?:\.exe)?[\s\"',]")
    for letter, names in PROGRAMS_BY_OPTION.items()
}
_PIPED = (
    rb"\b(?:echo|printf)[ \t][^\n|]*\|[ \t]*(?:sudo[ \t][^\n]*-S|[^\n]*chpasswd"
    rb"|[^\n]*--password-stdin|passwd[ \t]+--stdin|cryptsetup)"
)
_NET_USE = rb"\\\\[\w.$\\-]+[ \t]+[^\s/]+[ \t]+/(?i:user):\S+|/(?i:user):\S+[ \t]+[^\s/]+"
_LAST_ARGUMENT = (
    rb"\brabbitmqctl[ \t]+(?:add_user|change_password)[ \t]+\S+[ \t]+[^\s]+"
    rb"|\bradtest[ \t]+\S+[ \t]+[^\s]+|\bnet[ \t]+user[ \t]+[\w.\\-]+[ \t]+[^\s/*]+"
    rb"|\bmc[ \t]+(?:alias|config)[ \t]+\S+[ \t]+\S+[ \t]+http\S+[ \t]+\S+[ \t]+\S+"
    rb"|\bhtpasswd[ \t]+-[a-zA-Z]*b[a-zA-Z]*[ \t]+\S+[ \t]+\S+[ \t]+[^\s]+"
    rb"|\bdb2[^\n]*[ \t]connect to[ \t]+\S+[ \t]+user[ \t]+\S+[ \t]+using[ \t]+[^\s]+"
    rb"|\bhdbuserstore[ \t][^\n]*[Ss][Ee][Tt][ \t]+\S+[ \t]+\S+[ \t]+\S+[ \t]+[^\s]+"
    rb"|\bhtpasswd[ \t]+-[a-zA-Z]*b?n[a-zA-Z]*[ \t]+\S+[ \t]+[^\s]+"
    rb"|\bsmbclient[ \t]+\S+[ \t]+[^\s-][^\s]+"
)
_CONNECTING = (
    rb"(?i:connect|connection|pdo|__construct)\(\s*[\"'][^\"'\n]*[\"']\s*,\s*[\"'][^\"'\n]*[\"']\s*,"
    rb"\s*[\"'][^\"'\n]+"
    rb"|(?i:passwordauthentication|credentials?|basic_?auth|login|authenticate|auth=)\(\s*[\"'][^\"'\n]*[\"']"
    rb"\s*,\s*[\"'][^\"'\n]+"
)
_BY_WORD = (  # a word of the program's own says what follows
    rb"(?i:\b(?:tacacs|radius|isakmp|ipsec|ldap|ntp|ospf|bgp|eigrp)\b"
    rb"[^\n]*[ \t](?:key|md5)(?:-string)?[ \t]+(?:[05-9][ \t]+)?)[^\s\"]"
    rb"|:[ \t]*(?:PSK|EAP|XAUTH|NTLM|PIN)[ \t]+[^\s]"
    rb"|(?m:^)user[ \t]+[^\n]*[ \t]>[^\s]"
    rb"|\bsend(?:_user)?(?:[ \t]+--)?[ \t]+\"[^\"\n]+\\r"
)
_PORT = re.compile(rb"docker (?:run|exec|compose)|podman run|\bnet\b|docker-compose")  # what -p is to these
_HOLDER_LIKE = re.compile(rb"\$[({A-Za-z_]|<[a-z]|%[a-z]|\{|\*\*")


def _short_option(at: Candidate) -> Range | None:
    """The value of ``-p``, ``-u`` and so on, where the program is one that takes a secret there."""
    dash = at.text.index(b"-", at.start)
    letter = at.text[dash + 1 : dash + 2]
    line = at.text.rfind(b"\n", max(dash - 600, 0), dash) + 1
    line = line or max(dash - 600, 0)
    programs = _PROGRAM.get(letter)
    known = programs is not None and programs.search(at.text, max(line - 1, 0), dash)
    by_user = letter in b"pP" and not known and _USER_BEFORE.search(at.text, line, dash)
    if not known and not by_user:
        return None
    run = re.compile(
        rb"\"((?:[^\"\\\n]|\\.)+)\"|'([^'\n]+)'|([^\s\"'`,\])|;]+(?:[,;|)][^\s\"'`,\])|;]+)*)"
    ).match(at.text, at.stop - 1)
    if run is None:
        return None
    group = run.lastindex or 0
    start, stop = run.span(group)
    secret = at.text[start:stop]
    if by_user and (not strong(secret) or re.fullmatch(rb"[\d.:]+(?:/\w+)?|[\d.]+:.*", secret)):
        return None  # a port
    before = at.text[line:dash]
    glued = at.stop - 1 == dash + 2
    if glued and at.names.has(re.compile(rb"-[\w-]*").match(at.text, dash)[0].decode()):  # type: ignore[index]
        return None  # a long option by one dash
    if letter in b"uU" or (letter == b"a" and b"http" in before):
        marks = b":%" if letter == b"U" else b":," if b"ftp" in before else b":"
        mark = max(secret.find(each) for each in (marks[:1], marks[1:] or marks[:1]))
        numbers = secret.replace(b":", b"").isdigit() or b"docker run" in before or b"docker exec" in before
        good = mark >= 0 and stop - start - mark > 3 and not numbers
        return (start + mark + 1, stop) if good and not _is_holder(at, secret[mark + 1 :]) else None
    mysql = re.search(rb"mysql\w*|mariadb|obclient", before) is not None
    if letter == b"p" and (not glued if mysql else secret.isdigit() or _PORT.search(before)):
        return None
    if letter == b"p" and re.search(rb"docker|podman|helm|skopeo|oc ", before) and b"login" not in before:
        return None
    return None if len(secret) < 3 or _HOLDER_LIKE.match(secret) else (start, stop)


def _is_holder(at: Candidate, secret: bytes) -> bool:
    return _HOLDER_LIKE.match(secret) is not None or is_harmless(at.names, b"password", secret.strip(b"<>[]"))


def _user_option(at: Candidate) -> Range | None:
    """``--user name:password``."""
    run = re.compile(rb"[^\s\"']+").match(at.text, at.stop - 1)
    opening = at.text[at.stop - 1 : at.stop]
    if opening in b"\"'":
        run = re.compile(rb"[^\n" + opening + rb"]+").match(at.text, at.stop)
    mark = run[0].find(b":") if run else -1
    if (
        run is None
        or mark < 0
        or len(run[0]) - mark < 4
        or run[0].replace(b":", b"").isdigit()
        or _is_holder(at, run[0][mark + 1 :])
    ):
        return None
    return run.start() + mark + 1, run.end()


def _behind_comma(at: Candidate) -> Range:
    """Teradata: ``.logon host/user,x``."""
    return at.text.index(b",", at.start) + 1, at.stop


def _create_user(at: Candidate) -> Range | None:
    """SNMP: ``createUser name SHA "x" AES "y"``, from the first of both on."""
    algorithm = re.compile(rb"(?:SHA|MD5)\S*[ \t]+").search(at.text, at.start, at.stop)
    return (algorithm.end(), at.stop) if algorithm and algorithm.end() < at.stop else None


def _slashed(at: Candidate) -> Range | None:
    """Windows: ``/p:x``."""
    start = at.text.index(b":", at.start) + 1
    return (start, at.stop) if at.stop - start >= 3 and not _HOLDER_LIKE.match(at.text, start) else None


def _by_word(at: Candidate) -> Range | None:
    """``isakmp key x``, ``: PSK "x"``, ``user a on >x``, and what a script sends after a prompt."""
    if at.matched.startswith(b"send"):
        start = at.text.index(b'"', at.start) + 1
        asked = re.search(
            rb"(?i)pass(?:word|phrase|code)|\bpin\b", at.text[max(at.start - 200, 0) : at.start]
        )
        return (start, at.stop - 2) if asked and not _HOLDER_LIKE.match(at.text, start) else None
    run = re.compile(rb"\"([^\"\n]+)|([^\s\"]+)").match(at.text, at.stop - 1)
    if run is None or _HOLDER_LIKE.match(run[0]) or len(run[0]) < 3:
        return None
    return run.span(run.lastindex or 0)


def _passin(at: Candidate) -> Range | None:
    """``pass:x`` of openssl."""
    run = re.compile(rb"[^\s\"']+").match(at.text, at.stop)
    return (at.stop, run.end()) if run and run.end() - at.stop >= 3 else None


def _echoed(at: Candidate) -> Range | None:
    """``echo x | sudo -S``, ``echo u:x | chpasswd``."""
    echoed = re.compile(rb"""(?:echo|printf)[ \t]+(?:-[ne]+[ \t]+)?["']?([^"'|\n]+?)["']?[ \t]*\|""").search(
        at.text, at.start, at.stop
    )
    if echoed is None:
        return None
    start, stop = echoed.span(1)
    mark = at.text.find(b":", start, stop) if b"chpasswd" in at.matched else -1
    start = max(mark + 1, start)
    return None if _HOLDER_LIKE.match(at.text, start) else (start, stop)


def _net_use(at: Candidate) -> Range | None:
    r"""``net use \\host\share password /user:name``, ``/user:name password``."""
    words = at.matched.split()
    secret = words[1] if words[0].startswith(b"\\") else words[-1]
    if secret == b"*" or secret[:1] == b"/" or len(secret) < 3:
        return None
    if words[-1] == secret:
        return at.last(secret)
    start = at.text.index(secret, at.start + len(words[0]), at.stop)
    return start, start + len(secret)


def last_word(at: Candidate) -> Range | None:
    """The word at the end of what was found."""
    word = at.matched.split()[-1].strip(b"\"'")
    return at.last(word) if len(word) >= 3 and not _HOLDER_LIKE.match(word) else None


def _third_argument(at: Candidate) -> Range | None:
    """``connect("source", "user", "password"``."""
    start = at.start + max(at.matched.rfind(b'"'), at.matched.rfind(b"'")) + 1
    return (start, at.stop) if at.stop - start >= 3 else None


RULES = (
    SecretRule("option", rb"""[\s"']-[pPwWaAXckuUs](?:["']?[, =][ \t]*)?[^\s-]""", _short_option),
    SecretRule("option", rb"""[ \t]/(?i:p|pw|pwd|pass|password|rp):[^\s"']+""", _slashed),
    SecretRule("option", rb"[ \t]/(?i:rp)[ \t]+[^\s/*]+", last_word),
    SecretRule("option", rb"(?m:^)[ \t]*\.logon[ \t]+[^\s,]+,[^\s;]+", _behind_comma),
    SecretRule("option", rb"(?m:^)[ \t]*createUser[ \t][^\n]*(?:SHA|MD5)[^\n]+", _create_user),
    SecretRule("option", _BY_WORD, _by_word),
    SecretRule(
        "option",
        rb"""[\s"'](?:--(?:proxy-)?user|--auth|--cert|--creds|stats auth|login|addauth digest"""
        rb"""|(?m:^)user)["']?[, =][ \t]*[^\s-]""",
        _user_option,
    ),
    SecretRule("option", rb"\b-?pass(?:in|out)? pass:|\bpass:", _passin),
    SecretRule("option", _PIPED, _echoed),
    SecretRule("option", _NET_USE, _net_use),
    SecretRule("option", _LAST_ARGUMENT, last_word),
    SecretRule("option", _CONNECTING, _third_argument),
)
