"""Paths on a server, counted from the folder that its address names."""

from __future__ import annotations


def below(folder: str, path: str) -> str:
    """The path that ``path`` means: from ``folder`` on, unless it begins with /.

    >>> below("/incoming/", "a.csv"), below("", "a.csv"), below("/incoming", "/b.csv")
    ('/incoming/a.csv', 'a.csv', '/b.csv')
    """
    if path.startswith("/"):
        return path
    return f"{folder.rstrip('/')}/{path}".rstrip("/") if folder else path
