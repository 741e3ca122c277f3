"""Addresses in pages, made fast: a page has hundreds of them, and most are of a few shapes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import flask
from flask import Flask, request

_SHAPES: Final = 1024
_TEXTS: Final = 4096
_STANDS_FOR: Final = 2_000_000_011
"""Numbers from here on stand for those that come: they are no one's, and fit into any address."""


def init_app(app: Flask) -> None:
    """Let templates make addresses by `url_for` of this module."""
    app.jinja_env.globals["url_for"] = url_for


def url_for(endpoint: str, **values: Any) -> str:
    """As Flask's, within a request. What has the value None is left out."""
    for name in [name for name, value in values.items() if value is None]:
        del values[name]
    root = request.root_path
    if endpoint[0] == "." or any(name[0] == "_" for name in values):
        return flask.url_for(endpoint, **values)
    kinds = {type(value) for value in values.values()}
    if kinds == {int}:
        return _shape(root, endpoint, *values) % values
    if kinds <= {int, str}:
        return _text(root, endpoint, *values.items())
    return flask.url_for(endpoint, **values)


@lru_cache(_SHAPES)
def _shape(_root: str, endpoint: str, *names: str) -> str:
    """An address with fields for whole numbers."""
    numbers: dict[str, Any] = {name: _STANDS_FOR + place for place, name in enumerate(names)}
    shape = flask.url_for(endpoint, **numbers).replace("%", "%%")
    for name, number in numbers.items():
        shape = shape.replace(str(number), f"%({name})d")
    return shape


@lru_cache(_TEXTS)
def _text(_root: str, endpoint: str, *values: tuple[str, int | str]) -> str:
    given: dict[str, Any] = dict(values)
    return flask.url_for(endpoint, **given)
