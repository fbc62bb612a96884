"""Where the value behind a name ends in a text, and whether it is more than a word or a place-holder."""

from __future__ import annotations

import re
from typing import NamedTuple

from export_import.redaction.secret_names import SecretNames
from export_import.redaction.word_lists import HARMLESS

_LONGEST = 16 << 10  # bytes of a value
_SHORTEST = 3
_BEFORE = re.compile(
    rb"""[ \t]*(?:(?:export|set|setx|env|ENV|ARG|SET|\$env:|#|//|;|\*|\+|>|-e|--env|-|local"""
    rb"""|declare -x|readonly)[ \t]*)*"""
    rb"""[\w.$@:\[\]/-]*["']?"""
)
_DELIMITED = re.compile(rb"""[,;&|]+(?=[\s"']|$|[\w.\[\]$ -]{1,40}["']?[ \t]*[=:]|\\)""")
_NEXT_OF_LINE = re.compile(
    rb";(?=[ \t]*[A-Za-z][\w -]{0,30}=)|[ \t]+[#;][ \t]|&(?=[\w.-]{1,30}=)|\\r?\\n"
    rb"|(?<=[^\s]),[ \t]+(?=[\w.-]+[=:])"
)
_BLOCK = re.compile(rb"[|>][-+0-9]*[ \t]*(?:#[^\n]*)?(?=\r?\n)")
_LIST = re.compile(rb"- [^\s:{\[&*#]+(?:\s+- [^\s:{\[&*#]+)*")
_STRING = re.compile(
    rb"""(?:[bBrRuUfFN]|!!\w+[ \t]+|!\w+[ \t]+)?(\\*)("{3}|'{3}|''(?=[^'\s,;)]+'')|["'`]|\xe2\x80\x9c)"""
)
_CLOSING = b")]}>\"',;\\`"
_PAIRS = {b"(": b")", b"[": b"]", b"{": b"}", b"<": b">"}

_HOLDER = re.compile(
    rb"""\$\{\{?[^}]*\}\}?|\$\([^)]*\)|\$\.[A-Z]+\b.*|\{\$\..*\}|\$(?:[A-Z_][A-Z_]*[0-9]?|[a-z_]+)"""
    rb"""|%[A-Za-z_]+%|%\(\w+\)[sdr]|%[sdrvq@]|%[-0-9.]*[a-z]"""
    rb"""|<[A-Za-z][A-Za-z _|-]*>|<[A-Z_]+>|\{\{[^}]*\}\}|\{[A-Za-z_. ]*\}|\[[A-Za-z_ -]*\]"""
    rb"""|\(\w[\w ]*\)|(?:%[sdr]|\{[^{}]*\}|[:/@ .,-])+(?:\\[nrt]["']?)?|r?["']?\(\.[*+]\??\).*"""
    rb"""|[*x.\xe2\x80\xa2_#?X-]+|:[a-z_]+|@[a-z_]+|"""
    rb"""\?|&[a-z]+;|__\w+__|\.\.\.|YOUR[-_A-Z0-9]*|your[-_a-z]*"""
    rb"""|<(?:function|class|object|module|built-in|generator|bound)\b.*"""
    rb"""|\[(?:REDACTED|FILTERED|MASKED|hidden)[^\]]*\]?|(?:REDACTED|FILTERED)"""
)
_CODE = re.compile(
    rb"""(?:await |new |not |return )*(?:[A-Za-z_]\w*(?:\.|->|::))*[A-Za-z_]\w*(?:\(.*"""
    rb"""|\[[-:"'\w].*)|[A-Za-z_][\w.]* (?:\+|\||%|if|or|and|in|is|not|else|==|!=) .+|"""
    rb"""(?:self|this|os|config|cfg|conf|settings|args|opts|options|request|req|env|process|params"""
    rb"""|ctx|app|data|user|account|kwargs|session|response|resp|secrets|var|local|module|data)"""
    rb"""(?:\.|->)[A-Za-z_][\w.>-]*[,;)]*|(?:str|bytes|int|Optional|Union|String|SecretStr|list"""
    rb"""|dict|object|char|const|std)\b[\[\w\]<>:, |=*&.]*"""
)
_SPEECH = re.compile(  # of documents: another name, a page of a manual, a report, fields in brackets
    rb"(?:/?[A-Za-z]+=)+[.,]?|[\w.-]+\(\d\w*\)?|\(?(?:CVE|RFC|DSA|GHSA|LP|Bug)[-:# ]?\d[\w-]*"
    rb"|(?:<[\w -]+>=?)+|\(?[a-z]+(?:\|[a-z]+)+\)?|[A-Za-z]+\xe2\x80\x90"
)
_PATH = re.compile(
    rb"(?:~|\.{1,2}|[A-Za-z]:|file:/)?(?:[/\\]{1,2}(?:\.?[a-z]+|[A-Z][a-z]+|[A-Z]+"
    rb"|[0-9.]+)(?:[-_.@: ]?(?:[a-z]+|[A-Z][a-z]+|[A-Z]+|[0-9]+))*){1,}[/\\]?"
)
_DIGITS = re.compile(rb"[0-9][0-9.,_]*(?: ?[a-zA-Z%]{1,7})?")
_TIME = re.compile(
    rb"\d+/(?:tcp|udp|sctp|dccp)|\d{4}-\d\d-\d\d[T ]?[\d:.,+Z-]*|\d+(?:\.\d+)?(?:ms|us|s|m|h|d|kB|KB|MB|GB|%)"
)
_WORD = re.compile(rb"[A-Za-z]+(?:['-][a-z]+|\xe2\x80[\x90\x99][a-z]*)*[.,!?:;)]*")
_PROSE = re.compile(
    rb"[(\"']*[A-Za-z\x80-\xff'\"-]+[.,!?:;)\"'-]*(?: [(\"'`/]*[\w\x80-\xff'\"./-]+[.,!?:;)\"'`]*)+"
)


