"""The routes of the operations: what a request over HTTP has to bring, and who made it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from inspect import Parameter, Signature
from typing import Annotated, Any, get_type_hints

from fastapi import FastAPI, Query, Request, Response
from pydantic import BaseModel, ConfigDict, create_model

from engine.api.operation import Arguments, Operation
from engine.api.service import OPERATIONS, Service
from engine.api.sockets import account


class JsonAnswer(Response):
    """Any JSON value, also with texts that are no valid Unicode."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, separators=(",", ":")).encode()


class Body(BaseModel):
    """A key that is not known is refused: it would have no effect. No value appears in an error."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


def add_routes(app: FastAPI, *, described: bool) -> None:
    """For the service in the state of the app; ``described``: with the models of what they answer."""
    for operation in OPERATIONS:
        app.add_api_route(
            operation.path,
            _endpoint(operation),
            methods=[operation.method],
            name=operation.name,
            response_model=operation.hints["return"] if described and not operation.wrapped else None,
            openapi_extra={"x-effect": str(operation.effect)},
        )


def _endpoint(operation: Operation) -> Any:
    """What answers a request; the framework reads its signature."""

    def answer(request: Request, **given: Any) -> Response:
        found = _asked_by_peer(request.app.state.service, request).perform(
            operation, _arguments(operation, given)
        )
        return JsonAnswer({operation.wrapped: found} if operation.wrapped else found)

    first = Parameter("request", Parameter.KEYWORD_ONLY, annotation=Request)
    answer.__signature__ = Signature([first, *_taken(operation)])  # type: ignore[attr-defined]
    answer.__doc__ = operation.signature.__doc__
    return answer


def _asked_by_peer(service: Service, request: Request) -> Service:
    """The service for the account at the other end of the socket; see ``engine.api.listener``."""
    return service.asked_by(account(int(request.client.host))) if request.client else service


@cache
def _taken(operation: Operation) -> tuple[Parameter, ...]:
    """The parts of a request: of the path, and the rest as its query or its body."""
    return tuple(_parts(operation, operation.hints))


def _parts(operation: Operation, hints: Mapping[str, Any]) -> Iterator[Parameter]:
    rest: dict[str, Any] = {}
    for name, parameter in operation.parameters.items():
        if f"{{{name}}}" in operation.path:
            yield Parameter(name, Parameter.KEYWORD_ONLY, annotation=hints[name])
        elif is_dataclass(hints[name]):
            rest |= _fields(hints[name])
        else:
            needed = parameter.default is Parameter.empty
            rest[name] = hints[name], ... if needed else parameter.default
    if operation.method == "GET":
        for name, (kind, default) in rest.items():
            yield Parameter(
                name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, Query()]
            )
    elif rest:
        title = operation.name.title().replace("_", "") + "Body"
        body = create_model(title, __base__=Body, __doc__=operation.signature.__doc__, **rest)
        yield Parameter("body", Parameter.KEYWORD_ONLY, annotation=body)


def _fields(value: Any) -> dict[str, Any]:
    """Of a request that is a value: type and default of each of its fields."""
    hints = get_type_hints(value, include_extras=True)
    return {each.name: (hints[each.name], _default(each)) for each in fields(value)}


def _default(field: Any) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return ... if field.default is MISSING else field.default


def _arguments(operation: Operation, given: Mapping[str, Any]) -> Arguments:
    body = given.get("body")
    parts = {**given, **({name: getattr(body, name) for name in type(body).model_fields} if body else {})}
    found = {}
    for name in operation.parameters:
        kind = operation.hints[name]
        values = is_dataclass(kind) and {each.name: parts[each.name] for each in fields(kind)}
        found[name] = kind(**values) if values else parts[name]
    return found
