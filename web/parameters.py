"""Query parameters, checked: what makes no sense is a 400 that says what would."""

from collections.abc import Collection

from flask import abort, request

from web.languages import gettext as _

MOST = 2**31 - 1
"""The largest id that the databases can hold."""


def as_number(text: str) -> int | None:
    """The whole number from 1 to MOST that the text is; None for any other text."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MOST))):
        return None
    value = int(text)
    return value if 1 <= value <= MOST else None


def number(name: str) -> int | None:
    """A whole number from 1, None where the parameter is missing or empty."""
    text = request.args.get(name, "").strip()
    if not text:
        return None
    value = as_number(text)
    if value is None:
        abort(
            400,
            _("“%(name)s” has to be a whole number from 1, such as %(name)s=12.", name=name),
        )
    return value


def choice(name: str, allowed: Collection[str]) -> str | None:
    """One of the allowed words, None where the parameter is missing or empty."""
    text = request.args.get(name, "").strip()
    if not text:
        return None
    if text not in allowed:
        abort(400, _("“%(name)s” can be %(words)s.", name=name, words=", ".join(allowed)))
    return text


def own_path(name: str) -> str | None:
    """A path of this site to go on to, with its query; None for all else."""
    path = request.values.get(name, "")
    local = path.startswith("/") and not path.startswith("//") and "\\" not in path
    return path if local and path.isprintable() else None