class Value(NamedTuple):
    """The bytes of a text that are a value; ``firm``: the place is one for values alone."""

    start: int
    stop: int
    quoted: bool
    firm: bool


def value_at(text: bytes, position: int, name_start: int, colon: bool) -> Value:
    """The value that begins at or after ``place``; its name begins at ``name_start`` of the same text."""
    line = text.rfind(b"\n", max(name_start - 256, 0), name_start) + 1
    opening = text[name_start - 1 : name_start] if name_start else b""
    first = bool(_BEFORE.fullmatch(text, max(line, name_start - 256), name_start)) and name_start - line < 256
    start = _without_blanks(text, position)
    if _BLOCK.match(text, start):
        return _block(text, start, line)
    if colon and first and text[start : start + 1] in b"\r\n":
        return _below(text, start, line)
    closed = opening in text[name_start:position]
    closer = opening if opening in (b'"', b"'", b"`") and not closed else b""
    if closer and text[start : start + 1] == closer:
        return Value(start, start, False, True)
    if quote := _STRING.match(text, start):
        return _quoted(text, quote)
    stop = _line_end(text, start)
    if closer and (end := text.find(closer, start, stop)) >= 0:
        return Value(start, end - (text[end - 1 : end] == b"\\"), False, True)
    if first:
        rest = _NEXT_OF_LINE.search(text, start, stop)
        stop = rest.start() if rest else stop
        return Value(start, start + len(text[start:stop].rstrip(b" \t\r,\\")), False, True)
    return _bare(text, start, stop)


def _without_blanks(text: bytes, position: int) -> int:
    while text[position : position + 1] in (b" ", b"\t"):
        position += 1
    return position


def _line_end(text: bytes, start: int) -> int:
    end = text.find(b"\n", start, start + _LONGEST)
    return end if end >= 0 else min(len(text), start + _LONGEST)


def _quoted(text: bytes, quote: re.Match[bytes]) -> Value:
    """Up to the same quote, at the same depth of backslashes."""
    depth, mark = quote[1], quote[2]
    start, end = quote.end(), quote.end()
    closing = b"\xe2\x80\x9d" if mark == b"\xe2\x80\x9c" else mark
    limit = min(len(text), start + _LONGEST)
    if mark == b"`":
        limit = _line_end(text, start)
    if len(mark) == 1 and (newline := text.find(b"\n", start, limit)) >= 0:
        closed = text.find(closing, start, newline)
        limit = newline if closed >= 0 else limit
    while (end := text.find(closing, end, limit)) >= 0:
        slashes = 0
        while text[end - 1 - slashes : end - slashes] == b"\\":
            slashes += 1
        after, next_but_one = text[end + 1 : end + 2], text[end + 2 : end + 3]
        doubled = after == closing and end > start and next_but_one not in b",;)]} \r\n"
        if slashes == len(depth) or slashes < len(depth) or (not depth and slashes % 2 == 0):
            if not doubled:
                return Value(start, end - min(slashes, len(depth)), True, True)
            end += 1
        end += len(closing)
    return _bare(text, start, _line_end(text, start))


def _block(text: bytes, start: int, line: int) -> Value:
    """YAML's ``|`` and ``>``: the lines below that are indented deeper."""
    below = _line_end(text, start) + 1
    return _indented(text, below, line)


def _below(text: bytes, start: int, line: int) -> Value:
    """Nothing behind the colon: one value in the next line, if that is deeper and no map or list."""
    value = _indented(text, _line_end(text, start) + 1, line)
    message = text[value.start : value.stop].strip()
    if _LIST.fullmatch(text, value.start, value.stop):
        return value._replace(start=value.start + 2)
    alone = b"\n" not in message and not re.match(rb"[\w.\"'-]+[ \t]*[:=]|- *\w+:|\w+ \w+ \w+", message)
    return value if alone else Value(start, start, False, True)


def _indented(text: bytes, start: int, line: int) -> Value:
    depth = _without_blanks(text, line) - line
    stop = start
    while stop < min(len(text), start + _LONGEST):
        end = _line_end(text, stop)
        this = text[stop:end]
        if this.strip() and len(this) - len(this.lstrip(b" \t")) <= depth:
            break
        stop = end + 1
    stop = min(max(stop - 1, start), len(text))
    first = start + len(text[start:stop]) - len(text[start:stop].lstrip())
    return Value(first, max(stop, first), b" " in text[first:stop], True)


