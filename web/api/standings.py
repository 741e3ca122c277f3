"""The ladders: standings, rating histories, and the data by which anyone can check fairness."""

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from ladder.people.accounts import LONGEST_SEARCH
from ladder.ratings import fairness, setbacks
from ladder.ratings.boards import Sort, board, overview
from ladder.ratings.collusion import PairRecord
from ladder.ratings.fairness import BotGames, NeighbourShare, QueueWait, SeatShare, WorkerRecord
from ladder.ratings.histories import RatingEntry, rating_entries
from ladder.ratings.ranks import Place
from ladder.ratings.setbacks import BotInterruptions, BotMisses
from ladder.ratings.standings import Standing
from web import limits
from web.api import operations
from web.database import session
from web.parameters import MOST_PAGES

group = operations.CallGroup(
    "standings", "The ladders of tables of 2, 3 and 4, and how ratings came about."
)
fair = operations.CallGroup("fairness", "Seats, neighbours, waiting, pairs of bots, workers.")


class _Search(operations.Input):
    """Which bots to return. Their order changes all the time, so pages have numbers here."""

    search: operations.Text = Field("", max_length=LONGEST_SEARCH)
    """Part of the name of the bot or its author."""
    page: Annotated[int, Field(ge=1, le=MOST_PAGES), operations.DIGITS] = 1
    limit: operations.QueryLimit = operations.PAGE

    def following(self, count: int) -> int | None:
        """Return the number of the page after this one; None on the last of `count` bots."""
        more = self.page * self.limit < count and self.page < MOST_PAGES
        return self.page + 1 if more else None


class OverviewQuery(_Search):
    """Which bots to return, and in which order."""

    by: operations.QuerySeats | None = None
    """A ladder; without it the mean of all."""


class StandingsQuery(_Search):
    """Which bots of a ladder to return, and in which order."""

    sort: Annotated[Sort, Field(strict=False)] = Sort.RANK
    order: Literal["usual", "reverse"] = "usual"


class NumberedPage(operations.Answer):
    """A part of a table; `found` counts the rows of all its pages."""

    found: int
    next: int | None
    """Give this as `page` for the next page; null on the last."""


class Standings(NumberedPage):
    """The ladder of one table size."""

    seats: int
    standings: list[Standing]


class Places(operations.Answer):
    """A bot's place on each ladder.

    `mean_milli` is the mean of its ratings there, `mean_deviation_milli` the deviation of that.
    """

    bot_id: int
    name: str
    author: str
    version: str
    pinned: bool
    mean_milli: float
    mean_deviation_milli: int
    places: list[Place]


class AllStandings(NumberedPage):
    """Every bot with a rated game."""

    bots: list[Places]


class HistoryQuery(operations.Paging):
    """Which part of a bot's rating history to return; `before` is a result number."""

    seats: operations.QuerySeats
    """The ladder."""


class History(operations.Page):
    """A bot's rating history, newest first."""

    entries: list[RatingEntry]


class Fairness(operations.Answer):
    """How fair one ladder was."""

    seats: int
    by_seat: list[SeatShare]
    by_neighbour: list[NeighbourShare]
    games_per_bot: list[BotGames]
    queue_wait: QueueWait | None
    missed: list[BotMisses]
    """The bots that missed most matches of the ladder."""
    interrupted: list[BotInterruptions]
    """The bots whose matches the platform interrupted most."""


class Pairs(operations.Answer):
    """Pairs of bots that are unusual in two ways: results, gifts by decisions, what was paid."""

    pairs: list[PairRecord]


class Workers(operations.Answer):
    """The workers by name."""

    workers: list[WorkerRecord]


@group.get("/standings")
def all_ladders(query: OverviewQuery) -> AllStandings:
    """All bots with a rated game, each with its places on all ladders."""
    found = overview(session(), **query.model_dump())
    rows = [replace(row, places=tuple(filter(None, row.places))) for row in found.rows]
    answer = {"bots": rows, "found": found.found, "next": query.following(found.found)}
    return AllStandings.model_validate(answer)


@group.get("/standings/{seats}")
def standings_of(seats: int, query: StandingsQuery) -> Standings:
    """One ladder, best first unless another order is asked for."""
    found = board(
        session(),
        seats,
        search=query.search,
        page=query.page,
        limit=query.limit,
        sort=query.sort,
        reverse=query.order == "reverse",
    )
    following = query.following(found.found)
    return Standings(seats=seats, standings=list(found.rows), found=found.found, next=following)


@group.get("/bots/{bot_id}/ratings")
def history(bot_id: int, query: HistoryQuery) -> History:
    """A bot's rating history on one ladder, newest first."""
    limit = query.limit
    found = rating_entries(session(), bot_id, query.seats, before=query.before, limit=limit + 1)
    numbers = sorted({entry.result_number for entry in found}, reverse=True)
    last = numbers[limit - 1] if len(numbers) > limit else None
    shown = [entry for entry in found if last is None or entry.result_number >= last]
    return History(entries=shown, next=last)


@fair.get("/fairness/{seats}", may_fail=(429,))
def fairness_of(seats: int) -> Fairness:
    """Wins by seat and by the bot before, games, waiting times, missed and interrupted matches."""
    limits.LARGE_ANSWER.count_visitor()
    return Fairness(
        seats=seats,
        by_seat=fairness.by_seat(session(), seats),
        by_neighbour=fairness.by_neighbour(session(), seats),
        games_per_bot=fairness.games_per_bot(session(), seats),
        queue_wait=fairness.queue_wait(session(), seats),
        missed=setbacks.misses(session(), seats),
        interrupted=setbacks.interruptions(session(), seats, newest_of=fairness.NEWEST),
    )


@fair.get("/fairness/{seats}/pairs", may_fail=(429,))
def pairs(seats: int) -> Pairs:
    """Pairs of bots that are unusual in two ways at least, as the newest report has them."""
    limits.LARGE_ANSWER.count_visitor()
    found = fairness.newest_report(session(), seats)
    return Pairs(pairs=[pair for pair in found.report.pairs if pair.shown] if found else [])


@fair.get("/fairness/workers", scope="tournaments", may_fail=(429,))
def workers() -> Workers:
    """Faults and lag by worker, of the newest matches (organisers)."""
    limits.LARGE_ANSWER.count_visitor()
    return Workers(workers=list(fairness.workers(session())))
