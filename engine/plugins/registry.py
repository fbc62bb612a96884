"""Finding the job and resource types: a scan of a package, then entry points of other packages."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

from engine.plugins.job_type import JobType
from engine.plugins.resource_type import ResourceType

JobTypes = Mapping[str, JobType]
ResourceTypes = Mapping[str, ResourceType]


def job_types(package: ModuleType) -> dict[str, JobType]:
    """Every job type of ``package`` and of the entry points ``skerry.job_types``, by kind."""
    return {found.kind: found for found in _found(package, "skerry.job_types", JobType)}


def resource_types(package: ModuleType) -> dict[str, ResourceType]:
    """Every resource type of ``package`` and of ``skerry.resource_types``, by kind and alias."""
    found = list(_found(package, "skerry.resource_types", ResourceType))
    return {name: each for each in found for name in (each.kind, *each.aliases)}


def _found(package: ModuleType, group: str, base: Any) -> Iterator[Any]:
    for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        yield from _in_module(importlib.import_module(info.name), base)
    for point in _entry_points().select(group=group):
        yield point.load()()


@cache
def _entry_points() -> Any:  # Python 3.12 has another type than 3.11
    """Those of all installed packages: finding them reads a file of each."""
    return entry_points()


def _in_module(module: ModuleType, base: Any) -> Iterator[Any]:
    for _, found in inspect.getmembers(module, inspect.isclass):
        own = found.__module__ == module.__name__ and issubclass(found, base)
        if own and not inspect.isabstract(found) and hasattr(found, "kind"):
            yield found()
