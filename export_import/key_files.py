"""The files in which a workspace keeps its keys: one to sign with, one to be written to."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pyrage
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_ssh_private_key

from engine.model.codes import bundles as codes
from engine.model.disk import read_file
from engine.model.errors import SkerryError
from export_import.container.signature import public_text

SIGNING, AGE = "signing", "age.txt"


def read(path: Path) -> bytes:
    """Its bytes; SkerryError when they cannot be had."""
    try:
        return read_file(path)
    except OSError as error:
        raise SkerryError.at(codes.KEYS_DAMAGED, "{where}: {error}", path, error=error.strerror) from error


def load_signing(path: Path) -> Ed25519PrivateKey:
    """A key to sign with; SkerryError when it is none."""
    data = read(path)
    try:
        key = load_ssh_private_key(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise SkerryError.at(codes.KEYS_DAMAGED, "{where} is no key", path) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise SkerryError.at(codes.KEYS_DAMAGED, "{where} is no Ed25519 key", path)
    # the file holds the public key too, and the library does not compare them: a flipped bit made another key
    if key.public_key().public_bytes_raw() not in base64.b64decode(data.split(b"-----")[2]):
        raise SkerryError.at(codes.KEYS_DAMAGED, "{where} is not what was written", path)
    return key


def public_of(folder: Path) -> str:
    """``ssh-ed25519 AAAA…`` of the key in a folder."""
    return public_text(load_signing(folder / SIGNING).public_key().public_bytes_raw())


def recipient_of(folder: Path) -> str:
    """``age1…`` of the key in a folder."""
    return str(load_age(folder / AGE).to_public())


def load_age(path: Path) -> Any:
    """An age identity; SkerryError when it is none."""
    try:
        return pyrage.x25519.Identity.from_str(read(path).decode().strip())
    except (ValueError, pyrage.IdentityError) as error:
        raise SkerryError.at(codes.KEYS_DAMAGED, "{where} is no age identity", path) from error


def load_ssh_identity(path: Path) -> Any:
    """What opens a file that was encrypted to the key to sign with; SkerryError when it is none."""
    load_signing(path)
    try:
        return pyrage.ssh.Identity.from_buffer(read(path))
    except pyrage.IdentityError as error:
        raise SkerryError.at(codes.KEYS_DAMAGED, "{where} is no key", path) from error
