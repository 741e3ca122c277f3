"""Standings, rating histories and fairness. Ratings are in thousandths of an Elo point."""

from __future__ import annotations

from marshmallow import fields

from web.api.fields import query_number
from web.api.schemas.base import Answer, Page, Paging


class Standing(Answer):
    """A bot's place on a ladder; `low_milli` and `high_milli` bound the 95 % interval."""

    rank = fields.Integer()
    bot_id = fields.Integer()
    name = fields.String()
    author = fields.String()
    version = fields.String()
    rating_milli = fields.Integer()
    games = fields.Integer()
    wins = fields.Integer()
    faults = fields.Integer()
    strength_milli = fields.Integer(allow_none=True)
    low_milli = fields.Integer(allow_none=True)
    high_milli = fields.Integer(allow_none=True)
    provisional = fields.Boolean()
    pinned = fields.Boolean()


class Standings(Answer):
    """The ladder of one table size, best first."""

    seats = fields.Integer()
    standings = fields.List(fields.Nested(Standing))


class Place(Answer):
    """A place on one ladder."""

    seats = fields.Integer()
    rank = fields.Integer()
    rating_milli = fields.Integer()
    games = fields.Integer()
    provisional = fields.Boolean()


class Places(Answer):
    """Where a bot stands on each ladder."""

    bot_id = fields.Integer()
    name = fields.String()
    author = fields.String()
    version = fields.String()
    places = fields.List(fields.Nested(Place))


class AllStandings(Answer):
    """Every bot with a rated game."""

    bots = fields.List(fields.Nested(Places))


class HistoryQuery(Paging):
    """Which part of a bot's rating history; `before` is a result number."""

    seats = query_number(2, 4, required=True, metadata={"description": "The ladder."})


class RatingEntry(Answer):
    """A rating before and after one entry of the ledger."""

    result_number = fields.Integer()
    seats = fields.Integer()
    kind = fields.String(metadata={"description": "result, inheritance, annulment or pin"})
    version = fields.String()
    match_id = fields.Integer(allow_none=True)
    before_milli = fields.Integer()
    after_milli = fields.Integer()


class History(Page):
    """A bot's rating history, newest first."""

    entries = fields.List(fields.Nested(RatingEntry))


class SeatShare(Answer):
    """Wins by seat; a shared win is a share of one."""

    seat = fields.Integer()
    games = fields.Integer()
    wins = fields.Float()
    expected = fields.Float()


class NeighbourShare(Answer):
    """How the bots did that moved right after this one."""

    bot_id = fields.Integer()
    name = fields.String()
    games = fields.Integer()
    wins = fields.Float()
    expected = fields.Float()
    z = fields.Float()


class BotGames(Answer):
    """Rated games of a bot on the ladder."""

    bot_id = fields.Integer()
    name = fields.String()
    author = fields.String()
    games = fields.Integer()


class QueueWait(Answer):
    """Seconds that ladder matches waited; 95 % of them no longer than `most`."""

    matches = fields.Integer()
    median = fields.Float()
    most = fields.Float()


class Fairness(Answer):
    """How fair one ladder was."""

    seats = fields.Integer()
    by_seat = fields.List(fields.Nested(SeatShare))
    by_neighbour = fields.List(fields.Nested(NeighbourShare))
    games_per_bot = fields.List(fields.Nested(BotGames))
    queue_wait = fields.Nested(QueueWait, allow_none=True)


class PairRecord(Answer):
    """A bot against another, and what was to be expected; see docs/fairness.md."""

    bot_id = fields.Integer()
    name = fields.String()
    opponent_id = fields.Integer()
    opponent = fields.String()
    games = fields.Integer()
    points = fields.Float()
    expected_points = fields.Float()
    tributes = fields.Integer()
    expected_tributes = fields.Float()
    faults = fields.Integer()
    expected_faults = fields.Float()
    suspicion = fields.Float()


class Pairs(Answer):
    """Pairs of bots, those first that differ most from what was to be expected."""

    pairs = fields.List(fields.Nested(PairRecord))


class WorkerRecord(Answer):
    """What a worker played of the newest matches; lags in milliseconds."""

    name = fields.String()
    matches = fields.Integer()
    seats = fields.Integer()
    faults = fields.Integer()
    lag_ms = fields.Integer(allow_none=True)
    mean_lag_ms = fields.Float(allow_none=True)


class Workers(Answer):
    """The workers by name."""

    workers = fields.List(fields.Nested(WorkerRecord))
