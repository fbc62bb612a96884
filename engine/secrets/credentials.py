"""What opens a vault: a passphrase or a key file, given by hand or by the environment."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from engine.model.codes import secrets as codes
from engine.model.errors import Refused

PASSPHRASE = "SKERRY_PASSPHRASE"
PASSPHRASE_FILE = "SKERRY_PASSPHRASE_FILE"
KEY_FILE = "SKERRY_KEY_FILE"
VARIABLES = (PASSPHRASE, PASSPHRASE_FILE, KEY_FILE)  # the engine keeps them from every job
_LARGEST = 64 * 1024


class Credential(NamedTuple):
    """Bytes that a key is derived from, and which kind of slot they fit."""

    kind: Literal["passphrase", "key_file"]
    secret: bytes


def of_passphrase(passphrase: str) -> Credential:
    """A typed passphrase; composed and decomposed letters are the same (NFC)."""
    text = unicodedata.normalize("NFC", passphrase)
    if not text:
        raise Refused(codes.WRONG_PASSPHRASE, "the passphrase is empty")
    return Credential("passphrase", text.encode("utf-8", "surrogatepass"))


def of_key_file(path: Path) -> Credential:
    """All bytes of a file that the operator keeps as the key."""
    return Credential("key_file", _read(path))


def of_environment(environ: Mapping[str, str]) -> Credential | None:
    """From SKERRY_PASSPHRASE, SKERRY_PASSPHRASE_FILE or SKERRY_KEY_FILE, the first that is set."""
    if environ.get(PASSPHRASE):
        return of_passphrase(environ[PASSPHRASE])
    if environ.get(PASSPHRASE_FILE):
        return _of_passphrase_file(Path(environ[PASSPHRASE_FILE]))
    return of_key_file(Path(environ[KEY_FILE])) if environ.get(KEY_FILE) else None


def _of_passphrase_file(path: Path) -> Credential:
    """The file's text without its last line end."""
    try:
        text = _read(path).decode()
    except UnicodeDecodeError as error:
        raise Refused.at(codes.KEY_FILE, "{where} is not text", path) from error
    return of_passphrase(text.removesuffix("\n").removesuffix("\r"))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(_LARGEST + 1)
    except OSError as error:
        raise Refused.at(codes.KEY_FILE, "{where}: {error}", path, error=error.strerror) from error
    if not 0 < len(data) <= _LARGEST:
        raise Refused.at(codes.KEY_FILE, "{where} is empty or too long", path)
    return data
