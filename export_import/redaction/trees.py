"""Which leaves of a JSON tree are secrets: by the keys above, the names beside, the heads of columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from export_import.redaction.secret_names import SecretNames
from export_import.redaction.secret_values import is_harmless, strong

_OF_DEFINITIONS = frozenset({
    "type", "job", "process", "nodes", "task", "node", "kind", "status", "STATUS", "after", "check",
    "RESULT",
})  # fmt: skip
_VALUES = frozenset({"value", "default", "old", "new", "current", "content", "text", "data"})
_NAMES = ("name", "key", "Name", "Key", "id", "variable", "env", "param", "header", "field")
_OF_A_WEB_KEY = frozenset({"d", "p", "q", "dp", "dq", "qi", "k"})  # RFC 7518
_LAST = re.compile(r"""(?:\['([^']*)'\]|\["([^"]*)"\]|\.([^.\[\]']+))(?:\[\d+\])*$""")


class Trees:
    """``mask`` counts and gives what a secret becomes; ``spoken`` takes those out of a command."""

    def __init__(self, names: SecretNames, mask: Callable[[str], str], spoken: Callable[[str], str]) -> None:
        self._names = names
        self._spoken = spoken
        self._mask = mask

    def masked(self, tree: Any, key: object = "") -> Any:
        """The tree with its secret leaves masked; parts without any are the very same objects."""
        if isinstance(tree, Mapping):
            return self._map(tree)
        if isinstance(tree, (list, tuple)):
            return self._list(tree)
        return tree

    def _map(self, tree: Mapping[str, Any]) -> dict[str, Any]:
        named = self._named(tree)
        columns = self._columns(tree)
        masked: dict[str, Any] = {}
        for key, value in tree.items():
            if key in _OF_A_WEB_KEY and "kty" in tree and isinstance(value, str):
                masked[key] = self._leaf(value, "private_key")
            elif self._names.has(key) or (named and _is_value(key)):
                masked[key] = self._below(value, named if named and _is_value(key) else key)
            elif columns and isinstance(value, list):
                masked[key] = [self._row(row, columns) for row in value]
            else:
                masked[key] = self.masked(value, key)
        return masked

    def _named(self, tree: Mapping[str, Any]) -> str:
        """The secret's name that a map gives beside its value: ``{name: DB_PASSWORD, value: x}``."""
        path = tree.get("path")
        if isinstance(path, str) and ("new" in tree or "old" in tree) and (last := _LAST.search(path)):
            name = next(each for each in last.groups() if each is not None)
            return name if self._names.has(name) else ""
        if not any(map(_is_value, tree)):
            return ""
        names = (value for key, value in tree.items() if key in _NAMES or str(key).endswith(("Key", "Name")))
        return next((str(each) for each in names if self._names.has(each)), "")

    def _columns(self, tree: Mapping[str, Any]) -> dict[int, str]:
        """Numbers of the columns that hold secrets, where a map has a list of names beside its rows."""
        for value in tree.values():
            if isinstance(value, list) and 0 < len(value) <= 2000:
                heads = [each.get("name") if isinstance(each, Mapping) else each for each in value]
                columns = {n: str(each) for n, each in enumerate(heads) if self._names.has(each)}
                if columns and all(isinstance(each, str) for each in heads) and _has_rows(tree, len(heads)):
                    return columns
        return {}

    def _row(self, row: Any, columns: Mapping[int, str]) -> Any:
        if not isinstance(row, list):
            return self.masked(row)
        return [
            self._below(cell, columns[number]) if number in columns else self.masked(cell)
            for number, cell in enumerate(row)
        ]

    def _list(self, tree: Sequence[Any]) -> list[Any]:
        first = tree[0] if tree else None
        if len(tree) > 1 and isinstance(first, list) and first and all(isinstance(x, str) for x in first):
            columns = {n: each for n, each in enumerate(first) if self._names.has(each)}
            if columns and all(isinstance(row, list) and len(row) == len(first) for row in tree):
                return [first, *(self._row(row, columns) for row in tree[1:])]
        return [self._element(tree, number) for number in range(len(tree))]

    def _element(self, tree: Sequence[Any], number: int) -> Any:
        """An element; what follows an option (``--password``) or makes a pair with a name is its value."""
        each = tree[number]
        before = tree[number - 1] if number else None
        if isinstance(each, str) and isinstance(before, str) and self._names.has(before.lstrip("-/")):
            pair = len(tree) == 2 or before.startswith("--")
            if pair or (strong(each.encode()) and before.startswith("-")):
                return self._leaf(each, before.lstrip("-/"))
        if number and isinstance(each, str) and isinstance(tree[0], str) and " " not in tree[0]:
            option = before if isinstance(before, str) and before[:1] == "-" else ""
            return self._argument(tree[0], option, each)
        return self.masked(each)

    def _argument(self, program: str, option: str, argument: str) -> str:
        """One of a list that is a command: ``["mysql", "-px"]``, ``["curl", "-u", "a:x"]``."""
        if option[:1] != "-" and argument[:1] != "-":
            return argument
        command = f"{program} {option} " if option else f"{program} "
        done = self._spoken(command + argument)
        return done[len(command) :] if done.startswith(command) else argument

    def _below(self, value: Any, name: str) -> Any:
        """The value of a secret's name, at any depth; of a definition its values alone."""
        if isinstance(value, Mapping):
            of_ours = bool(_OF_DEFINITIONS & value.keys())
            return {
                key: self._below(each, key if self._names.has(key) else name)
                if key in _VALUES or self._names.has(key) or (not of_ours and not self._tells(key))
                else self.masked(each, key)
                for key, each in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self._below(each, name) for each in value]
        return self._leaf(value, name)

    def _tells(self, key: object) -> bool:
        """A key that says something about a secret: ``expires``, ``type``, ``path``."""
        return isinstance(key, str) and not self._names.has(f"secret_{key}")

    def _leaf(self, value: Any, name: str) -> Any:
        if isinstance(value, bool) or value is None or isinstance(value, (Mapping, list)):
            return value
        if not isinstance(value, str):
            return self._mask(name) if self._is_number(value, name) else value
        data = name.encode("utf-8", "replace"), value.encode("utf-8", "surrogatepass")
        harmless = is_harmless(self._names, *data)
        return value if harmless else self._mask(name)

    def _is_number(self, value: float, name: str) -> bool:
        """A pin or a password of digits; never a number of tokens."""
        folded = name.lower()
        return isinstance(value, int) and value > 999 and "token" not in folded and "session" not in folded


def _is_value(key: object) -> bool:
    return key in _VALUES or (isinstance(key, str) and key.endswith("Value"))


def _has_rows(tree: Mapping[str, Any], width: int) -> bool:
    return any(
        isinstance(each, list)
        and bool(each)
        and all(isinstance(row, list) and len(row) == width for row in each)
        for each in tree.values()
    )
