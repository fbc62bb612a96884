"""Checking a resource on demand: no engine is needed, and nothing is changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.api.documents import Document
from engine.context import ContextScope, NodeNames, TaskContext
from engine.definitions.reader import read_raw
from engine.model.errors import Invalid, Refused, SkerryError
from engine.model.expression import compile_value, render
from engine.model.message import Message, with_facts
from engine.plugins.resource_type import ResolvedResource
from engine.runtime.clock import SystemClock
from engine.secrets.masking import ValueMasker

if TYPE_CHECKING:
    from engine.model.expression import Scope
    from engine.plugins.registry import ResourceTypes
    from engine.runtime.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Probe:
    """What a check needs: the types, the stored secrets, the workspace's time zone and folder."""

    types: ResourceTypes
    secret: Callable[[str], str]
    workspace: Workspace

    def check(self, id: str, tree: Mapping[str, Any], params: Mapping[str, str]) -> Document:
        """The answer of the check; ``params`` stand for the task's in the expressions of a dynamic one.

        Invalid when an expression needs what is not given.
        """
        try:
            resource = self._resolved(id, tree, params)
        except Refused:  # the secrets are locked
            raise
        except SkerryError as error:
            error.reword("resource {id!r}: {message}{hint}", id=id, hint=_missing(tree, params))
            raise Invalid(error.entry, error.message, where=error.where) from error
        answer = self.types[resource.type].check(resource)
        masker = ValueMasker([resource.secret])
        masked: Document = masker.value({**answer.as_map(), "message": answer.message})
        return {**with_facts(masked), "code": answer.code}

    def _resolved(self, id: str, tree: Mapping[str, Any], params: Mapping[str, str]) -> ResolvedResource:
        found = read_raw({"resources": {id: tree}}, {}, self.types).resources[id]
        scope = self._scope(params)
        uri, request, check = (
            render(compile_value(part), scope).value for part in (found.uri, found.request, found.check)
        )
        secret = self.secret(request["secret"]) if request.get("secret") else None
        return ResolvedResource(id, found.type, uri, request, check, secret)

    def _scope(self, params: Mapping[str, str]) -> Scope:
        context = TaskContext(SystemClock())
        context.set(("TASK",), {"PARAMS": dict(params), "WORKSPACE": str(self.workspace.root)}, run=0)
        return ContextScope(context, NodeNames(frozenset(), {}), zone=self.workspace.zone.key)


def task_params(tree: Mapping[str, Any]) -> tuple[str, ...]:
    """The parameters of the task that a resource takes something from; SkerryError for a bad expression."""
    compiled = (compile_value(tree[part]) for part in ("uri", "request", "check") if part in tree)
    read = (reference.steps for each in compiled for reference in each.references)
    return tuple(dict.fromkeys(str(step[2]) for step in read if step[:2] == ("TASK", "PARAMS") and step[2:]))


def _missing(tree: Mapping[str, Any], params: Mapping[str, str]) -> str:
    """A hint that names the parameters of the task which a dynamic resource is built from."""
    options = " ".join(f"-p {name}=VALUE" for name in task_params(tree) if name not in params)
    return Message.of("; give {options}", options=options) if options else ""
