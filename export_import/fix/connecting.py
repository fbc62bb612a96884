"""Programs and functions that connect, and which of the words handed to them are hosts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

NAME = r"[^\W_](?:[\w.-]{0,250}\w)?"
HOLDER = (
    r"\{\$[^{}]{0,500}\}|\$\{\w[^{}]{0,200}\}|\$\w+|%\w+%"  # placeholders for a text: reported as written
)


_PROGRAMS: dict[str, Any] = yaml.load(
    Path(__file__).with_name("programs.yaml").read_bytes(), yaml.CSafeLoader
)


def _table(rows: Mapping[str, str]) -> dict[str, str]:
    """Names of programs to letters of short options."""
    return {name: letters for names, letters in rows.items() for name in names.split()}


_FIRST, _EVERY, _COPIES, _BY_OPTION, _JUMPS = (
    _table(_PROGRAMS[name]) for name in ("first", "every", "copies", "by_option", "jumps")
)
_PATHS = frozenset(_PROGRAMS["paths"].split())
_PROGRAM = re.compile(
    r"(?<![\w.$@%{-])("
    + "|".join(sorted(map(re.escape, {**_FIRST, **_EVERY, **_COPIES, **_BY_OPTION}), key=len, reverse=True))
    + r")(?:\.exe)?[\"']?(?=[\s,])"
)
_GAP = re.compile(r"(?:,\s{0,200}|[ \t]|\\\r?\n|\d?[<>]{1,3}&?[ \t]{0,9}[^\s;|&<>]{0,200})+")
_WORD = re.compile(
    rf"(?:{HOLDER}"
    r"""|\[[0-9A-Fa-f:.]{2,45}\]|\$\([^()\n]{0,500}\)|`[^`\n]{0,500}`|"(?:[^"\\\n]|\\.){0,2000}"|'[^'\n]{0,2000}'|\\[^\s]|[^\s"'`|&;<>()\[\],\\]{1,300}+){1,8}+"""
)
_CALLS = 2000  # programs of one text; beyond that only ``…`` is reported
_MOST = 30  # words of one command
_HOST = re.compile(
    rf"(\[[0-9A-Fa-f:.]+\]|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(?:%\w+)?|\\{{0,4}}{NAME})\.?(?::(.*))?"
)
_HELD = re.compile(rf"{HOLDER}|\$\(|`")
_CALL = re.compile(
    r"""(?<![\w.:>-])([\w.:>-]{1,80})\s{0,9}\(\s{0,9}(?:AF_\w+\s*,\s*)?\(?\s{0,9}(?:[rfubRFUB]{0,2}(["'])([^"'\n]{1,300})\2|([^\W\d][\w.]{0,60}))"""
)
_CONNECTS = re.compile(
    r"(?i)connect|socket|http|smtp|imap|pop3|ftp|telnet|ssh|ldap|redis|mongo|host|resolve|dial|client|server|getaddrinfo"
    r"|inetaddress|getbyname|transport|open_connection"
)


def handed(text: str) -> Iterator[str]:
    """The hosts among the words that programs in a text are called with."""
    for number, found in enumerate(_PROGRAM.finditer(text)):
        if number == _CALLS:
            yield "…"
            return
        yield from _hosts(found[1], text, found.end())


def called(text: str) -> tuple[set[str], set[str]]:
    """The hosts that functions which connect are called with, and the names of the variables among them."""
    hosts, variables = set(), set()
    for found in _CALL.finditer(text):
        if _CONNECTS.search(found[1]):
            if found[4]:
                variables.add(found[4])
            elif host := host_in(found[3], sure=True):
                hosts.add(host)
    return hosts, variables


def host_in(word: str, *, sure: bool = False, paths: bool = False) -> str | None:
    """The host that a word names, with its port; None when it cannot be one.

    ``sure``: whatever is there is a host, also a number; ``paths``: ``host/path`` is one, too.
    """
    if "://" in word or word.startswith("jdbc:"):
        return None  # an address by its form
    if _HELD.search(word):
        return word
    word = word.rpartition("@")[2]
    found = _HOST.fullmatch(word.partition("/")[0] if paths else word)
    if found is None or (found[1].isdigit() and not sure and len(found[1]) < 6):
        return None
    return f"{found[1]}:{found[2]}" if (found[2] or "").isdigit() else found[1]


def _hosts(program: str, text: str, at: int) -> Iterator[str]:
    takes = _FIRST.get(program) or _EVERY.get(program) or _COPIES.get(program) or ""
    hosts = _JUMPS.get(program, "") + _BY_OPTION.get(program, "")
    first, copies, by_option = program in _FIRST, program in _COPIES, program in _BY_OPTION
    for word, option in _words(takes, hosts, text, at):
        if by_option and not option:
            continue
        if copies and not option and ":" not in word and "$" not in word:
            continue
        host = host_in(word, sure=first or by_option, paths=program in _PATHS)
        if host:
            yield host
        if first and not option:
            return


def _words(takes: str, hosts: str, text: str, at: int) -> Iterator[tuple[str, bool]]:
    """The words of a command that may name a host; True: the value of an option for one.

    ``takes`` are the short options with a value, ``hosts`` those at which a host is.
    """
    next_is = ""  # what the option before says of the next word
    for word in _split(text, at):
        if next_is:
            if next_is == "host":
                yield word, True
            next_is = ""
        elif word[:1] != "-" or word == "-":
            yield word, False
        elif word[:2] == "--":
            continue  # by its key
        else:
            next_is, glued = _short(word, takes, hosts)
            if glued:
                yield glued, True


def _short(word: str, takes: str, hosts: str) -> tuple[str, str]:
    """What the next word is after short options (host, value or nothing), and a host glued to them."""
    for i, letter in enumerate(word[1:], 1):
        rest = word[i + 1 :].lstrip("=")
        if letter in hosts:
            return ("", rest) if rest else ("host", "")
        if letter in takes:
            return ("" if rest else "value"), ""
    return "", ""


def _split(text: str, at: int) -> Iterator[str]:
    """The words of the command from there on, without their quotes; also those of a list in a program."""
    for _ in range(_MOST):
        gap = _GAP.match(text, at)
        word = _WORD.match(text, gap.end()) if gap else None
        if word is None:
            return
        yield re.sub(r"[\"']", "", word[0]) if "{$" not in word[0] else word[0].strip("\"'")
        at = word.end()
