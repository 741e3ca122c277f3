"""Large parts of pages that are made once, in each language, as long as what they show stays."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Any, Final, Generic, TypeVar

from flask import Flask, render_template, request
from jinja2.runtime import Macro
from markupsafe import Markup

from web.languages import language

_T = TypeVar("_T")


class Kept(Generic[_T]):
    """The newest things of a kind, each with the source that it was made from."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._things: OrderedDict[Hashable, tuple[object, _T]] = OrderedDict()

    def get(self, place: Hashable, source: object) -> _T | None:
        """What was put there, if it was made from an equal source."""
        with self._lock:
            known = self._things.get(place)
            if known is None or known[0] != source:
                return None
            self._things.move_to_end(place)
            return known[1]

    def put(self, place: Hashable, source: object, thing: _T) -> None:
        """Keep it; the source is changed by nobody."""
        with self._lock:
            self._things[place] = (source, thing)
            self._things.move_to_end(place)
            while len(self._things) > self._most:
                self._things.popitem(last=False)


_parts: Final = Kept[Markup](most=64)  # up to 300 kB each
_drawings: Final = Kept[Markup](most=8192)  # about 1 kB each


def init_app(app: Flask) -> None:
    """Let templates draw such parts by `kept` and `kept_drawing`."""
    app.jinja_env.globals.update(kept=kept, kept_drawing=kept_drawing)


def kept(template: str, source: object, *key: Hashable, **shown: Any) -> Markup:
    """The template with what is `shown`.

    All of that has to follow from `source` and from the `key` that tells this part from others of
    the same template.
    """
    place = (template, request.root_path, language(), *key)
    drawn = _parts.get(place, source)
    if drawn is None:
        drawn = Markup(render_template(template, **shown))
        _parts.put(place, source, drawn)
    return drawn


def kept_drawing(macro: Macro, source: object, *key: Hashable) -> Markup:
    """A small part: what a macro that takes the source alone makes of it. The key as in `kept`."""
    place = (macro.name, request.root_path, language(), *key)
    drawn = _drawings.get(place, source)
    if drawn is None:
        drawn = Markup(macro(source))
        _drawings.put(place, source, drawn)
    return drawn
