"""Models of requests and answers, by pydantic.

The ladder's dataclasses are answers as they are; `Answer` is for those that differ. Requests are
read strictly: a number in quotes is no number, and 1 is not `true`.
"""

import unicodedata
from collections.abc import Sequence
from typing import Annotated, Final, Protocol, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from web.parameters import MOST

PAGE: Final = 50
MOST_ON_A_PAGE: Final = 200
MOST_PAGES: Final = 10_000
_UNSTORABLE: Final = frozenset({"Cc", "Cs"})  # control characters, halves of characters


def _digits(value: object) -> int:
    if not (isinstance(value, str) and value.isascii() and value.isdigit()):
        raise PydanticCustomError("digits", "it should be a whole number, such as 12")
    return int(value[:20])


def _storable(text: str) -> str:
    if any(unicodedata.category(character) in _UNSTORABLE for character in text):
        raise PydanticCustomError("storable", "it should hold no control characters")
    return text


Text: TypeAlias = Annotated[str, AfterValidator(_storable)]
"""A text without control characters, which some databases can't store."""
Id: TypeAlias = Annotated[int, Field(ge=1, le=MOST)]
Seconds: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
DIGITS: Final = BeforeValidator(_digits)
"""Reads a whole number in decimal digits, as an address holds it; it comes after the bounds."""
QueryId: TypeAlias = Annotated[int, Field(ge=1, le=MOST), DIGITS]
QueryLimit: TypeAlias = Annotated[int, Field(ge=1, le=MOST_ON_A_PAGE), DIGITS]
QuerySeats: TypeAlias = Annotated[int, Field(ge=2, le=4), DIGITS]


class Given(BaseModel):
    """The parameters or the body of a call. An unknown field is an error: it may be a typo."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True
    )


class Answer(BaseModel):
    """The answer to a call, made from any object with these attributes, or from a dict.

    All fields are always there; later versions may have more of them.
    """

    model_config = ConfigDict(frozen=True, from_attributes=True, use_attribute_docstrings=True)


class Paging(Given):
    """Which part of a list to return."""

    before: QueryId | None = None
    """Only what is older than this: `next` of the previous page."""
    limit: QueryLimit = PAGE
    """The maximum number of items on a page."""


class Page(Answer):
    """A part of a list, newest first."""

    next: int | None
    """Give this as `before` for the next page; null on the last."""


class Problem(Answer):
    """An error (RFC 9457)."""

    type: str = Field(examples=["about:blank"])
    title: str = Field(examples=["Some input is invalid"])
    status: int = Field(examples=[422])
    detail: str = Field(examples=["Limit: it should be less than or equal to 200."])


class FieldProblem(Problem):
    """An error, with the field of the request that caused it."""

    field: str = Field(examples=["limit"])


class _Listed(Protocol):
    @property
    def id(self) -> int: ...


_T = TypeVar("_T", bound=_Listed)


def page_of(items: Sequence[_T], limit: int) -> tuple[list[_T], int | None]:
    """Return the first `limit` items, and the id of the last of them if there are more."""
    shown = list(items[:limit])
    return shown, shown[-1].id if len(items) > limit else None
