"""Compares a line of a trace with the one that is due: JSON values, told apart in plain words."""

from collections.abc import Iterable
from typing import Any, Final

from referee.rules.errors import InvalidTrace

_IN_ANY_ORDER: Final = ("legal", "silenced")
_LONGEST: Final = 60  # characters of a value, or names of a list, that a message shows


def must_be(due: Any, found: Any, path: str = "") -> None:
    """Raises InvalidTrace where a value first differs from the one that is due.

    `path` says where the values stand, such as `state.players[1]`. The order of the keys of an
    object is free, and that of the legal moves and the silenced citizens.
    """
    if type(found) is not type(due):
        raise InvalidTrace(f"{path or 'it'} is {shown(found)} and should be {shown(due)}.")
    if isinstance(due, dict):
        same_keys(due, found, path)
        for key, value in due.items():
            must_be(value, found[key], f"{path}.{key}" if path else key)
    elif isinstance(due, list):
        _same_list(due, found, path)
    elif due != found:
        raise InvalidTrace(f"{path} is {shown(found)} and should be {shown(due)}.")


def same_keys(due: Iterable[str], found: dict[str, Any], path: str = "") -> None:
    """Raises InvalidTrace where an object lacks a key or has one that does not belong."""
    where = path or "the line"
    for key in due:
        if key not in found:
            raise InvalidTrace(f"{where} lacks {shown(key)}.")
    for key in found:
        if key not in due:
            raise InvalidTrace(f"{where} has {shown(key)}, which does not belong there.")


def shown(value: Any) -> str:
    """A JSON value as it stands in a message: short, whatever it is."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = repr(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _same_list(due: list[Any], found: list[Any], path: str) -> None:
    if path.endswith(_IN_ANY_ORDER) and all(isinstance(name, str) for name in found):
        _same_names(due, found, path)
        return
    if len(due) != len(found):
        raise InvalidTrace(f"{path} is {shown(found)} and should be {shown(due)}.")
    for place, value in enumerate(due):
        must_be(value, found[place], f"{path}[{place}]")


def _same_names(due: list[str], found: list[str], path: str) -> None:
    if sorted(due) == sorted(found):
        return
    present, wanted = set(found), set(due)
    for name in due:
        if name not in present:
            raise InvalidTrace(f"{path} lacks {shown(name)}.")
    for name in found:
        if name not in wanted:
            raise InvalidTrace(f"{path} has {shown(name)}, which does not belong there.")
    raise InvalidTrace(f"{path} has a name twice.")
