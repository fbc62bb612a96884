"""What looks like a secret although nobody has stored it: where one may begin, and where it is then.

None of the patterns (RE2, of bytes) counts repetitions: that would make the automaton a hundred times slower (measured). How
long something must be is looked at afterwards, in the few places that an automaton has found.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Callable, Iterable
from typing import NamedTuple

from export_import.redaction.secret_names import SecretNames
from export_import.redaction.secret_values import is_harmless, strong, value_at

MASK = b"******"
Place = tuple[int, int]


class Found(NamedTuple):
    """What a pattern has found in ``text`` from ``start`` to ``stop``, and who knows the names of secrets."""

    text: bytes
    start: int
    stop: int
    names: SecretNames

    @property
    def found(self) -> bytes:
        return self.text[self.start : self.stop]


class Rule(NamedTuple):
    """``finds`` where a secret may be; ``place`` tells where it is (None: it was harmless)."""

    name: str
    finds: bytes
    place: Callable[[Found], Place | None]


def _of_at_least(size: int) -> Callable[[Found], Place | None]:
    return lambda at: (at.start, at.stop) if at.stop - at.start >= size else None


# -- private keys ------------------------------------------------------------------------------------

_KEY_BEGIN = rb"-----? ?BEGIN [A-Za-z0-9 ]*(?:PRIVATE KEY|Static key)[A-Za-z0-9 ]*-----?"
_KEY_END = re.compile(rb"-----? ?END [A-Za-z0-9 ]*(?:PRIVATE KEY|Static key)[A-Za-z0-9 ]*-----?")
_OF_A_KEY = re.compile(
    rb"(?:[^\n]{0,80}?[ \t|>:\"'])?(?:[A-Za-z0-9+/=]{16,}\S{0,4}|[A-Za-z0-9+/]{2,}={0,2}|[A-Z][A-Za-z-]+: [^\n]*)?[ \t\r\"',+\\n]*\n?"
)
_KEY_LONGEST = 32 << 10


def _private_key(at: Found) -> Place | None:
    """All from its first line to its last; without a last one, every line that looks like one of a key."""
    end = _KEY_END.search(at.text, at.stop, at.stop + _KEY_LONGEST)
    if end is not None:
        return at.start, end.end()
    place = at.stop
    while (line := _OF_A_KEY.match(at.text, place)) is not None and line.end() > place:
        place = line.end()
    return (at.start, place) if place - at.stop > 16 else None


def _putty(at: Found) -> Place:
    """``Private-Lines: 8`` and so many lines, with the sum that follows them."""
    end = at.stop
    for _ in range(min(int(at.found.split(b":")[1]), 200) + 1):
        end = max(at.text.find(b"\n", end + 1, end + 200), end)
    return at.stop, end


# -- with a scheme -----------------------------------------------------------------------------------

_HOST_LIKE = re.compile(rb"[A-Za-z0-9\[][\w.:\[\]%-]*(?=[/?#,;\s\"'<>)\\\]}`|]|$)|(?:tcp|unix)\(")
_AUTHORITY = re.compile(rb"[^\s\"'<>`]+")


def _url(at: Found) -> Place | None:
    """``scheme://user:`` stays; the password goes on to the last ``@`` that has a host behind it."""
    begin = at.text.index(b"://", at.start) + 3
    run = _AUTHORITY.match(at.text, begin, begin + 4096)
    if run is None:
        return None
    colon, stop = at.text.find(b":", begin, run.end()), 0
    place = at.text.find(b"@", begin, run.end())
    if colon < 0 or place < colon:
        colon = at.text.find(b":", place, run.end()) if colon > 0 and b"/" not in at.text[begin:colon] else -1
        if colon < 0 or at.text.find(b"@", colon, run.end()) < 0 or at.text[begin : place + 1].count(b"/"):
            return None
    while place >= 0:
        stop = place if place > colon and _HOST_LIKE.match(at.text, place + 1, run.end() + 1) else stop
        place = at.text.find(b"@", place + 1, run.end())
    secret = at.text[colon + 1 : stop]
    port = re.match(rb"\d{1,5}/", secret) or b"/" in at.text[begin:colon]
    return (
        None
        if stop <= colon + 1
        or port
        or (is_harmless(at.names, b"password", secret, True, True, False) and secret[:1] in b"$<{*")
        else (colon + 1, stop)
    )


