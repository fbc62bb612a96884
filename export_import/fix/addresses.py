r"""Hosts, addresses and URLs that definitions name: read as text, never run, and rather one too many.

1. What has the form of an address, anywhere: URLs, JDBC, ``user@host``, IPv4, IPv6, ``//host/share``,
   ``\\host\share``, ``host:port``, names with dots that do not end like a file (in programs and SQL the last
   two in quotes only).
2. The value of a key that is called like a host: ``DB_HOST=h``, ``--server h``, ``{"url": …}``.
3. What is handed to a program or a function that connects: ``ssh h``, ``connect(("h", 1))``.

A variable or an expression there is reported as written, and so is what the same definitions set it to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Any

from engine.model.job import STAGES
from export_import.fix.connecting import HOLDER, NAME, called, handed, host_in

_ROUNDS = 4  # a variable may get its value from another one
_PROGRAMS = frozenset({"python", "java"})
_PASSING = frozenset({"value", "default", "choices"})  # of a parameter: its own name is the key
_KEY = re.compile(
    r"(?:host|server|addr(?:ess)?|(?<!c)url|uri|proxy|endpoint|machine|主机名?|服务器|地址)s?(?:name)?$"
    r"|^(?:brokers?|peers?|gateway|ip|ips|fqdn|bastion|(?:proxy)?jump|remote|dsn|bootstrap|upstream|backend|domain|registry"
    r"|mirror|replicas?|master|primary|computer)$"
)
_PARTS = re.compile(r"[_.\-\s]+|(?<=[a-z0-9])(?=[A-Z])")
_VALUE = rf"""[(\[]{{0,3}}([rfub]?["'])?({HOLDER}|[^\s"',;&|()<>\[\]{{}}]{{1,300}})"""
_KEYED = tuple(  # looked at, not taken: the value may be a key, too
    re.compile(each + _VALUE + ")", re.MULTILINE)
    for each in (
        r"""(?<![\w.$-])-{0,2}([^\W\d][\w.-]{0,60})(?=["']?\s{0,9}(?:=>?|:)\s{0,9}""",
        r"""(?<![\w.$-])--?([^\W\d][\w.-]{0,60})(?=["']?,?[ \t]{1,9}""",
        r"""(?<![\w.$-])([^\W\d][\w.-]{0,60})(?=[ \t]{1,9}(?=["'])""",
        r"""(?:^[ \t]{0,40}|["'])([^\W\d]\w{0,60})(?=[ \t]{1,9}(?=\S{1,300}[ \t]{0,40}(?:$|["']))""",
    )
)
_FOR = re.compile(r"\bfor[ \t]+(\w{1,60})[ \t]+in[ \t]+([^;\n]{1,2000})")
_VARIABLE = re.compile(r"\$\{?(\w+)|\{(\w+)\}|(?:PARAMS|ITEM)(?:\.|\[['\"]?)([^'\"\]\s{}.]+)|%(\w+)%")
_AUTHORITY = re.compile(r"://(?:\{[^{}]*\}|[^/?#{])*")
_LITERAL = re.compile(
    r'"""(.{0,20000}?)"""'
    r"|'''(.{0,20000}?)'''"
    r'|"((?:[^"\\\n]|\\.){0,2000})"'
    r"|'((?:[^'\\\n]|\\.){0,2000})'",
    re.DOTALL,
)
_FORMS = (  # what one finds is not there for the next
    re.compile(r"(\b(?:jdbc:|[a-zA-Z][a-zA-Z0-9+.-]{0,30}://)(?:\{[^{}]{0,500}\}|[^\s'\"<>|`])+)"),
    re.compile(r"(/dev/(?:tcp|udp)/[^\s/\"']+/[^\s/<>&|;)\"']+)"),
    re.compile(r"(?<![\w:/])(//[\w.-]+/[\w.$/-]*)"),
    re.compile(r"(?<![\w\\])(\\{2,4}\w[\w.-]*(?:\\{1,2}[\w.$-]+|(?=[\s\"']|$)))"),
    re.compile(rf"[\w}}]@((?:{NAME}|{HOLDER}|\[[0-9A-Fa-f:.]+\])(?::\d{{1,5}}(?!\w))?)"),
    re.compile(rf"(?i:\b(?:tcp|udp|sctp|ssl|openssl)[46]?(?:-connect)?):({NAME}:\w+)"),
    re.compile(r"(?<![\w.])((?:\d{1,3}\.){3}\d{1,3}(?::\d+)?)(?!\w|\.\d)"),
)
_COLONS = re.compile(r"(?<![\w:.\[])((\[?)([0-9A-Fa-f:.]{2,45})(?:%\w+)?(?:\](?::\d{1,5})?)?)(?![\w:])")
_PORT = re.compile(r"(?<![\w.@$/{\\-])([^\W\d][\w-]*(?:\.[\w-]+)*:\d{1,5})(?![\w:.])")
_DOTTED = re.compile(r"(?<![\w.$@\\/:-])((?:[^\W_][\w-]{0,62}\.){1,9}[^\W\d_][\w-]{1,62})(?![\w(\[-]|\.\w)")
_FILES = re.compile(
    r"(?i)txt|[ct]sv|log|json|ya?ml|xml|html?|sh|bash|pyc?|sql|t?gz|tgz|tar|zip|bz2|xz|zst|conf|cfg|ini|toml|properties|jar"
    r"|war|class|java|[jt]s|css|png|jpe?g|gif|svg|pdf|docx?|xlsx?|md|bak|old|te?mp|out|err|pid|lock|db|sqlite|exe|dll"
    r"|bat|cmd|ps1|rpm|deb|key|pem|crt|cer|csr|p12|jks|pub|parquet|avro|dat|bin|img|iso|service|timer|env|list|part|done|ok"
)


@dataclass(frozen=True, slots=True)
class _Text:
    """A text of a definition and its key; ``program``: what it names is in quotes."""

    text: str
    key: str
    program: bool = False


def addresses(trees: Iterable[Any], key: str = "", beside: Iterable[Any] = ()) -> set[str]:
    """All of them that JSON values name together; ``key`` is what they are called.

    Placeholders for a host in ``beside`` are ones here, too.
    """
    texts = [each for tree in trees for each in _texts(tree, key)]
    others = [each for tree in beside for each in _texts(tree)]
    found = {host for each in texts for host in _itself(each)}
    around = found.union(host for each in others for host in _itself(each))
    functions = {name for each in (*texts, *others) for name in called(each.text)[1]}
    variables: frozenset[str] = frozenset()
    for _ in range(_ROUNDS):
        found |= {host for each in texts for host in _by_key(each, variables)}
        around |= found.union(host for each in others for host in _by_key(each, variables))
        known, variables = variables, frozenset(functions.union(*map(_variables, around)))
        if variables == known:
            break
    return found


def _texts(tree: Any, key: str = "", program: bool = False) -> Iterator[_Text]:
    """Every text of a definition; the words of a list are one more, as they make a command together."""
    if isinstance(tree, Mapping):
        is_program = tree.get("type") in _PROGRAMS
        for name, each in tree.items():
            yield _Text(str(name), "")
            inner = key if name in _PASSING else str(name)
            yield from _texts(
                each, inner, (is_program and name in STAGES) or str(name).startswith("statement")
            )
    elif isinstance(tree, list):
        words = [str(each) for each in tree if isinstance(each, (str, int, float))]
        if len(words) > 1 and not program:
            yield _Text(" ".join(f'"{each}"' for each in words), "")
        for each in tree:
            yield from _texts(each, key, program)
    elif isinstance(tree, str) or (type(tree) is int and _is_host_key(key)):
        yield _Text(str(tree), key, program)


def _itself(text: _Text) -> Iterator[str]:
    """What a text names by its form, and by what it calls."""
    if not _is_host_key(text.key):
        yield from handed(text.text)
        yield from called(text.text)[0]
        yield from _forms(text)


def _forms(text: _Text) -> Iterator[str]:
    rest = text.text
    for form in _FORMS:
        yield from (found.rstrip(".,;)") for found in form.findall(rest))
        rest = form.sub(" ", rest)
    for found in _COLONS.finditer(rest):
        if _is_ipv6(found[3]):
            yield found[1].strip("[]") if "]:" not in found[1] else found[1]
    for part in _literals(rest) if text.program else (rest,):
        yield from _PORT.findall(part)
        yield from (each for each in _DOTTED.findall(part) if not _FILES.fullmatch(each.rpartition(".")[2]))


def _by_key(text: _Text, variables: frozenset[str]) -> Iterator[str]:
    """The value of a host's key, in a text ``key=value``, ``key: value``, ``--key value``."""
    if text.text and (_is_host_key(text.key) or text.key in variables):
        yield text.text
        return
    yield from _keyed(text.text, variables, quoted=text.program)
    for part in _literals(text.text) if text.program else ():
        yield from _keyed(part, variables)
    for found in _FOR.finditer(text.text):
        if found[1] in variables:
            yield from (host for each in found[2].split() if (host := host_in(each.strip("\"'"))))


def _keyed(text: str, variables: frozenset[str], *, quoted: bool = False) -> Iterator[str]:
    for key, quote, value in (found for each in _KEYED for found in each.findall(text)):
        host = host_in(value, paths=True) if quote or not quoted else None
        if host and (key in variables or _is_host_key(key)):
            yield host


def _variables(found: str) -> set[str]:
    host = _AUTHORITY.search(found)
    return {name for names in _VARIABLE.findall(host[0] if host else found) for name in names if name}


def _is_host_key(key: str) -> bool:
    """By its name: ``host``, ``db_host``, ``PGHOST``, ``serverName``."""
    parts = [each.lower() for each in _PARTS.split(key) if each]
    if parts[1:] and parts[-1] in ("name", "names"):
        parts.pop()
    return bool(parts) and _KEY.search(parts[-1]) is not None


def _is_ipv6(text: str) -> bool:
    try:
        return text.count(":") > 1 and bool(IPv6Address(text))
    except ValueError:
        return False


def _literals(text: str) -> Iterator[str]:
    return ("".join(each) for each in _LITERAL.findall(text))
