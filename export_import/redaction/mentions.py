"""Where a text mentions the name of a secret: the words to look for, and the whole name around one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from export_import.redaction.rule import Candidate
from export_import.redaction.word_lists import CHINESE as _CHINESE
from export_import.redaction.word_lists import CODE_OF, EXACT, KEY_OF

_WORDS = (
    rb"pass(?:word|wd|phrase|code|wort|in|out|key)?|pwd|\bpsw|pw|\bcommunity"
    rb"|convertto-securestring|secret|token|credential|authorization|cookie|psk"
    rb"|(?:" + "|".join(sorted(KEY_OF)).encode() + rb")[_.-]?keys?"
    rb"|(?:" + "|".join(sorted(CODE_OF)).encode() + rb")[_.-]?code"
    rb"|api[_-]?v[0-9]+[_-]?key|kennwort|wachtwoord|contrasena|senha|motdepasse|saml(?:response|request)|\bencrypt\b"
    rb"|sess(?:ion)?_?id|\bsid|\botp|totp|csrf|xsrf|mnemonic"
    rb"|[_\"']auth|\bpin|masterauth|tls\.key|ssh-privatekey|sharedaccess(?:key|signature)"
    rb"|[?&]sig|x-amz-signature|dockerconfigjson|dockercfg|r[ow]community|connect\.sid|authkey"
)
CHINESE = "|".join(_CHINESE).encode()
TAIL = rb"[\w.-]*"
_OF_KEYS = (  # of JSON and its tables: with blanks, with a short word at the end, as a whole
    rb"\b(?:" + b"|".join(re.escape(each).encode() for each in sorted(EXACT)) + rb")\b|\bkty\b"
    rb"|(?:"
    + "|".join(sorted(KEY_OF)).encode()
    + rb") keys?|(?:"
    + "|".join(sorted(CODE_OF)).encode()
    + rb") codes?"
    rb"|(?:pin|psw|sid|otp)[\d_.-]*[\"'\\]"
)
MENTIONED = rb"(?i:" + _WORDS + rb"|" + _OF_KEYS + rb")|" + CHINESE  # where a name of a secret may be
_NAME_BEFORE = re.compile(rb"[\w.$\x80-\xff-]{0,60}\Z")
_NAME = re.compile(rb"[\w.$-]+")


def words(further: Iterable[str] = ()) -> bytes:
    """A pattern of all words; ``further`` are the names of secrets that only this site has."""
    own = (re.escape(each).encode() for each in sorted(further) if each.strip())
    return b"(?i:" + b"|".join((_WORDS, *own)) + b")"


def whole_name(at: Candidate) -> tuple[bytes, int]:
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
