"""What all answers, and all that is given, have in common; pages of lists; problems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from marshmallow import EXCLUDE, RAISE, Schema, fields

from web.api.fields import query_id, query_number

PAGE = 50
MOST_ON_A_PAGE = 200


class Given(Schema):
    """What a call takes: whatever is not known is refused, lest a typing error go unseen."""

    class Meta:
        unknown = RAISE


class Answer(Schema):
    """What a call gives: all fields are always there. Later versions may have more of them."""

    class Meta:
        unknown = EXCLUDE

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:  # noqa: ARG002
        field_obj.required = True


class Paging(Given):
    """Which part of a list."""

    before = query_id("Only what is older than this: `next` of the page before.")
    limit = query_number(
        1, MOST_ON_A_PAGE, load_default=PAGE, metadata={"description": "Items on a page."}
    )


class Page(Answer):
    """A part of a list, newest first."""

    next = fields.Integer(
        allow_none=True,
        metadata={"description": "Give this as `before` for the next page; null on the last."},
    )


class Problem(Answer):
    """What went wrong (RFC 9457)."""

    type = fields.String(metadata={"examples": ["about:blank"]})
    title = fields.String(metadata={"examples": ["This can't be taken as it is"]})
    status = fields.Integer(metadata={"examples": [422]})
    detail = fields.String(metadata={"examples": ["Limit: it is from 1 to 200."]})


class FieldProblem(Problem):
    """What went wrong, and in which field that was given."""

    field = fields.String(metadata={"examples": ["limit"]})


def page_of(items: Sequence[Any], limit: int, key: str, name: str) -> dict[str, Any]:
    """A page of `limit` items out of one more than that; its cursor is the last one's `key`."""
    shown = items[:limit]
    return {name: shown, "next": getattr(shown[-1], key) if len(items) > limit else None}
