"""What a call gives, in its address or as JSON, checked against a schema."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from flask import request
from marshmallow import Schema, ValidationError
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from ladder.errors import Invalid

LONGEST_BODY = 64 * 1024
"""Bytes."""


def query(schema: Schema) -> dict[str, Any]:
    """The parameters of the address. Raises Invalid."""
    for name, values in request.args.lists():
        if len(values) > 1:
            raise Invalid(name, f"{name}: give it once")
    return _load(schema, request.args.to_dict())


def body(schema: Schema) -> dict[str, Any]:
    """The JSON object of the body. Raises Invalid, and HTTP errors for what is no JSON."""
    if request.mimetype != "application/json":
        raise UnsupportedMediaType("Send JSON: Content-Type: application/json.")
    try:
        given = json.loads(request.get_data(), parse_constant=_refuse)
    except (ValueError, RecursionError):  # no JSON, no UTF-8, too long a number, too deep
        raise BadRequest("The body is no JSON that can be read.") from None
    if not isinstance(given, dict):
        raise BadRequest("The body has to be a JSON object.")
    return _load(schema, given)


def _load(schema: Schema, given: dict[str, Any]) -> dict[str, Any]:
    try:
        loaded = schema.load(given)
    except ValidationError as error:
        field, sentence = _first(error.messages)
        raise Invalid(field, f"{field}: {sentence.rstrip('.')}") from None
    assert isinstance(loaded, dict)
    return loaded


def _first(messages: Any, path: str = "") -> tuple[str, str]:
    """The first field at fault, as in `clock.bank`, and what is wrong with it."""
    if isinstance(messages, dict):
        name, inner = next(iter(messages.items()))
        return _first(inner, f"{path}.{name}" if path else str(name))
    sentence = str(messages[0])
    return path, sentence[:1].lower() + sentence[1:]


def _refuse(constant: str) -> NoReturn:
    """Python reads NaN and Infinity, which are no JSON."""
    raise ValueError(constant)
