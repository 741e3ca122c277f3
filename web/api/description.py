"""The whole API, and the OpenAPI document that describes it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, Final

from flask import Blueprint, Flask, jsonify, render_template
from flask.typing import ResponseReturnValue
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema

from web.api import bots, exports, matches, operating, packages, puzzles, standings, tournaments
from web.api.operations import PREFIX, CallGroup, FieldProblem, Input, Operation, Problem

GROUPS: Final = (
    standings.group,
    bots.group,
    bots.own_group,
    packages.group,
    bots.challenging,
    matches.group,
    puzzles.group,
    tournaments.group,
    tournaments.organising,
    standings.fair,
    operating.group,
    exports.group,
)

_REFERENCE: Final = "#/components/schemas/"
_ABOUT: Final = """The JSON API of Santiago Arena. Its page /docs/api explains how to get a token \
and shows examples.

Lists are pages, newest first: pass `next` as `before` to get the next page; it is null on the \
last. Errors are problem+json (RFC 9457). Answers may get more fields; those that are there stay."""

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
    400: "The request can't be read, or a browser's header X-CSRFToken is missing.",
    401: "The token is missing or not valid.",
    403: "The role, or the token's scopes, do not allow it.",
    404: "It does not exist (or it belongs to somebody else).",
    409: "It can't be done in the present state.",
    413: "The body is too large.",
    415: "The body is not application/json.",
    422: "A value is not valid; `field` names it.",
    429: "Too many requests; Retry-After says how many seconds to wait.",
    503: "The database does not answer, or has no room; Retry-After says how many seconds to wait.",
}


def init_app(app: Flask) -> None:
    """Add all calls and their description."""
    blueprint = Blueprint("api_description", __name__, url_prefix=PREFIX)

    @blueprint.get("/openapi.json")
    def openapi() -> ResponseReturnValue:
        return jsonify(description())

    pages = Blueprint("api_pages", __name__)

    @pages.get("/docs/api/calls")
    def calls() -> ResponseReturnValue:
        return render_template("documents/calls.html", parts=_calls())

    app.register_blueprint(pages)
    for group in GROUPS:
        app.register_blueprint(group.blueprint)
    app.register_blueprint(blueprint)


@cache
def description() -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of all calls."""
    schemas = _Schemas(operation for group in GROUPS for operation in group.operations)
    paths: dict[str, dict[str, Any]] = {}
    for group in GROUPS:
        for operation in group.operations:
            path = paths.setdefault(f"{PREFIX}{operation.path}", {})
            path[operation.method.lower()] = _operation(group, operation, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Santiago Arena",
            "version": version("santiago-arena"),
            "description": _ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": group.name, "description": group.about} for group in GROUPS],
        "paths": paths,
        "components": {
            "schemas": schemas.components,
            "responses": {
                _name(code): _problem(code, sentence, schemas)
                for code, sentence in _PROBLEMS.items()
            },
            "securitySchemes": _SECURITY,
        },
    }


@dataclass(frozen=True, slots=True)
class _Call:
    """A call as a page lists it: method, path, summary, its parameters, the scope of the token."""

    method: str
    path: str
    summary: str
    parameters: tuple[str, ...]
    scope: str | None


@cache
def _calls() -> tuple[tuple[str, tuple[_Call, ...]], ...]:
    """Return what each group is about, and its calls."""
    return tuple((group.about, tuple(map(_call, group.operations))) for group in GROUPS)


def _call(operation: Operation) -> _Call:
    return _Call(
        operation.method,
        f"{PREFIX}{operation.path}",
        (operation.view.__doc__ or "").partition("\n")[0],
        tuple(operation.query.model_fields),
        operation.scope,
    )


class _Schemas:
    """The JSON schemas of the arguments and answers of these operations."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        inputs: dict[object, tuple[JsonSchemaMode, TypeAdapter[Any]]] = {
            problem: ("serialization", TypeAdapter(problem)) for problem in (Problem, FieldProblem)
        }
        queries: set[type[Input]] = set()
        for operation in operations:
            if operation.raw is None:
                inputs[operation.view] = ("serialization", operation.answer)
            elif (answer := operation.raw.answer) is not None:
                inputs[answer] = ("serialization", TypeAdapter(answer))
            for model in filter(None, (operation.query, operation.body)):
                inputs[model] = ("validation", TypeAdapter(model))
            queries.add(operation.query)
        found, document = TypeAdapter.json_schemas(
            [(key, mode, adapter) for key, (mode, adapter) in inputs.items()],
            ref_template=f"{_REFERENCE}{{model}}",
            schema_generator=_Generator,
        )
        self.components: dict[str, Any] = document["$defs"]
        self._references = {key: schema for (key, _), schema in found.items()}
        self._queries = {query: self.components.pop(self._name(query)) for query in queries}

    def reference(self, key: object) -> dict[str, Any]:
        """Return a reference to the schema of a model, or of a view's answer."""
        found: dict[str, Any] = self._references[key]
        if "items" in found:  # an answer is described as a list of one
            found = found["items"]
        return found

    def about(self, key: object) -> str:
        """Return the first paragraph of its description."""
        text = self.components[self._name(key)]["description"].partition("\n\n")[0]
        return " ".join(text.split())

    def parameters(self, query: type[Input]) -> Mapping[str, dict[str, Any]]:
        """Return the schemas of the parameters of an address, by name."""
        found: dict[str, dict[str, Any]] = self._queries[query].get("properties", {})
        return found

    def _name(self, key: object) -> str:
        return str(self.reference(key)["$ref"]).removeprefix(_REFERENCE)