def _dsn(at: Found) -> Place | None:
    """``user:password@tcp(host)``, ``user/password@host``, ``user%password``: what stands behind the mark."""
    mark = max(at.text.find(each, at.start, at.stop) for each in (b":", b"/", b"%"))
    stop = at.text.rfind(b"@", at.start, at.stop)
    stop = stop if stop > mark else at.stop
    return (mark + 1, stop) if stop - mark - 1 >= 3 and not at.text[mark + 1 : stop].isdigit() else None


def _authorization(at: Found) -> Place | None:
    """What follows ``Bearer`` or ``Basic``."""
    start = at.found.rindex(b" ") + 1 + at.start if b" " in at.found else at.start
    secret = at.text[start : at.stop].rstrip(b".,")
    if b"asic" in at.found.split()[0].lower():
        try:
            told = b64decode(secret + b"=" * (-len(secret) % 4), validate=True)
        except (Error, ValueError):
            return None
        return (start, at.stop) if b":" in told and told.isascii() else None
    return (start, at.stop) if len(secret) >= 12 and (strong(secret) or len(secret) > 24) else None


# -- behind a name -----------------------------------------------------------------------------------

_NAME_BEFORE = re.compile(rb"[\w.$\x80-\xff-]{0,60}\Z")
_NAME = re.compile(rb"[\w.$-]+")


def _assigned(at: Found) -> Place | None:
    """The value behind the separator, if the whole name is one of a secret."""
    name, begin = _whole_name(at)
    after = at.text[at.stop : at.stop + 1]
    separator = at.text[at.stop - 1 : at.stop]
    if (
        (after in (b"=", b"~") and separator == b"=")
        or (separator == b":" and after == b":" and at.text[at.stop + 1 : at.stop + 2] != b" ")
        or at.text[at.stop - 2 : at.stop] in (b"==", b"!=")
    ):
        return None
    if not at.names.has(name.decode("utf-8", "replace")):
        return None
    if name == b"pass" or name == b"PASS" or name == b"Pass":
        line = at.text.rfind(b"\n", 0, begin) + 1
        if (separator == b":" and name != b"pass") or at.text[line:begin].strip()[-1:].isalnum():
            return None
    if after == b":":
        at = at._replace(stop=at.stop + 1)  # LDIF: what follows is base64
    colon = separator in (b":", b">", b"\x9a")
    if separator == b">" and at.text[at.stop - 2 : at.stop] != b"=>":
        return _element(at, name)
    return _judged(at, name, begin, colon)


def _judged(at: Found, name: bytes, begin: int, colon: bool, always: bool = False) -> Place | None:
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
        return (
            (start + scheme.end(), stop)
            if stop - start - scheme.end() >= 4
            and not is_harmless(at.names, b"token", secret[scheme.end() :], True, True, False)
            else None
        )
    if b"cookie" in folded and b"=" not in secret and not strong(secret):
        return None
    if not always and is_harmless(at.names, name, secret, value.quoted, value.firm, colon):
        return None
    return start, stop


def _to_the_end(text: bytes, start: int, opening: bytes) -> int:
    """Of a header: of its line, or of the quotes around it."""
    marks = opening if opening in (b'"', b"'", b"`") else b""
    found = re.compile(rb"[^\n\r" + marks + rb"]*").match(text, start)
    return found.end() if found else start


def _element(at: Found, name: bytes) -> Place | None:
    """The text within an element, also one deeper, also CDATA."""
    opened = re.compile(rb"\s*(?:<(?!/)[\w:.-]+[^<>]*>\s*)?(?:<!\[CDATA\[)?").match(at.text, at.stop)
    start = opened.end() if opened else at.stop
    stop = at.text.find(b"]]>" if opened and b"CDATA" in opened[0] else b"<", start, start + (16 << 10))
    secret = at.text[start:stop] if stop > start else b""
    closed = at.text[stop : stop + 2] in (b"</", b"]]")
    return (
        None
        if not secret or not closed or is_harmless(at.names, name, secret, True, True, False)
        else (start, stop)
    )


