"""Jobs that name a resource of a type with which their own cannot work; pure."""

from __future__ import annotations

from collections.abc import Iterator

from engine.model.codes.definitions import WRONG_VALUE
from engine.model.definitions import Definitions
from engine.model.findings import Finding, warning
from engine.planning.every_job import every_job
from engine.plugins.registry import JobTypes


def resource_findings(definitions: Definitions, job_types: JobTypes) -> Iterator[Finding]:
    """A warning: a resource type of another package may do as well."""
    for where, job in every_job(definitions):
        kind, id = job_types.get(job.type), getattr(job.settings, "resource", None)
        resource = definitions.resources.get(id) if isinstance(id, str) else None
        if kind is None or resource is None or not kind.resource_type:
            continue
        if resource.type != kind.resource_type:
            yield warning(
                WRONG_VALUE,
                "resource '{id}' is of type {found}: a job of type {type} works with {expected}",
                (*where, "resource"),
                id=id,
                found=resource.type,
                type=job.type,
                expected=kind.resource_type,
            )
