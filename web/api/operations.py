"""One call of the API: its address, what it takes and gives, and who may make it.

What is said here once is done (arguments are checked, rights asked, answers made) and described (in
the OpenAPI document, by `web.api.description`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from flask import Blueprint, Response, jsonify, request
from flask.typing import ResponseReturnValue
from marshmallow import Schema

from web import identity, limits, security
from web.api import arguments
from web.api.schemas.base import Given
from web.database import session
from web.parameters import MOST

PREFIX: Final = "/api/v1"

_View = TypeVar("_View", bound=Callable[..., object])
_IN_PATH: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Bounds:
    """A whole number in an address."""

    least: int = 1
    most: int = MOST


_NO_PARAMETERS: Final = Given()
PATH_NUMBERS: Final[Mapping[str, Bounds]] = {"seats": Bounds(2, 4), "round": Bounds(1, 30)}
"""All others are ids."""


@dataclass(frozen=True, slots=True)
class Raw:
    """An answer that is no JSON object, or one that somebody else makes."""

    mimetype: str
    description: str


@dataclass(frozen=True, slots=True)
class Operation:
    """What is known of a call. `may_fail`: status codes beside those that follow from the rest."""

    method: str
    path: str
    name: str
    summary: str
    description: str
    answer: Schema | Raw
    status: int
    query: Schema | None
    body: Schema | None
    scope: str | None
    example: Mapping[str, Any] | None
    may_fail: tuple[int, ...]

    @property
    def numbers(self) -> tuple[tuple[str, Bounds], ...]:
        """The numbers in its address, by name."""
        names = _IN_PATH.findall(self.path)
        return tuple((name, PATH_NUMBERS.get(name, Bounds())) for name in names)


class Part:
    """The calls about one subject, with a blueprint of their own."""

    def __init__(self, name: str, about: str) -> None:
        self.name = name
        self.about = about
        self.operations: list[Operation] = []
        self.blueprint = Blueprint(f"api_{name}", __name__, url_prefix=PREFIX)
        self.blueprint.before_request(_bound_body)

    def get(self, path: str, answer: Schema | Raw, **options: Any) -> Callable[[_View], _View]:
        """A call that changes nothing; see `_operation`."""
        return self._operation("GET", path, answer, **options)

    def post(self, path: str, answer: Schema | Raw, **options: Any) -> Callable[[_View], _View]:
        """A call that changes something; see `_operation`."""
        return self._operation("POST", path, answer, **options)

    def _operation(
        self,
        method: str,
        path: str,
        answer: Schema | Raw,
        *,
        status: int = 200,
        query: Schema | None = None,
        body: Schema | None = None,
        scope: str | None = None,
        example: Mapping[str, Any] | None = None,
        may_fail: tuple[int, ...] = (),
    ) -> Callable[[_View], _View]:
        """Let a view answer a call.

        It gets the numbers of the path by name, `given` where there is a query or a body, and
        `asking` where a scope is needed; it returns what the answer's schema dumps, or a response.
        """

        def register(view: _View) -> _View:
            summary, _, description = (view.__doc__ or "").partition("\n")
            made = Operation(
                method=method,
                path=path,
                name=view.__name__,
                summary=summary.rstrip("."),
                description=" ".join(description.split()),
                answer=answer,
                status=status,
                query=query,
                body=body,
                scope=scope,
                example=example,
                may_fail=may_fail,
            )
            self.operations.append(made)
            self.blueprint.add_url_rule(
                _rule(made), view.__name__, _answering(made, view), methods=[method]
            )
            return view

        return register


def _answering(operation: Operation, view: Callable[..., object]) -> Callable[..., Response]:
    def answered(**given: Any) -> Response:
        if operation.scope is not None:
            given["asking"] = _asking(operation, operation.scope)
        asked = arguments.query(operation.query or _NO_PARAMETERS)
        if operation.query is not None:
            given["given"] = asked
        elif operation.body is not None:
            given["given"] = arguments.body(operation.body)
        found = view(**given)
        answer = found if isinstance(found, Response) else _dumped(operation, found)
        return security.no_store(answer) if operation.scope else answer

    return answered


def _asking(operation: Operation, scope: str) -> object:
    asking = identity.may(scope)
    if operation.method != "GET":
        limits.change(asking)
        session().commit()  # what is changed next has a transaction for itself
    return asking


def _dumped(operation: Operation, found: object) -> Response:
    assert isinstance(operation.answer, Schema)
    answer = jsonify(operation.answer.dump(found))
    answer.status_code = operation.status
    return answer


def _rule(operation: Operation) -> str:
    """The address as Flask reads it."""
    rule = operation.path
    for name, bounds in operation.numbers:
        number = f"<int(min={bounds.least}, max={bounds.most}):{name}>"
        rule = rule.replace(f"{{{name}}}", number)
    return rule


def _bound_body() -> ResponseReturnValue | None:
    request.max_content_length = arguments.LONGEST_BODY
    return None
