"""Standings, rating histories and fairness. Ratings are in thousandths of an Elo point."""

from __future__ import annotations

from typing import Final

from marshmallow import fields, validate

from ladder.ratings.boards import LONGEST_SEARCH, Sort
from web.api.fields import Text, one_of, query_number
from web.api.schemas.base import MOST_ON_A_PAGE, PAGE, Answer, Given, Page, Paging

MOST_PAGES: Final = 10_000


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


class OverviewQuery(Given):
    """Which bots, and in which order. Places change all the time, so pages have numbers here."""

    search = Text(
        load_default="",
        validate=validate.Length(max=LONGEST_SEARCH),
        metadata={"description": "Part of the name of the bot or its author."},
    )
    by = query_number(
        2, 4, load_default=None, metadata={"description": "A ladder; else the mean of all."}
    )
    page = query_number(1, MOST_PAGES, load_default=1)
    limit = query_number(1, MOST_ON_A_PAGE, load_default=PAGE)


class StandingsQuery(OverviewQuery):
    """Which bots of a ladder, and in which order."""

    class Meta(Given.Meta):
        exclude = ("by",)

    sort = one_of(tuple(map(str, Sort)), load_default=str(Sort.RANK))
    order = one_of(("usual", "reverse"), load_default="usual")


class NumberedPage(Answer):
    """A part of a table; `found` counts what is on all its pages."""

    found = fields.Integer()
    next = fields.Integer(
        allow_none=True,
        metadata={"description": "Give this as `page` for the next one; null on the last."},
    )


class Standings(NumberedPage):
    """The ladder of one table size."""

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
    """Where a bot stands on each ladder; `mean_milli`: the mean of its ratings."""

    bot_id = fields.Integer()
    name = fields.String()
    author = fields.String()
    version = fields.String()
    pinned = fields.Boolean()
    mean_milli = fields.Float()
    places = fields.List(fields.Nested(Place))


class AllStandings(NumberedPage):
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