def _whole_name(at: Found) -> tuple[bytes, int]:
    """The name from its first letter on, which the pattern found in the middle."""
    at = at._replace(start=at.start + (at.text[at.start : at.start + 1] in b"\"'?&"))
    before = _NAME_BEFORE.search(at.text, max(at.start - 60, 0), at.start)
    begin = before.start() if before else at.start
    if any(each >= 128 for each in at.text[at.start : at.start + 1]):
        rest = re.compile(rb"[\x80-\xff\w]*").match(at.text, at.start)
        return at.text[begin : at.stop].rstrip(b" \t:=\"'\xef\xbc\x9a") if rest is None else at.text[
            begin : rest.end()
        ].removesuffix("：".encode()), begin
    end = _NAME.match(at.text, at.start)
    return at.text[begin : end.end() if end else at.stop].strip(b"-.$"), begin


def _pair(at: Found) -> Place | None:
    """``("password", "x")``, an option and its value in a list."""
    name, begin = _whole_name(at)
    if not at.names.has(name.decode("utf-8", "replace")):
        return None
    stop = at.text.find(at.text[at.stop - 1 : at.stop], at.stop, at.stop + 4096)
    secret = at.text[at.stop : stop] if stop > 0 else b""
    alone = at.text[begin - 2 : begin - 1] in (b"(", b"[", b"{") and at.text[stop + 1 : stop + 2] in (
        b")",
        b"]",
        b"}",
    )
    option = at.text[max(begin - 2, 0) : begin].endswith(b"-") or at.text[begin : begin + 1] == b"-"
    harmless = is_harmless(at.names, name, secret, True, True, False) or (
        b" " in secret and not strong(secret)
    )
    return (at.stop, stop) if secret and not harmless and (alone or option or strong(secret)) else None


def _named(at: Found) -> Place | None:
    """``name: DB_PASSWORD`` and beside it ``value: x``."""
    name, begin = _whole_name(at)
    if not at.names.has(name.decode("utf-8", "replace")):
        return None
    return _judged(at, name, begin, True)


_CREDENTIAL_WORDS = re.compile(
    rb"(?i)requirepass|masterauth|rootpw|bindpw|rootbindpw|password|passwd|passphrase|secret|psk|community|authpass|ascii|plaintext|wpa-psk|identified|by"
)


def _directive(at: Found) -> Place | None:
    """A name, a blank and a value: ``requirepass x``, ``--password x``, ``machine m login u password x``."""
    name, begin = _whole_name(at)
    if not at.names.has(name.decode("utf-8", "replace")):
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
    rest = at.text[stop : _line_stop(at.text, stop)].strip()
    option = at.text[begin : begin + 1] == b"-" and not at.found.endswith((b"  ", b"\t"))
    if (
        before.endswith((b"/", b"."))
        or secret[:1] in (b"-", b"=", b":", b"|")
        or is_harmless(at.names, name, secret, value.quoted or option, True, False)
    ):
        return None
    login = re.search(
        rb"(?i)\b(?:login|user|username|account|server|neighbor|identity)\s+\S+\s+(?:privilege \d+\s+|account \S+\s+)?$|(?:^|\s)enable\s*$|snmp-server\s*$",
        before,
    )
    only = not before.strip(b" \t#;") and (not rest or rest.startswith((b"#", b"secret", b"encrypted")))
    cisco = re.match(rb"[0579] (\S+)", at.text[start : start + 200])
    if cisco is not None and len(secret) == 1:
        return start + 2, start + 2 + len(cisco[1])
    sql = value.quoted and re.search(rb"(?i)(?:with|user|role|login|by|set|encrypted)\s*$", before)
    netrc = login and (
        not rest or re.match(rb"(?i)machine|login|account|port|protocol|mda|role|privilege|is\b|priv\b", rest)
    )
    return (
        (start, stop)
        if option
        or (
            only
            and (
                strong(secret)
                or name.lower()
                not in (b"pass", b"token", b"tokens", b"credential", b"credentials", b"cookie")
            )
            and not _plain_word_after(name, secret, rest)
        )
        or sql
        or netrc
        or ((value.quoted or b" " not in rest) and strong(secret))
        else None
    )


def _plain_word_after(name: bytes, secret: bytes, rest: bytes) -> bool:
    """A headline or a sentence: ``Password manager``."""
    return name[:1].isupper() and secret.isalpha()


def _line_stop(text: bytes, start: int) -> int:
    end = text.find(b"\n", start)
    return len(text) if end < 0 else end


