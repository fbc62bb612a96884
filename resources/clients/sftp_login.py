"""Logging in at an SFTP server: first it proves a pinned host key, then it is given user and secret."""

from __future__ import annotations

import logging
import socket

from cryptography.exceptions import UnsupportedAlgorithm
from paramiko import PasswordRequiredException, PKey, SSHException, Transport
from paramiko.pkey import UnknownKeyType

from engine.model import host_keys
from engine.model.message import Message
from resources.clients.sftp_errors import failed
from resources.clients.sftp_place import SftpPlace

_LOG = "skerry.sftp"  # the library's own, which would go to standard error


def connect(place: SftpPlace, seconds: float) -> socket.socket:
    """A connection that sends small packets at once: else each request waits 40 ms. Raises OSError."""
    wire = socket.create_connection((place.host, place.port), timeout=seconds)
    wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return wire


def log_in(transport: Transport, place: SftpPlace, seconds: float) -> None:
    """Raises SkerryError, and what ``translated`` knows. ``seconds``: the longest wait for each answer."""
    logging.getLogger(_LOG).setLevel(logging.CRITICAL + 1)
    transport.set_log_channel(_LOG)
    transport.auth_timeout, transport.banner_timeout = seconds, 2 * seconds
    _prefer(transport, place)
    transport.start_client(timeout=seconds)
    if not transport.initial_kex_done:  # it returns at its timeout without a word
        raise TimeoutError
    _check_host(transport, place)
    if place.key is None:
        more = transport.auth_password(place.user, place.secret)
    else:
        more = transport.auth_publickey(place.user, _private_key(place, place.key))
    if more:
        message = Message.of(
            "user {user!r}: the server wants {more} as well", user=place.user, more=", ".join(more)
        )
        raise failed(place, place.codes.login, message)


def _prefer(transport: Transport, place: SftpPlace) -> None:
    """A server has several host keys: it is to show one of a type that is pinned."""
    types = host_keys.key_types(place.host_key)
    if "ssh-rsa" in types:  # signed with another hash under another name (RFC 8332)
        types |= {"rsa-sha2-512", "rsa-sha2-256"}
    options = transport.get_security_options()
    options.key_types = tuple(sorted(options.key_types, key=lambda each: each not in types))


def _check_host(transport: Transport, place: SftpPlace) -> None:
    key = transport.get_remote_server_key().asbytes()
    if host_keys.matches(key, place.host_key):
        return
    found = host_keys.fingerprint(key)
    if not place.host_key:
        message = Message.of("no host_key is given; the server shows {found}", found=found)
        raise failed(place, place.codes.unpinned, message, host_key=found)
    message = Message.of("the server shows the host key {found}, which is not the pinned one", found=found)
    raise failed(place, place.codes.changed, message, host_key=found)


def _private_key(place: SftpPlace, path: str) -> PKey:
    """The key of the file ``path``. Raises SkerryError."""
    try:
        # as bytes: one of the libraries below takes no text
        return PKey.from_path(path, place.secret.encode() or None)  # type: ignore[arg-type]
    except OSError as error:
        problem = Message.of("{path}: {problem}", path=path, problem=error.strerror or str(error))
    except (PasswordRequiredException, TypeError):
        problem = Message.of("{path}: it has a passphrase, or has none", path=path)
    except (SSHException, ValueError, UnknownKeyType, UnsupportedAlgorithm):
        problem = Message.of("{path}: no private key, or the passphrase is wrong", path=path)
    raise failed(place, place.codes.private_key, problem) from None
