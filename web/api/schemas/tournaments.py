"""Tournaments."""

from __future__ import annotations

from marshmallow import fields, validate

from ladder.contests.tournaments.creating import GRACE
from ladder.contests.tournaments.limits import (
    LONGEST_GRACE,
    LONGEST_NAME,
    MOST_BOTS,
    MOST_DEALS,
    MOST_ROUNDS,
    Format,
)
from referee.clock import Clock as Standard
from web.api.fields import Seconds, YesNo, one_of, text, whole
from web.api.schemas.base import Answer, Given, Page
from web.parameters import MOST

_USUAL = Standard()


class Clock(Answer):
    """What each seat has, in seconds."""

    move_limit = fields.Float()
    bank = fields.Float()
    increment = fields.Float()
    start_up = fields.Float()


class GivenClock(Given):
    """What each seat has, in seconds."""

    move_limit = Seconds(load_default=_USUAL.move_limit)
    bank = Seconds(load_default=_USUAL.bank)
    increment = Seconds(load_default=_USUAL.increment)
    start_up = Seconds(load_default=_USUAL.start_up)


class NewTournament(Given):
    """A tournament to be made; it waits for its start."""

    name = text(LONGEST_NAME, required=True, metadata={"examples": ["Copa"]})
    format = one_of(tuple(map(str, Format)), load_default=str(Format.ROUND_ROBIN))
    seats = whole(2, 4, load_default=2)
    bots = fields.List(
        whole(1, MOST),
        required=True,
        validate=validate.Length(2, MOST_BOTS),
        metadata={
            "description": "Ids; in a gauntlet the first meets all others.",
            "examples": [[1, 2, 3]],
        },
    )
    deals = whole(1, MOST_DEALS, load_default=4)
    rounds = whole(1, MOST_ROUNDS, load_default=None, allow_none=True)
    clock = fields.Nested(GivenClock, load_default=lambda: GivenClock().load({}))
    rated = YesNo(load_default=True)
    grace = Seconds(load_default=GRACE, validate=validate.Range(0, LONGEST_GRACE))


class Tournament(Answer):
    """A tournament."""

    id = fields.Integer()
    name = fields.String()
    format = fields.String(metadata={"description": ", ".join(Format)})
    seats = fields.Integer()
    deals = fields.Integer()
    rounds = fields.Integer()
    round = fields.Integer(metadata={"description": "The newest whose matches have been made."})
    rated = fields.Boolean()
    clock = fields.Nested(Clock)
    grace = fields.Float()
    organiser = fields.String(allow_none=True)
    state = fields.String(metadata={"description": "created, running, paused, finished, cancelled"})
    total = fields.Integer(metadata={"description": "Matches of all rounds."})
    settled = fields.Integer(metadata={"description": "Finished, failed or cancelled matches."})
    finished = fields.Integer(metadata={"description": "Matches with a result."})
    created_at = fields.DateTime()
    started_at = fields.DateTime(allow_none=True)
    finished_at = fields.DateTime(allow_none=True)


class TournamentPage(Page):
    """Tournaments, newest first."""

    tournaments = fields.List(fields.Nested(Tournament))


class Progress(Answer):
    """How many matches are in each state, and the state of the tournament itself.

    `over` says that nothing is left to be played of what is made: rounds may still follow.
    """

    state = fields.String()
    total = fields.Integer()
    queued = fields.Integer()
    running = fields.Integer()
    finished = fields.Integer()
    failed = fields.Integer()
    cancelled = fields.Integer()
    over = fields.Boolean()


class Entrant(Answer):
    """A line of the entry list."""

    number = fields.Integer()
    bot_id = fields.Integer()
    name = fields.String()
    author = fields.String()
    version = fields.String()


class Entries(Answer):
    """The entry list in its order."""

    entries = fields.List(fields.Nested(Entrant))


class StandingRow(Answer):
    """A bot's place in a tournament. `share`: the part of the points that could be had."""

    rank = fields.Integer()
    bot_id = fields.Integer()
    name = fields.String()
    points = fields.Float()
    games = fields.Integer()
    share = fields.Float()
    tie_breaks = fields.List(fields.Float(allow_none=True))
    decided_by = fields.String(
        allow_none=True, metadata={"description": "What puts it behind the row before."}
    )


class TournamentStanding(Answer):
    """The bots of a tournament, best first, and its tie-breaks in their order."""

    rows = fields.List(fields.Nested(StandingRow))
    tie_breaks = fields.List(fields.String())


class Cell(Answer):
    """One bot against one other."""

    opponent_id = fields.Integer()
    points = fields.Float()
    games = fields.Integer()


class CrossTableRow(StandingRow):
    """A bot's place, and its points against each other one."""

    cells = fields.List(fields.Nested(Cell))


class CrossTable(TournamentStanding):
    """The standing with the points of each bot against each other one."""

    rows = fields.List(fields.Nested(CrossTableRow))


class Played(Answer):
    """A match of a table."""

    id = fields.Integer()
    state = fields.String()


class TableBot(Answer):
    """A bot at a table of a round, with its points there."""

    bot_id = fields.Integer()
    name = fields.String()
    points = fields.Float()


class Table(Answer):
    """Bots that sit together in a round."""

    bots = fields.List(fields.Nested(TableBot))
    matches = fields.List(fields.Nested(Played))


class Round(Answer):
    """A round, and who sits out in it."""

    number = fields.Integer()
    tables = fields.List(fields.Nested(Table))
    sitting_out = fields.List(fields.Nested(Entrant))