def _prose(at: Found) -> Place | None:
    """``The temporary password for root is: x``: only what no word looks like."""
    value = value_at(at.text, at.stop, at.start, False)
    start, stop = value.start, value.stop
    if not value.quoted:
        run = re.compile(rb"[^\s\"'`]+").match(at.text, start)
        stop = run.end() if run else start
        stop -= at.text[stop - 1 : stop] in (b".", b",", b")")
    secret = at.text[start:stop]
    colon = at.found.rstrip().endswith(b":") and b"password" in at.found.lower()
    if b"\n" in secret or b" " in secret:
        return None
    good = (
        strong(secret)
        and not secret.startswith((b"/", b"http"))
        and not re.fullmatch(rb"0x[0-9a-f]+|[\w.-]{1,30}=\S+|[a-z]+[0-9]{1,2}|[\w.+-]+@[\w.-]+", secret)
    )
    return (
        (start, stop)
        if good
        or (value.quoted and colon and not is_harmless(at.names, b"password", secret, False, False, True))
        else None
    )


def _identified(at: Found) -> Place | None:
    """SQL: behind ``IDENTIFIED BY '`` or ``PASSWORD '``."""
    quote = at.text[at.stop - 1 : at.stop]
    value = value_at(at.text, at.stop - 1, at.start, False)
    secret = at.text[value.start : value.stop]
    return (
        (value.start, value.stop)
        if quote and len(secret) >= 3 and not is_harmless(at.names, b"password", secret, True, True, False)
        else None
    )


def _chinese(at: Found) -> Place | None:
    """``密码：x``, ``密码是 x``; a sentence in Chinese behind it is none."""
    _name, begin = _whole_name(at)
    told = at.found.decode("utf-8", "replace").rstrip(" \t:=：\"'是为")
    if not at.names.has(told):
        return None
    value = value_at(at.text, at.stop, begin, False)
    secret = at.text[value.start : value.stop]
    for mark in ("，", "。", "；", "、"):
        secret = secret.partition(mark.encode())[0]
    if (not value.quoted and not (set(secret) - set(range(128, 256)))) or is_harmless(
        at.names, b"password", secret, True, True, False
    ):
        return None
    return value.start, value.start + len(secret)


# -- command lines -----------------------------------------------------------------------------------

_PROGRAMS = {
    b"p": rb"mysql\w*|mariadb[\w-]*|sshpass|7za?|7zr|mongo\w*|docker|podman|helm|nerdctl|skopeo|crane|unrar|rar|net|sqlplus|cmdkey|az|psexec|wmic|oc|impdp|expdp|cadaver|nxlog|mosquitto_\w+|isql|kinit|ipa|influx|rethinkdb|keytool|openconnect|lftp|ncftp|tsh|vault",
    b"P": rb"mosquitto_\w+|zip|unzip|ipmitool|bcp|sqlcmd|tsql|isql|fisql|mssql-cli|osql|winexe|impacket|wget|mqtt\w*|pscp|plink|psftp",
    b"w": rb"ldap\w+|kinit|openssl|snmp\w+|bindpw|linphonec?|kadmin",
    b"W": rb"dsconf|slap\w+|psexec",
    b"a": rb"http|https|xh|redis-cli|valkey-cli|keydb-cli|iscsi\w*|nsupdate",
    b"A": rb"snmp\w+",
    b"X": rb"snmp\w+",
    b"c": rb"snmp\w+",
    b"k": rb"useradd",
    b"u": rb"curl|wget|http|https|xh|httpie|ab|smbclient|lftp|ncftpget|docker|svn|rclone|restic",
    b"U": rb"smbclient|rpcclient|curl|net|smbget|winexe|wmic|nmblookup",
    b"s": rb"az",
}
_PROGRAM = {
    letter: re.compile(rb"(?:^|[/\s\"'=(|;&`,\[$])(?:" + names + rb")(?:\.exe)?[\s\"',]")
    for letter, names in _PROGRAMS.items()
}


