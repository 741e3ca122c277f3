"""Tournaments: everyone sees them, organisers create and manage them."""

from dataclasses import asdict, replace
from typing import Annotated

from pydantic import Field

from ladder.contests.cross_table import CrossTable, current_table
from ladder.contests.formats import Format
from ladder.contests.tournaments import correcting, creating, lifecycle, lookup
from ladder.contests.tournaments.creating import (
    LONGEST_GRACE,
    LONGEST_NAME,
    MOST_BOTS,
    MOST_DEALS,
    MOST_ROUNDS,
)
from ladder.contests.tournaments.lookup import Entrant, Played, Tournament
from ladder.errors import Invalid
from ladder.people.accounts import Account
from referee.clock import Clock
from web.api.operations import Answer, CallGroup, Id, Input, Page, Paging, Seconds, Text
from web.database import session
from web.parameters import page_of

group = CallGroup("tournaments", "Tournaments: their matches, standing and entry lists.")
organising = CallGroup("organising", "Making and leading tournaments (organisers).")

_EXAMPLE = {
    "name": "Copa",
    "format": "round_robin",
    "seats": 3,
    "bots": [1, 2, 3],
    "deals": 2,
    "clock": {"move_limit": 10, "bank": 60, "increment": 0.5, "start_up": 10},
}
_USUAL = Clock()


class GivenClock(Input):
    """The time of each seat, in seconds."""

    move_limit: Seconds = _USUAL.move_limit
    bank: Seconds = _USUAL.bank
    increment: Seconds = _USUAL.increment
    start_up: Seconds = _USUAL.start_up


class NewTournament(Input):
    """A tournament to create; it is started afterwards."""

    name: Text = Field(min_length=1, max_length=LONGEST_NAME, examples=["Copa"])
    format: Annotated[Format, Field(strict=False)] = Format.ROUND_ROBIN
    seats: int = Field(2, ge=2, le=4)
    bots: list[Id] = Field(min_length=2, max_length=MOST_BOTS, examples=[[1, 2, 3]])
    """Ids; in a gauntlet the first meets all others."""
    deals: int = Field(4, ge=1, le=MOST_DEALS)
    rounds: int | None = Field(None, ge=1, le=MOST_ROUNDS)
    clock: GivenClock = Field(default_factory=GivenClock, strict=False)
    rated: bool = True
    grace: Seconds = Field(creating.GRACE, ge=0, le=LONGEST_GRACE)
    hosted_only: bool = False
    """True lets only hosted bots enter."""


class Withdrawal(Input):
    """A bot to withdraw. `annul`: its results in the tournament no longer count, either."""

    bot: Id
    annul: bool = False


class TournamentPage(Page):
    """Tournaments, newest first."""

    tournaments: list[Tournament]


class Progress(Answer):
    """How many matches are in each state, and the state of the tournament itself.

    `annulled`: those of the finished ones whose result no longer counts.
    `over`: nothing is left to be played of the matches made so far; rounds may still follow.
    """

    state: str
    total: int
    queued: int
    running: int
    finished: int
    failed: int
    cancelled: int
    annulled: int
    over: bool


class Entries(Answer):
    """The entry list in its order."""

    entries: list[Entrant]


class StandingRow(Answer):
    """A bot's place in a tournament. `share`: its share of the points that were possible."""

    rank: int
    """The place of a bot without `games` says nothing until the tournament is over."""
    bot_id: int
    name: str
    points: float
    games: int
    share: float
    tie_breaks: list[float | None]
    decided_by: str | None
    """The tie-break that puts it behind the row before."""
    absences: int
    """The matches in which it did not appear."""
    withdrew: bool
    """True if it has withdrawn: then it ranks below all others."""


class TournamentStanding(Answer):
    """The bots of a tournament, best first, and its tie-breaks in their order."""

    rows: list[StandingRow]
    tie_breaks: list[str]


class TableBot(Answer):
    """A bot at a table of a round, with its points there."""

    bot_id: int
    name: str
    points: float


class Table(Answer):
    """Bots that sit together in a round."""

    bots: list[TableBot]
    matches: list[Played]


class Round(Answer):
    """A round, and the bots that sit out in it."""

    number: int
    tables: list[Table]
    sitting_out: list[Entrant]


@group.get("/tournaments")
def page(query: Paging) -> TournamentPage:
    """Tournaments, newest first."""
    found = lookup.page(session(), before=query.before, limit=query.limit + 1)
    shown, following = page_of(found, query.limit)
    return TournamentPage(tournaments=shown, next=following)


@group.get("/tournaments/{tournament_id}")
def tournament(tournament_id: int) -> Tournament:
    """One tournament."""
    return lookup.tournament(session(), tournament_id)


