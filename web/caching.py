"""Caches that make large pages cheap: addresses, and parts that rarely change.

A page holds hundreds of addresses of a few shapes. Large parts (a board, a table) are drawn once
in each language, as long as the data that they show stays the same.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache
from threading import Lock
from typing import Any, Final, Generic, TypeVar

import flask
from flask import Flask, render_template, request
from jinja2.runtime import Macro
from markupsafe import Markup

from web.languages import language

_T = TypeVar("_T")

_SHAPES: Final = 1024
_TEXTS: Final = 4096
_PLACEHOLDER: Final = 2_000_000_011
"""Numbers from here on stand for the ids to come: no row has them, and every address takes them."""


class Cache(Generic[_T]):
    """The most recently used values of a kind, each with the source that it was made from."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = Lock()
        self._values: OrderedDict[Hashable, tuple[object, _T]] = OrderedDict()

    def get(self, key: Hashable, source: object) -> _T | None:
        """Return the value under the key if it was made from an equal source, else None."""
        with self._lock:
            found = self._values.get(key)
            if found is None or found[0] != source:
                return None
            self._values.move_to_end(key)
            return found[1]

    def put(self, key: Hashable, source: object, value: _T) -> None:
        """Store the value. Nobody may change `source` afterwards."""
        with self._lock:
            self._values[key] = (source, value)
            self._values.move_to_end(key)
            while len(self._values) > self._size:
                self._values.popitem(last=False)

    def made(self, key: Hashable, source: object, make: Callable[[], _T]) -> _T:
        """Return the value under the key; make and store it if none is of an equal source."""
        found = self.get(key, source)
        if found is None:
            found = make()
            self.put(key, source, found)
        return found


_parts: Final = Cache[Markup](64)  # up to 300 kB each
_drawings: Final = Cache[Markup](8192)  # about 1 kB each


def init_app(app: Flask) -> None:
    """Give templates the fast `url_for`, `cached` and `cached_drawing`."""
    app.jinja_env.globals.update(url_for=url_for, cached=cached, cached_drawing=cached_drawing)


def url_for(endpoint: str, **values: Any) -> str:
    """Return what Flask's `url_for` returns within a request. Values of None are left out."""
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


def cached(template: str, source: object, *key: Hashable, **shown: Any) -> Markup:
    """Render a template with the variables `shown`, or return what was rendered before.

    All variables have to follow from `source` and from `key`, which tells this part from other
    parts made by the same template.
    """
    place = (template, request.root_path, language(), *key)
    return _parts.made(place, source, lambda: Markup(render_template(template, **shown)))


def cached_drawing(macro: Macro, source: object, *key: Hashable) -> Markup:
    """Render a small part by a macro that takes the source alone. The key as in `cached`."""
    place = (macro.name, request.root_path, language(), *key)
    return _drawings.made(place, source, lambda: Markup(macro(source)))


@lru_cache(_SHAPES)
def _shape(_root: str, endpoint: str, *names: str) -> str:
    """Return an address as a format string with a field for each whole number."""
    numbers: dict[str, Any] = {name: _PLACEHOLDER + place for place, name in enumerate(names)}
    shape = flask.url_for(endpoint, **numbers).replace("%", "%%")
    for name, number in numbers.items():
        shape = shape.replace(str(number), f"%({name})d")
    return shape


@lru_cache(_TEXTS)
def _text(_root: str, endpoint: str, *values: tuple[str, int | str]) -> str:
    arguments: dict[str, Any] = dict(values)
    return flask.url_for(endpoint, **arguments)