def _short_option(at: Found) -> Place | None:
    """The value of ``-p``, ``-u`` and so on, where the program is one that takes a secret there."""
    dash = at.text.index(b"-", at.start)
    letter = at.text[dash + 1 : dash + 2]
    line = at.text.rfind(b"\n", max(dash - 600, 0), dash) + 1
    line = line or max(dash - 600, 0)
    programs = _PROGRAM.get(letter)
    if programs is None or programs.search(at.text, line, dash) is None:
        return None
    run = re.compile(
        rb"\"((?:[^\"\\\n]|\\.)+)\"|'([^'\n]+)'|([^\s\"'`,\])|;]+(?:[,;|)][^\s\"'`,\])|;]+)*)"
    ).match(at.text, at.stop - 1)
    if run is None:
        return None
    group = run.lastindex or 0
    start, stop = run.span(group)
    secret = at.text[start:stop]
    before = at.text[line:dash]
    glued = at.stop - 1 == dash + 2
    if glued and at.names.has(re.compile(rb"-[\w-]*").match(at.text, dash)[0].decode()):  # type: ignore[index]
        return None  # a long option by one dash
    if letter in b"uU" or (letter == b"a" and b"http" in before):
        marks = b":%" if letter == b"U" else b":," if b"ftp" in before else b":"
        mark = max(secret.find(each) for each in (marks[:1], marks[1:] or marks[:1]))
        numbers = secret.replace(b":", b"").isdigit() or b"docker run" in before or b"docker exec" in before
        return (
            (start + mark + 1, stop)
            if mark >= 0
            and stop - start - mark > 3
            and not numbers
            and not _is_holder(at, secret[mark + 1 :])
            else None
        )
    mysql = re.search(rb"mysql\w*|mariadb", before) is not None
    if letter == b"p" and (
        (mysql and not glued)
        or (
            not mysql and re.search(rb"docker (?:run|exec|compose)|podman run|\bnet\b|docker-compose", before)
        )
    ):
        return None
    if letter == b"p" and re.search(rb"docker|podman|helm|skopeo|oc ", before) and b"login" not in before:
        return None
    return (
        None
        if len(secret) < 3
        or (secret.isdigit() and letter == b"p" and not mysql)
        or _HOLDER_LIKE.match(secret)
        else (start, stop)
    )


_HOLDER_LIKE = re.compile(rb"\$[({A-Za-z_]|<[a-z]|%[a-z]|\{|\*\*")


def _is_holder(at: Found, secret: bytes) -> bool:
    return _HOLDER_LIKE.match(secret) is not None or is_harmless(
        at.names, b"password", secret.strip(b"<>[]"), True, True, False
    )


def _passin(at: Found) -> Place | None:
    """``pass:x`` of openssl."""
    run = re.compile(rb"[^\s\"']+").match(at.text, at.stop)
    return (at.stop, run.end()) if run and run.end() - at.stop >= 3 else None


def _echoed(at: Found) -> Place | None:
    """``echo x | sudo -S``, ``echo u:x | chpasswd``."""
    told = re.compile(rb"""(?:echo|printf)[ \t]+(?:-[ne]+[ \t]+)?["']?([^"'|\n]+?)["']?[ \t]*\|""").search(
        at.text, at.start, at.stop
    )
    if told is None:
        return None
    start, stop = told.span(1)
    mark = at.text.find(b":", start, stop) if b"chpasswd" in at.found else -1
    return (
        None
        if _HOLDER_LIKE.match(at.text, mark + 1 if mark >= 0 else start)
        else (max(mark + 1, start), stop)
    )


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


# -- by themselves -----------------------------------------------------------------------------------