@group.get("/tournaments/{tournament_id}/progress")
def progress(tournament_id: int) -> Progress:
    """The progress of a tournament."""
    read = lookup.tournament(session(), tournament_id)
    found = lookup.progress(session(), tournament_id, tournament=read)
    return Progress(**asdict(found), over=found.over, state=read.state)


@group.get("/tournaments/{tournament_id}/entries")
def entries(tournament_id: int) -> Entries:
    """The entry list of a tournament."""
    return Entries(entries=list(lookup.entries(session(), tournament_id)))


@group.get("/tournaments/{tournament_id}/standing")
def standing(tournament_id: int) -> TournamentStanding:
    """The standings of a tournament with its tie-breaks."""
    return TournamentStanding.model_validate(current_table(session(), tournament_id))


@group.get("/tournaments/{tournament_id}/cross-table")
def cross_table(tournament_id: int) -> CrossTable:
    """The standings of a tournament, and the score of each bot against every other."""
    return current_table(session(), tournament_id)


@group.get("/tournaments/{tournament_id}/rounds/{round}")
def round_of(tournament_id: int, round: int) -> Round:
    """One round of a Swiss tournament: its tables, and the bots that sit out."""
    found = lookup.round_of(session(), tournament_id, round)
    return Round(
        number=found.number,
        tables=[
            Table(
                bots=[
                    TableBot(bot_id=entrant.bot_id, name=entrant.name, points=points)
                    for entrant, points in table.bots
                ],
                matches=list(table.matches),
            )
            for table in found.tables
        ],
        sitting_out=list(found.sitting_out),
    )


@group.post("/tournaments/{tournament_id}/bots/{bot_id}/withdraw", scope="bots")
def withdraw_own(tournament_id: int, bot_id: int, account: Account) -> Tournament:
    """Withdraw your bot for good: what it has still to play is void, what it has played stays."""
    author = replace(account, role="author")  # for others' bots a token needs another scope
    correcting.withdraw(session(), tournament_id, bot_id, by=author)
    return _changed(tournament_id)


@organising.post("/tournaments", status=201, scope="tournaments", example=_EXAMPLE, may_fail=(404,))
def create(account: Account, body: NewTournament) -> Tournament:
    """Create a tournament; start it afterwards."""
    wish = body.model_dump(exclude={"bots", "clock"})
    clock = _clock(body.clock)
    made = creating.create(session(), account, bot_ids=body.bots, clock=clock, **wish)
    session().commit()
    return made


@organising.post("/tournaments/{tournament_id}/start", scope="tournaments")
def start(tournament_id: int, account: Account) -> Tournament:
    """Start a tournament."""
    lifecycle.start(session(), tournament_id, by=account)
    return _changed(tournament_id)


@organising.post("/tournaments/{tournament_id}/pause", scope="tournaments")
def pause(tournament_id: int, account: Account) -> Tournament:
    """Pause a tournament: running matches finish, no others start."""
    lifecycle.pause(session(), tournament_id, by=account)
    return _changed(tournament_id)


@organising.post("/tournaments/{tournament_id}/resume", scope="tournaments")
def resume(tournament_id: int, account: Account) -> Tournament:
    """Resume a tournament after a pause."""
    lifecycle.resume(session(), tournament_id, by=account)
    return _changed(tournament_id)


@organising.post("/tournaments/{tournament_id}/cancel", scope="tournaments")
def cancel(tournament_id: int, account: Account) -> Tournament:
    """Cancel all matches that have no result yet, for good; results stay."""
    lifecycle.cancel(session(), tournament_id, by=account)
    return _changed(tournament_id)


@organising.post(
    "/tournaments/{tournament_id}/withdraw", scope="tournaments", example={"bot": 4, "annul": False}
)
def withdraw_bot(tournament_id: int, account: Account, body: Withdrawal) -> Tournament:
    """Withdraw any bot for good: what it has still to play is void."""
    correcting.withdraw(session(), tournament_id, body.bot, by=account, annul=body.annul)
    return _changed(tournament_id)


@organising.post("/tournaments/{tournament_id}/play-forfeits", scope="tournaments")
def play_forfeits(tournament_id: int, account: Account) -> Tournament:
    """Let the forfeits of this round be played whose bots are back."""
    correcting.play_forfeits(session(), tournament_id, by=account)
    return _changed(tournament_id)


def _changed(tournament_id: int) -> Tournament:
    session().commit()
    return tournament(tournament_id)


def _clock(seconds: GivenClock) -> Clock:
    try:
        return Clock(**seconds.model_dump())
    except ValueError as error:
        raise Invalid("clock", str(error).rstrip(".")) from None
