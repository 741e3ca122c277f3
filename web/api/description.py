"""The OpenAPI description of the API, made from its operations."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, Final

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Blueprint, jsonify
from flask.typing import ResponseReturnValue

from web.api.operations import PREFIX, Operation, Part, Raw
from web.api.schemas.base import FieldProblem, Problem

_ABOUT: Final = """The JSON API of Santiago Arena. docs/api.md tells how to get a token and shows \
examples.

Lists are pages, newest first: `next` is what the next page is asked for with (`before`), null on \
the last. Errors are problem+json (RFC 9457). Answers may get more fields; what is there stays."""

_SECURITY: Final = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token from the page of your account. Scopes: read (your own private "
        "things), bots (submit, pause, …), tournaments (organise), admin (operate the service).",
    },
    "browser": {
        "type": "apiKey",
        "in": "cookie",
        "name": "santiago",
        "description": "A signed-in browser (`__Host-santiago` over https). Calls that change "
        "something also need the header X-CSRFToken.",
    },
}

_PROBLEMS: Final = {
    400: "What was sent can't be read, or a browser's header X-CSRFToken is missing.",
    401: "No token was sent, or one that is not good.",
    403: "The role, or the token's scopes, do not allow it.",
    404: "There is no such thing (or it belongs to somebody else).",
    409: "It can't be done as things stand.",
    413: "The body is too large.",
    415: "The body is not application/json.",
    422: "A value is no good; `field` names it.",
    429: "Too often; Retry-After says how many seconds to wait.",
    503: "The database does not answer; Retry-After says how many seconds to wait.",
}


def described(parts: Iterable[Part]) -> Blueprint:
    """The blueprint that serves the description of these parts."""
    blueprint = Blueprint("api_description", __name__, url_prefix=PREFIX)
    known = tuple(parts)

    @cache
    def document() -> dict[str, Any]:
        return description(known)

    @blueprint.get("/openapi.json")
    def openapi() -> ResponseReturnValue:
        return jsonify(document())

    return blueprint


def description(parts: Iterable[Part]) -> dict[str, Any]:
    """The OpenAPI 3.1 document of these parts."""
    spec = APISpec(
        title="Santiago Arena",
        version=version("santiago-arena"),
        openapi_version="3.1.0",
        plugins=[MarshmallowPlugin()],
        info={"description": _ABOUT, "license": {"name": "MIT", "identifier": "MIT"}},
        servers=[{"url": "/"}],
    )
    for name, scheme in _SECURITY.items():
        spec.components.security_scheme(name, scheme)
    for code, told in _PROBLEMS.items():
        spec.components.response(_name(code), _problem(code, told))
    for part in parts:
        spec.tag({"name": part.name, "description": part.about})
        for operation in part.operations:
            made = {operation.method.lower(): _operation(part, operation)}
            spec.path(f"{PREFIX}{operation.path}", operations=made)
    return spec.to_dict()


def _operation(part: Part, operation: Operation) -> dict[str, Any]:
    made: dict[str, Any] = {
        "operationId": f"{part.name}.{operation.name}",
        "summary": operation.summary,
        "tags": [part.name],
        "parameters": _parameters(operation),
        "responses": {
            str(operation.status): _answer(operation),
            **{
                str(code): {"$ref": f"#/components/responses/{_name(code)}"}
                for code in _codes(operation)
            },
        },
    }
    if operation.description:
        made["description"] = operation.description
    if operation.body is not None:
        content: dict[str, Any] = {"schema": operation.body}
        if operation.example is not None:
            content["example"] = operation.example
        made["requestBody"] = {"required": True, "content": {"application/json": content}}
    if operation.scope is not None:
        made["security"] = [{"token": [operation.scope]}, {"browser": []}]
    return made


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {
            "in": "path",
            "name": name,
            "required": True,
            "schema": {"type": "integer", "minimum": bounds.least, "maximum": bounds.most},
        }
        for name, bounds in operation.numbers
    ]
    if operation.query is not None:
        found.append({"in": "query", "schema": operation.query})
    return found


def _answer(operation: Operation) -> dict[str, Any]:
    answer = operation.answer
    if isinstance(answer, Raw):
        kind = {"type": "object"} if answer.mimetype == "application/json" else {"type": "string"}
        return {"description": answer.description, "content": {answer.mimetype: {"schema": kind}}}
    told = " ".join((type(answer).__doc__ or "").split())
    return {"description": told, "content": {"application/json": {"schema": answer}}}


def _codes(operation: Operation) -> list[int]:
    """The status codes with which it can fail."""
    codes = {422, 503, *operation.may_fail}  # none takes a parameter that it does not know
    changes = operation.method != "GET"
    if operation.numbers:
        codes |= {404}
    if operation.body is not None:
        codes |= {400, 413, 415}
    if operation.scope is not None:
        codes |= {401, 403}
    if changes:
        codes |= {400, 409, 429}
    return sorted(codes)


def _problem(code: int, told: str) -> dict[str, Any]:
    schema = FieldProblem if code == HTTPStatus.UNPROCESSABLE_ENTITY else Problem
    made: dict[str, Any] = {
        "description": told,
        "content": {"application/problem+json": {"schema": schema}},
    }
    if code in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        made["headers"] = {"Retry-After": {"schema": {"type": "integer"}}}
    return made


def _name(code: int) -> str:
    """ "NotFound" for 404."""
    return HTTPStatus(code).phrase.title().replace(" ", "").replace("-", "")