_A = rb"[A-Za-z0-9]"
_TOKENS = rb"|".join((
    rb"(?:AKIA|ASIA|AROA|ABIA)[0-9A-Z]+", rb"gh[pousr]_[A-Za-z0-9]+", rb"github_pat_\w+", rb"xox[abeoprs]-[A-Za-z0-9-]+", rb"xapp-[A-Za-z0-9-]+",
    rb"gl(?:pat|dt|rt|ptt|soat|cbt|ft|imt|agent)-[\w-]+", rb"AGE-SECRET-KEY-1[0-9A-Z]+", rb"(?:sk|rk|pk|whsec)_(?:live|test)_\w+", rb"whsec_\w+", rb"sk-[A-Za-z0-9_-]+",
    rb"npm_" + _A + rb"+", rb"pypi-[\w-]+", rb"AIza[\w-]+", rb"ya29\.[\w-]+", rb"GOCSPX-[\w-]+", rb"1//0[\w-]+", rb"SG\.[\w-]+\.[\w-]+", rb"hf_[A-Za-z0-9]+",
    rb"do[opr]_v1_[0-9a-f]+", rb"shp(?:at|ca|pa|ss)_[0-9a-fA-F]+", rb"hv[sbr]\.[\w-]+", rb"dapi[0-9a-f]+", rb"lin_api_\w+", rb"sq0(?:atp|csp)-[\w-]+", rb"dckr_pat_[\w-]+",
    rb"gl(?:sa|c)_\w+", rb"NRAK-[A-Z0-9]+", rb"EAAC\w+", rb"rubygems_[0-9a-f]+", rb"PMAK-[\w-]+", rb"pul-[0-9a-f]+", rb"sbp_[0-9a-f]+", rb"tfp_\w+", rb"figd_[\w-]+",
    rb"ATATT[\w=-]+", rb"ATCTT[\w=-]+", rb"AQ[A-Z]{1}[\w-]+~[\w-]+", rb"key-[0-9a-f]+", rb"SK[0-9a-f]+", rb"AC[0-9a-f]+:[0-9a-f]+", rb"bkua_[0-9a-f]+", rb"CCIPAT_\w+", rb"nfp_\w+",
    rb"[A-Za-z0-9]+\.atlasv1\.[\w-]+", rb"ops_eyJ[\w-]+", rb"sntr[yu]s_\w+", rb"xkeysib-[0-9a-f-]+", rb"vault:v[0-9]+:[\w+/=]+",
))  # fmt: skip
_MIXED = re.compile(rb"[A-Za-z_.:-]*$")


def _token(at: Found) -> Place | None:
    """Long enough, with digits among it, and not the middle of something longer."""
    before = at.text[at.start - 1 : at.start] if at.start else b""
    least = (
        30
        if at.found[:2] in (b"SK", b"AC") or (at.found.startswith((b"key-", b"sk-")) and b"_" in at.found)
        else 20
    )
    good = at.stop - at.start >= least and not before.isalnum() and any(48 <= each <= 57 for each in at.found)
    return (at.start, at.stop) if good else None


def _after(mark: bytes, size: int) -> Callable[[Found], Place | None]:
    """What stands behind the last ``mark``, if it is that long."""

    def place(at: Found) -> Place | None:
        start = at.text.rindex(mark, at.start, at.stop) + len(mark)
        return (start, at.stop) if at.stop - start >= size else None

    return place


def _kubernetes(at: Found) -> Place | None:
    """The map below ``data:`` of a Secret, or the rest of its document."""
    end = at.text.find(b"\n---", at.stop, at.stop + (64 << 10))
    document = re.compile(rb"(?m)^([ \t]*)(?:data|stringData):[ \t]*\n((?:\1[ \t]+[^\n]*(?:\n|$))+)")
    before = at.text.rfind(b"\n---", max(at.start - (16 << 10), 0), at.start)
    found = document.search(at.text, at.stop, end if end >= 0 else at.stop + (64 << 10))
    del before
    if found is None:
        return None
    first = at.text.index(b":", found.start(2)) + 1
    return (first, found.end(2) - (at.text[found.end(2) - 1 : found.end(2)] == b"\n"))


def _machine_hash(at: Found) -> Place | None:
    return (at.start, at.stop) if at.stop - at.start >= 24 else None


_WORDS = (
    rb"pass(?:word|wd|phrase|code|wort|in|out|key)?|pwd|\bpsw|pw|\bcommunity|convertto-securestring|secret|token|credential|authorization|cookie|psk|(?:api|access|private|priv|secret|master|account|shared|auth|signing"
    rb"|encryption|session|hmac|license|subscription|machine|storage|app|client|deploy|webhook|consumer|validation|decryption)[_.-]?key|sess(?:ion)?_?id|\bsid|\botp|totp|csrf|xsrf|mnemonic"
    rb"|[_\"']auth|\bpin|masterauth|tls\.key|ssh-privatekey|sharedaccess(?:key|signature)|[?&]sig|x-amz-signature|dockerconfigjson|dockercfg|r[ow]community|connect\.sid|authkey"
)
_CHINESE = "密码|口令|密钥|私钥|令牌|凭证|凭据|密匙|授权码".encode()
_TAIL = rb"[\w.-]*"
_SEPARATED = rb"""\\*["'`\]]*[ \t]*(?:=>|:=|[:=])"""
_XML = rb"""(?:["'][^<>\n"']*(?:["'][^<>\n"']*["'])*[^<>\n"']*>|[ \t]*>|(?:[ \t]+[\w:.-]+="[^"<>\n]*")+[ \t]*>|</[\w:.-]+>\s*<[\w:.-]+[^<>]*>)"""
_VALUE_BESIDE = rb"""\\*["']?[,;]?(?:\s*\{)?\s*(?:[-\w]+="[^"<>\n]*"\s+)*\s\\*["']?(?i:value|content|default|val)\\*["']?[ \t]*[:=]"""
_CLOSE = rb"""\\*["'],\\*["']?\s*(?:\\*[bu]?\\*["'])"""
_SPACED = rb"""["']?[ \t]+(?:(?i:to|is|as|0|7|reg_[a-z_]+)[ \t]+)?"""

