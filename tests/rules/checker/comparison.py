"""Comparing what a line says with what it should say, field by field."""

import json
from typing import Any

from .reader import Divergence, Line


def same(field: str, expected: Any, found: Any) -> None:
    """Raise Divergence at the first field that differs, in value or in JSON type."""
    if isinstance(expected, dict) and isinstance(found, dict):
        same_keys(field, list(expected), found)
        for key, value in expected.items():
            same(f"{field}.{key}", value, found[key])
    elif isinstance(expected, list) and isinstance(found, list):
        same(f"the length of {field}", len(expected), len(found))
        for place, (value, other) in enumerate(zip(expected, found, strict=True)):
            same(f"{field}[{place}]", value, other)
    elif type(expected) is not type(found) or expected != found:
        differ(field, shown(expected), found)


def same_keys(field: str, expected: list[str], found: Line) -> None:
    """Raise Divergence unless an object has exactly these keys."""
    if set(expected) != set(found):
        missing = [key for key in expected if key not in found]
        extra = [key for key in found if key not in expected]
        raise Divergence(f"{field} has the wrong keys: missing {missing}, too many {extra}.")


def same_set(field: str, expected: list[str], found: Any) -> None:
    """Raise Divergence unless a list of strings holds these, in any order, without repeats."""
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        differ(field, "a list of strings", found)
    if len(set(found)) != len(found):
        twice = next(item for item in found if found.count(item) > 1)
        raise Divergence(f"{field} should have no repeats but has {twice!r} twice.")
    if set(expected) != set(found):
        missing = sorted(set(expected) - set(found))
        extra = sorted(set(found) - set(expected))
        raise Divergence(f"{field} is another set: missing {missing}, too many {extra}.")


def differ(field: str, expected: str, found: Any) -> None:
    """Raise Divergence: a field is not what it should be."""
    raise Divergence(f"{field} should be {expected} but is {shown(found)}.")


def shown(value: Any) -> str:
    """A value as JSON, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else f"{text[:100]}..."