def _bare(text: bytes, start: int, stop: int) -> Value:
    """Up to a blank, or up to what separates it from the next name."""
    run = re.compile(rb"\S*").match(text, start, stop)
    stop = run.end() if run else start
    if (rest := _DELIMITED.search(text, start, stop)) is not None:
        stop = rest.start()
    if (escape := text.find(b"\\n", start, stop)) > start:
        stop = escape
    while stop > start and (last := text[stop - 1 : stop]) in _CLOSING:
        inside = text[start : stop - 1]
        opens = next((o for o, c in _PAIRS.items() if c == last), None)
        if opens is not None and inside.count(opens) > inside.count(last):
            break
        stop -= 1
    if text[stop - 1 : stop] == b"." and stop - start > 1:
        stop -= 1
    return Value(start, stop, False, False)


def strong(value: bytes) -> bool:
    """Nothing that people write as a word: letters among digits, or marks among letters."""
    value = value.rstrip(b".,;:!?")
    if (
        len(value) < 6
        or _PATH.fullmatch(value)
        or _TIME.fullmatch(value)
        or b"://" in value
        or b"()" in value
        or value.startswith(b"HTTP/")
        or _SPEECH.fullmatch(value)
    ):
        return False
    letters = any(65 <= each <= 90 or 97 <= each <= 122 for each in value)
    digits = any(48 <= each <= 57 for each in value)
    marks = any(each in b"!@#$%^&*+=?~|;{}<>" or each >= 128 for each in value)
    return letters and (digits or marks)


def is_harmless(
    names: SecretNames, name: bytes, value: bytes, quoted: bool = True, firm: bool = True, colon: bool = False
) -> bool:
    """Whether ``value`` behind the name of a secret is none."""
    bare = value.strip().strip(b"\\\"'")
    folded = bare.lower().rstrip(b".,;:!)]}>")
    if len(bare) < _SHORTEST or folded in HARMLESS or (_HOLDER.fullmatch(bare) and not _in_braces(bare)):
        return True
    lone = name.lower().strip(b"-_ ")
    if _DIGITS.fullmatch(bare) and (
        b"token" in lone
        or lone in (b"pass", b"sid", b"key", b"auth", b"cookies", b"secrets")
        or (b"session" in lone and len(bare) < 4)
    ):
        return True
    if lone in (b"pass", b"passes") and re.match(rb"\d+(?:[ ,;/]|$)", bare):
        return True
    if _TIME.fullmatch(bare) or _SPEECH.fullmatch(bare) or bare.startswith((b"$.", b"{$.")):
        return True
    if _PATH.fullmatch(bare) and (bare.count(b"/") + bare.count(b"\\") > 1 or name in (b"PWD", b"OLDPWD")):
        return True
    if name in (b"PWD", b"OLDPWD") and bare[:1] in (b"/", b"~"):
        return True
    if _names_one(names, lone, bare):
        return True
    plain = firm and colon and b"(" not in bare and b"." not in bare
    if not quoted and not plain and _CODE.fullmatch(bare):
        whole = b"." not in bare and b" " not in bare and not bare.endswith((b")", b"]"))
        return not (whole and (firm or b"(" in bare) and strong(bare))
    if lone in (b"pass", b"auth", b"pin", b"sid", b"pw", b"community", b"sig", b"key"):
        unusual = name.islower() and firm and not _WORD.fullmatch(bare) and b" " not in bare
        return not (quoted or unusual or strong(bare) or bare.isdigit())
    return not quoted and _is_prose(lone, bare, firm, colon)


def _in_braces(value: bytes) -> bool:
    """``{x}`` as ODBC quotes what has marks in it."""
    inside = value[1:-1]
    return value[:1] == b"{" and strong(inside) and not re.search(rb"[\[(.{]", inside)


def _is_prose(name: bytes, value: bytes, firm: bool, colon: bool) -> bool:
    """Words of a sentence behind the name."""
    if b" " in value:
        words = value.split()
        phrase = any(each in name for each in (b"passphrase", b"psk", b"mnemonic")) and len(words) > 2
        phrase = phrase and firm and value.islower()
        return bool(_PROSE.fullmatch(value)) and not strong(words[0]) and not phrase
    return colon and not firm and _WORD.fullmatch(value) is not None


def _names_one(names: SecretNames, name: bytes, value: bytes) -> bool:
    """A value that is the name of a secret (``password: db_password``), a column, a variable."""
    if value.lower() == name:
        return True
    if not re.fullmatch(rb"[a-z]+(?:[_.-][a-z]+)+|[A-Z]+(?:_[A-Z]+)+|[a-z]+(?:[A-Z][a-z]+)+", value):
        return False
    message = value.decode()
    return names.has(message) or names.has(re.sub(r"[_.-]?(?:ref|name|file|path|id|key)$", "", message))