class _Generator(GenerateJsonSchema):
    """JSON schemas without titles of fields. Answers have all their fields, no defaults, and texts
    for enums: new words may come."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False

    def field_is_required(self, field: Any, total: bool) -> bool:
        return self.mode == "serialization" or super().field_is_required(field, total)

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if self.mode == "serialization":
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchemaValue:
        return {"type": "string"} if self.mode == "serialization" else super().enum_schema(schema)

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        inner = self.generate_inner(schema["schema"])
        if isinstance(inner.get("type"), str):
            return {**inner, "type": [inner["type"], "null"]}
        return super().nullable_schema(schema)


def _operation(group: CallGroup, operation: Operation, schemas: _Schemas) -> dict[str, Any]:
    summary, _, more = (operation.view.__doc__ or "").partition("\n")
    made: dict[str, Any] = {
        "operationId": f"{group.name}.{operation.name}",
        "summary": summary.rstrip("."),
        "tags": [group.name],
        "parameters": _parameters(operation, schemas),
        "responses": {
            str(operation.status): _answer(operation, schemas),
            **{
                str(code): {"$ref": f"#/components/responses/{_name(code)}"}
                for code in _codes(operation)
            },
        },
    }
    if more:
        made["description"] = " ".join(more.split())
    if operation.body is not None:
        content: dict[str, Any] = {"schema": schemas.reference(operation.body)}
        if operation.example is not None:
            content["example"] = operation.example
        made["requestBody"] = {"required": True, "content": {"application/json": content}}
    if operation.file is not None:
        made["requestBody"] = {
            "required": True,
            "content": {"multipart/form-data": _form(operation)},
        }
    if operation.scope is not None:
        made["security"] = [{"token": [operation.scope]}, {"browser": []}]
    return made


def _form(operation: Operation) -> dict[str, Any]:
    properties = {operation.file: {"type": "string", "format": "binary"}}
    schema = {
        "type": "object",
        "properties": properties,
        "required": [operation.file],
        "additionalProperties": False,
    }
    return {"schema": schema}


def _parameters(operation: Operation, schemas: _Schemas) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {
            "in": "path",
            "name": name,
            "required": True,
            "schema": {"type": "integer", "minimum": least, "maximum": most},
        }
        for name, (least, most) in operation.numbers.items()
    ]
    for name, field in operation.query.model_fields.items():
        schema = dict(schemas.parameters(operation.query)[name])
        description = {"description": schema.pop("description")} if "description" in schema else {}
        required = field.is_required()
        found.append(
            {"in": "query", "name": name, "required": required, "schema": schema, **description}
        )
    return found


def _answer(operation: Operation, schemas: _Schemas) -> dict[str, Any]:
    if (raw := operation.raw) is not None:
        kind = "object" if raw.mimetype == "application/json" else "string"
        schema = schemas.reference(raw.answer) if raw.answer else {"type": kind}
        return {"description": raw.description, "content": {raw.mimetype: {"schema": schema}}}
    content = {"application/json": {"schema": schemas.reference(operation.view)}}
    return {"description": schemas.about(operation.view), "content": content}


def _codes(operation: Operation) -> list[int]:
    """Return the status codes with which it can fail."""
    codes = {422, 503, *operation.may_fail}  # each call refuses unknown parameters
    if operation.numbers:
        codes |= {404}
    if operation.body is not None or operation.file is not None:
        codes |= {400, 413, 415}
    if operation.scope is not None:
        codes |= {401, 403}
    if operation.method != "GET":
        codes |= {400, 409, 429}
    return sorted(codes)


def _problem(code: int, sentence: str, schemas: _Schemas) -> dict[str, Any]:
    model = FieldProblem if code == HTTPStatus.UNPROCESSABLE_ENTITY else Problem
    made: dict[str, Any] = {
        "description": sentence,
        "content": {"application/problem+json": {"schema": schemas.reference(model)}},
    }
    if code in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        made["headers"] = {"Retry-After": {"schema": {"type": "integer"}}}
    return made


def _name(code: int) -> str:
    """Return the name of a status without spaces, such as `NotFound` for 404."""
    return HTTPStatus(code).phrase.title().replace(" ", "").replace("-", "")