MENTIONED = rb"(?i:" + _WORDS + rb")|" + _CHINESE  # where a name of a secret may be


def _last_word(at: Found) -> Place | None:
    """The word at the end of what was found."""
    word = at.found.split()[-1].strip(b"\"'")
    start = at.text.rindex(word, at.start, at.stop)
    return (start, start + len(word)) if len(word) >= 3 and not _HOLDER_LIKE.match(word) else None


def _third_argument(at: Found) -> Place | None:
    """``connect("source", "user", "password"``."""
    start = (
        max(at.text.rindex(each, at.start, at.stop) if each in at.found else 0 for each in (b'"', b"'")) + 1
    )
    return (start, at.stop) if at.stop - start >= 3 else None


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


def _user_option(at: Found) -> Place | None:
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


def _net_use(at: Found) -> Place | None:
    r"""``net use \\host\share password /user:name``, ``/user:name password``."""
    words = at.found.split()
    secret = words[1] if words[0].startswith(b"\\") else words[-1]
    if secret == b"*" or secret[:1] == b"/" or len(secret) < 3:
        return None
    start = (
        at.text.rindex(secret, at.start, at.stop)
        if words[-1] == secret
        else at.text.index(secret, at.start + len(words[0]), at.stop)
    )
    return start, start + len(secret)


