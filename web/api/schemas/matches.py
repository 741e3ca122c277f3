"""Matches."""

from __future__ import annotations

from marshmallow import fields

from ladder.model import MatchState
from web.api.fields import one_of, query_id, text
from web.api.schemas.base import Answer, Given, Page, Paging

STATES = tuple(MatchState)


class MatchQuery(Paging):
    """Which matches."""

    bot = query_id("Of this bot.")
    opponent = query_id("In which this bot sat at the table, too.")
    tournament = query_id("Of this tournament.")
    state = one_of(STATES, load_default=None)


class Seat(Answer):
    """A seat of a match. Ratings are in thousandths of an Elo point.

    Who plays a match of a ladder is null until it has begun: `bot_id`, `name`, `author`, `version`.
    """

    seat = fields.Integer(metadata={"description": "From 0, in the order of play."})
    bot_id = fields.Integer(allow_none=True)
    name = fields.String(allow_none=True)
    author = fields.String(allow_none=True)
    version = fields.String(allow_none=True)
    rank = fields.Integer(allow_none=True)
    vp = fields.Integer(allow_none=True)
    fault = fields.String(allow_none=True)
    rating_before = fields.Integer(allow_none=True)
    rating_after = fields.Integer(allow_none=True)


class Match(Answer):
    """A match. `reason`: how the game ended, or why there is no result."""

    id = fields.Integer()
    kind = fields.String(metadata={"description": "validation, challenge, tournament or ladder"})
    state = fields.String(metadata={"description": ", ".join(STATES)})
    tournament_id = fields.Integer(allow_none=True)
    tournament_name = fields.String(allow_none=True)
    rated = fields.Boolean()
    seats = fields.List(fields.Nested(Seat))
    attempt = fields.Integer()
    interruptions = fields.Integer()
    reason = fields.String(allow_none=True)
    result_number = fields.Integer(allow_none=True)
    annul_reason = fields.String(
        allow_none=True, metadata={"description": "Why the result does not count any more."}
    )
    has_replay = fields.Boolean()
    created_at = fields.DateTime()
    started_at = fields.DateTime(allow_none=True)
    finished_at = fields.DateTime(allow_none=True)


class MatchPage(Page):
    """Matches, newest first."""

    matches = fields.List(fields.Nested(Match))


class Annulment(Given):
    """Why a result is annulled; everybody can read it."""

    reason = text(1_000, required=True, metadata={"examples": ["The host stood still."]})
