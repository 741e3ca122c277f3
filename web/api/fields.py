"""Fields of the API: as strict as JSON is. A number in quotes is no number, a 1 no yes."""

from __future__ import annotations

import unicodedata
from typing import Any, Final

from marshmallow import ValidationError, fields, validate

from web.parameters import MOST

_UNSTORABLE: Final = frozenset({"Cc", "Cs"})  # control characters, halves of characters


class Text(fields.String):
    """A text that every database can keep: no control characters."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if any(unicodedata.category(character) in _UNSTORABLE for character in text):
            raise ValidationError("it holds characters that can't be shown")
        return text


class YesNo(fields.Boolean):
    """true or false."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError("it is true or false")
        return bool(super()._deserialize(value, attr, data, **kwargs))


class Seconds(fields.Float):
    """A number of seconds."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        if isinstance(value, str):
            raise ValidationError("it is a number of seconds")
        return super()._deserialize(value, attr, data, **kwargs)


class QueryNumber(fields.Integer):
    """A whole number in decimal digits, as an address holds it."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if not (isinstance(value, str) and value.isascii() and value.isdigit()):
            raise ValidationError("it is a whole number, such as 12")
        return super()._deserialize(value[:20], attr, data, **kwargs)


def whole(least: int, most: int, **options: Any) -> fields.Integer:
    """A whole number of JSON within these bounds."""
    return fields.Integer(strict=True, validate=_within(least, most), **options)


def query_number(least: int, most: int, **options: Any) -> QueryNumber:
    """A whole number of an address within these bounds."""
    return QueryNumber(validate=_within(least, most), **options)


def query_id(description: str) -> QueryNumber:
    """The id of something, or None where it is left out."""
    return query_number(1, MOST, load_default=None, metadata={"description": description})


def text(longest: int, **options: Any) -> Text:
    """A text with a limit on its characters, and with one at least."""
    return Text(validate=validate.Length(1, longest), **options)


def one_of(words: tuple[str, ...], **options: Any) -> Text:
    """One of these words."""
    told = f"it is one of {', '.join(words)}"
    return Text(validate=validate.OneOf(words, error=told), **options)


def _within(least: int, most: int) -> validate.Range:
    return validate.Range(least, most, error="it is from {min} to {max}")