def secret_rules(further: Iterable[str] = ()) -> tuple[Rule, ...]:
    """All rules; ``further`` are the names of secrets that only this site has."""
    words = (
        b"(?i:"
        + b"|".join((_WORDS, *(re.escape(each).encode() for each in sorted(further) if each.strip())))
        + b")"
    )
    return (
        Rule("private-key", _KEY_BEGIN, _private_key),
        Rule("private-key", rb"Private-Lines: [0-9]+", _putty),
        Rule("url-password", rb"""[A-Za-z][A-Za-z0-9+.-]*://[^\s@"'<>]*:[^\s"'<>]*@|[A-Za-z][A-Za-z0-9+.-]*://[^\s/:"'<>]+@[^\s/:@"'<>]*:[^\s"'<>]*@""", _url),
        Rule("url-password", rb"\b[\w.-]+:[^\s\"'@:]+@(?:tcp|unix)\(|(?i:thin:|sqlplus |sqlldr |userid=|connect |expdp |impdp |rman target )[\w$#-]+/[^\s@\"']+@", _dsn),
        Rule("authorization", rb"(?i:\bbearer|\bbasic)[ \t]+[A-Za-z0-9+/=._~-]+", _authorization),
        Rule("named", words + _TAIL + _VALUE_BESIDE, _named),
        Rule("assignment", words + _TAIL + rb"(?:" + _SEPARATED + rb"|" + _XML + rb")", _assigned),
        Rule("pair", words + _TAIL + _CLOSE, _pair),
        Rule("sql", rb"(?i:identified(?:[ \t]+with[ \t]+\S+)?[ \t]+(?:by|as)(?:[ \t]+password)?|\bpassword)[ \t]*\(?[nN]?'|(?i:convertto-securestring(?:[ \t]+-string)?)[ \t]+[\"']", _identified),
        Rule("sentence", rb"(?i:password|passphrase|passcode|passwd|\bpin|token|secret|credential|(?:unseal|recovery|unlock|license|product|activation|encryption|api|secret|access|private) key|(?:recovery|backup|access|one-time|security) code)s?(?: [\w@.'\"()-]+)?(?: [\w@.'\"()-]+)?(?: [\w@.'\"()-]+)?(?: [\w@.'\"()-]+)?(?::| is:?| to:?| as:?| =)[ \t]+", _prose),
        Rule("directive", words + _TAIL + _SPACED, _directive),
        Rule("assignment", rb"[\x80-\xff]*(?:" + _CHINESE + rb")[\x80-\xff]*(?:\([^)\n]*\))?[\"']?[ \t]*(?:[:=]|" + "：|是|为".encode() + rb")", _chinese),
        Rule("option", rb"""[\s"']-[pPwWaAXckuUs](?:["']?[, =][ \t]*)?[^\s-]""", _short_option),
        Rule("option", rb"""[\s"']--(?:proxy-)?user["']?[, =][ \t]*[^\s-]""", _user_option),
        Rule("option", rb"\b-?pass(?:in|out)? pass:|\bpass:", _passin),
        Rule("option", rb"\b(?:echo|printf)[ \t][^\n|]*\|[ \t]*(?:sudo[ \t][^\n]*-S|[^\n]*chpasswd|[^\n]*--password-stdin|passwd[ \t]+--stdin|cryptsetup)", _echoed),
        Rule("option", rb"\\\\[\w.$\\-]+[ \t]+[^\s/]+[ \t]+/(?i:user):\S+|/(?i:user):\S+[ \t]+[^\s/]+", _net_use),
        Rule("option", rb"\brabbitmqctl[ \t]+(?:add_user|change_password)[ \t]+\S+[ \t]+[^\s]+|\bhtpasswd[ \t]+-[a-zA-Z]*b[a-zA-Z]*[ \t]+\S+[ \t]+\S+[ \t]+[^\s]+|\bsmbclient[ \t]+\S+[ \t]+[^\s-][^\s]+", _last_word),
        Rule("option", rb"(?i:connect|connection|pdo)\(\s*[\"'][^\"'\n]*[\"']\s*,\s*[\"'][^\"'\n]*[\"']\s*,\s*[\"'][^\"'\n]+", _third_argument),
        Rule("option", rb"(?m:^)[^\s#]+[ \t]+[^\s]+[ \t]+[^\s]+[ \t]+\*[ \t]*(?m:$)", _chap),
        Rule("option", rb"(?i:\bauth[ \t]+(?:plain|login|xoauth2)[ \t]+)[A-Za-z0-9+/=]+", _last_word),
        Rule("key", rb"\"(?:d|p|q|k|dp|dq|qi)\"[ \t]*:[ \t]*\"[\w-]+", _web_key),
        Rule("pgpass", rb"(?m:^)[\w.*-]+:[0-9*]+:[^:\s]+:[^:\s]+:[^\s]+", _pgpass),
        Rule("jwt", rb"\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*", _of_at_least(36)),
        Rule("webhook", rb"hooks\.slack\.com/(?:services|workflows)/[\w/]+|discord(?:app)?\.com/api/webhooks/[0-9]+/[\w-]+|webhook\.office\.com/[\w@/-]+|api\.telegram\.org/bot[0-9]+:[\w-]+", lambda at: (at.text.index(b"/", at.start) + 1, at.stop)),
        Rule("token", rb"\b[0-9]+:AA[\w-]+", _of_at_least(40)),
        Rule("token", rb"(?:" + _TOKENS + rb")", _token),
        Rule("password-hash", rb"\$(?:1|2[abxy]|5|6|7|8|9|y|apr1|sha1|md5|scrypt|argon2id?|argon2i|pbkdf2-sha[0-9]+|ml|P|H)\$[A-Za-z0-9./$=,+]+", _machine_hash),
        Rule("password-hash", rb"\{(?i:ssha|sha|smd5|ssha256|ssha512|crypt|pbkdf2[\w-]*)\}[A-Za-z0-9./$=+]+|\bpbkdf2_sha[0-9]+\$[A-Za-z0-9./$=+]+|SCRAM-SHA-[0-9]+\$[^\s\"']+", _machine_hash),
        Rule("password-hash", rb":[0-9a-fA-F]+:[0-9a-fA-F]+:::", lambda at: (at.start + 1, at.stop - 3) if at.stop - at.start == 69 else None),
        Rule("kubernetes", rb"(?m:^)[ \t]*kind:[ \t]*Secret\b", _kubernetes),
        Rule("password-hash", rb"\$ANSIBLE_VAULT;[0-9.]+;AES256[^\n]*\n(?:[ \t]*[0-9a-f]+\r?\n?)+", _of_at_least(60)),
    )  # fmt: skip
