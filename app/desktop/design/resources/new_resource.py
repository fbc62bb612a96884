"""A new resource from what people know of it: a path, or a host with user and secret; no Qt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

PRODUCTS = {
    "sqlite": "SQLite: a file", "postgresql": "PostgreSQL", "mariadb": "MariaDB", "mysql": "MySQL",
}  # fmt: skip
PARTS = {
    "file": ("path", "written"),
    "database": ("product", "path", "host", "port", "database", "user", "secret"),
    "http": ("url", "user", "secret"),
    "ftp": ("host", "port", "user", "secret"),
    "sftp": ("host", "port", "user", "secret", "host_key"),
}  # by type, in the order of the form; of any other type the address alone
_OTHER = ("url",)
_REQUEST = ("user", "secret", "host_key")
_FILE, _SERVER = ("path",), ("host", "port", "database", "user", "secret")
_NEEDED = {"path", "host", "url", "database"}
_LIKELY = {"sql": "database", "sql_query": "database", "http": "http"}  # by the type of a job


def parts_of(kind: str, product: str) -> tuple[str, ...]:
    """What is asked of a type; of a database by its product.

    >>> parts_of("database", "sqlite"), parts_of("http", "")
    (('product', 'path'), ('url', 'user', 'secret'))
    """
    parts = PARTS.get(kind, _OTHER)
    if kind != "database":
        return parts
    left_out = _SERVER if product == "sqlite" else _FILE
    return tuple(each for each in parts if each not in left_out)


def missing(kind: str, texts: Mapping[str, str]) -> str:
    """The first part that is needed and empty; empty where there is none."""
    asked = parts_of(kind, texts.get("product", ""))
    return next((each for each in asked if each in _NEEDED and not texts.get(each, "").strip()), "")


def resource_tree(kind: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """The definition; ``written`` is not empty where a job writes the file.

    >>> resource_tree("file", {"path": "/data/in.csv"})
    {'type': 'file', 'uri': '/data/in.csv', 'check': {'exists': True}}
    >>> resource_tree("sftp", {"host": "box", "port": "2222", "user": "me", "secret": "pin"})["uri"]
    'sftp://box:2222/'
    """
    given = {key: text.strip() for key, text in texts.items() if text.strip()}
    asked = parts_of(kind, given.get("product", ""))
    request = {key: given[key] for key in _REQUEST if key in asked and key in given}
    check = {"exists": True} if kind == "file" and "written" not in given else {}
    parts = {"request": request, "check": check}
    return {"type": kind, "uri": _uri(kind, given), **{key: each for key, each in parts.items() if each}}


def likely_type(job_type: str) -> str:
    """The type of resource that a job of a type most likely uses."""
    by_server = next((each for each in ("sftp", "ftp") if job_type.startswith(f"{each}_")), "file")
    return _LIKELY.get(job_type, by_server)


def _uri(kind: str, given: Mapping[str, str]) -> str:
    host = given.get("host", "")
    place = f"[{host}]" if ":" in host and not host.startswith("[") else host
    place += f":{given['port']}" if "port" in given else ""
    match kind:
        case "file":
            return given.get("path", "")
        case "database" if given.get("product") == "sqlite":
            return f"sqlite:///{given.get('path', '')}"
        case "database":
            return f"{given.get('product', '')}://{place}/{quote(given.get('database', ''))}"
        case "ftp" | "sftp":
            return f"{kind}://{place}/"
    return given.get("url", "")
