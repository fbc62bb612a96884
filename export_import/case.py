"""A case: another site's record, opened for reading beside one's own workspace and never mixed with it.

It is a folder that looks like a workspace (a database, ``instances/``, ``monitor/``), so everything that
reads a workspace reads a case; ``case.json`` says that it is one, and what became of the bundle.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from engine.model.codes import bundles as codes
from engine.model.disk import read_file
from engine.model.errors import Invalid, SkerryError
from engine.model.plain_words import wording

CASE_FILE = "case.json"
DATABASE = "skerry.db"


def is_case(root: Path) -> bool:
    """Whether a folder is a case, in which nothing is run or changed."""
    return (root / CASE_FILE).is_file()


def content_of(root: Path) -> Mapping[str, Any]:
    """What a case says of itself, empty for another folder; Invalid (CASE_DAMAGED) when it is unreadable."""
    found: Mapping[str, Any] = _read(root / CASE_FILE, dict) if os.path.lexists(root / CASE_FILE) else {}
    return found


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The folder of a case that does not say of itself what it should, and why."""

    folder: Path
    error: SkerryError


def cases_at(root: Path) -> tuple[list[Case], list[Unreadable]]:
    """The cases in the workspace at ``root``, the one imported last first; and those that cannot be read."""
    whole: list[Case] = []
    unreadable: list[Unreadable] = []
    folders = (each for each in (root / "cases").glob("*") if each.is_dir() and each.name[:1] != ".")
    for folder in sorted(folders):
        try:
            whole.append(Case(folder))
        except SkerryError as error:
            unreadable.append(Unreadable(folder, error))
    return sorted(whole, key=lambda case: case.imported_at, reverse=True), unreadable


class Case:
    """One imported bundle; Invalid when the folder is none, or does not say what it should."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        if not os.path.lexists(self.folder / CASE_FILE) and self.folder.parent.name != "cases":
            raise Invalid.at(codes.NO_CASE, "{where} is no case", folder)
        self.content: dict[str, Any] = _read(self.folder / CASE_FILE, _insist_on_case)

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def imported_at(self) -> str:
        """ISO 8601."""
        return str(self.content["imported_at"])

    @property
    def bundle_facts(self) -> Mapping[str, Any]:
        """What the site declared: ``site``, ``exported_at``, ``timezone``, ``instances``, ``redaction`` …"""
        facts: Mapping[str, Any] = self.content["facts"]
        return facts

    @property
    def bundle(self) -> Mapping[str, Any]:
        """Its ``id``, ``created``, ``tool``, ``trust``, ``signer``, ``encrypted``, ``findings``."""
        payload: Mapping[str, Any] = self.content["bundle"]
        return payload

    @property
    def omitted(self) -> list[Mapping[str, Any]]:
        """What was left out at the site: ``{name, reason, size}``."""
        return list(self.content["omitted"])

    @property
    def lost(self) -> list[Mapping[str, Any]]:
        """What was in the bundle and could not be read: ``{name, reason}``."""
        return list(self.content["lost"])

    @property
    def instances(self) -> list[int]:
        """The numbers of the instances, as the site has them."""
        return [int(each["id"]) for each in self.bundle_facts.get("instances", [])]

    @property
    def redacted(self) -> bool:
        """Whether anything was masked or renamed at the site."""
        return bool(self.bundle_facts.get("redaction", {}).get("done"))

    @cached_property
    def files(self) -> Mapping[str, Mapping[str, Any]]:
        """Files by name: ``size``, ``role``, ``facts`` (``site_hash``, ``redacted``, ``cut``, ``as``)."""
        found: Mapping[str, Mapping[str, Any]] = _read(self.folder / "files.json", _insist_on_files)
        return found


def _read(path: Path, insist: Callable[[Any], object]) -> Any:
    """What an import wrote down; Invalid (CASE_DAMAGED) when it is not that any more."""
    try:
        found = json.loads(read_file(path))
        insist(found)
    except (OSError, ValueError, TypeError, LookupError, RecursionError) as error:
        message = "{where} cannot be read: {error}"
        raise Invalid.at(codes.CASE_DAMAGED, message, path, error=wording(error, "it is damaged")) from error
    return found


def _insist_on_case(payload: Any) -> None:
    """ValueError, TypeError or LookupError for anything but what an import writes."""
    bundle, facts = payload["bundle"], payload["facts"]
    findings, instances = bundle["findings"], facts.get("instances", []) if isinstance(facts, dict) else None
    maps = (payload, bundle, facts, *payload["omitted"], *payload["lost"], *findings, *(instances or ()))
    texts = (payload["imported_at"], bundle["trust"], *(each["name"] for each in payload["lost"]))
    if not all(isinstance(each, dict) for each in maps) or not all(isinstance(each, str) for each in texts):
        raise ValueError("it does not have the form of a case")
    datetime.fromisoformat(payload["imported_at"])
    for each in instances or ():
        int(each["id"])


def _insist_on_files(payload: Any) -> None:
    if not isinstance(payload, dict) or not all(isinstance(each, dict) for each in payload.values()):
        raise ValueError("it does not have the form of a list of files")
