"""Matches, their replays, and annulling them."""

from datetime import datetime
from typing import Annotated

from flask import Response
from pydantic import Field

from ladder.matches import reading
from ladder.matches.listing import list_matches
from ladder.matches.reading import SeatRow
from ladder.model import MatchState
from ladder.operating import match_control
from ladder.people.accounts import Account
from referee.replay import file_name
from web.api.analyses import AnalysisAsked, AnalysisShown
from web.api.operations import (
    Answer,
    CallGroup,
    Input,
    Page,
    Paging,
    QueryId,
    QuerySeats,
    Raw,
    Text,
)
from web.database import session
from web.viewer import analyses
from web.viewer.replays import file_answer, frames_answer

group = CallGroup("matches", "Matches and their replays.")


class MatchQuery(Paging):
    """Which matches to return."""

    bot: QueryId | None = None
    """Only matches of this bot."""
    opponent: QueryId | None = None
    """Only matches with this bot at the table, too."""
    tournament: QueryId | None = None
    """Only matches of this tournament."""
    seats: QuerySeats | None = None
    """Only matches at tables of this size; a page may hold few of them, and yet have a next one."""
    state: Annotated[MatchState | None, Field(strict=False)] = None


class Match(Answer):
    """A match. `reason`: how the game ended, or why there is no result."""

    id: int
    kind: str
    """validation, challenge, tournament or ladder"""
    state: str
    """queued, running, finished, failed or cancelled"""
    tournament_id: int | None
    tournament_name: str | None
    rated: bool
    seats: list[SeatRow]
    attempt: int
    interruptions: int
    reason: str | None
    result_number: int | None
    annul_reason: str | None
    """Why the result no longer counts."""
    has_replay: bool
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class MatchPage(Page):
    """Matches, newest first."""

    matches: list[Match]


class Annulment(Input):
    """Why a result is annulled; this is public."""

    reason: Text = Field(min_length=1, max_length=1_000, examples=["The host stood still."])


@group.get("/matches")
def page(query: MatchQuery) -> MatchPage:
    """Matches, newest first."""
    found = list_matches(
        session(),
        bot_id=query.bot,
        opponent_id=query.opponent,
        tournament_id=query.tournament,
        seats=query.seats,
        state=query.state,
        before=query.before,
        limit=query.limit,
    )
    return MatchPage.model_validate({"matches": found.matches, "next": found.next_before})


@group.get("/matches/{match_id}")
def match(match_id: int) -> Match:
    """One match."""
    return Match.model_validate(reading.match(session(), match_id))


@group.get(
    "/matches/{match_id}/frames",
    raw=Raw("application/json", "All that the replay viewer shows of a game: an object."),
)
def frames(match_id: int) -> Response:
    """A finished match move by move, as the replay viewer shows it."""
    return frames_answer(match_id)


@group.get(
    "/matches/{match_id}/replay",
    raw=Raw("application/octet-stream", "The file, for `santiago replay`."),
)
def replay(match_id: int) -> Response:
    """The replay file of a finished match."""
    return file_answer(reading.replay(session(), match_id), file_name(match_id))


@group.get(
    "/matches/{match_id}/analysis",
    raw=Raw("application/json", "How the analysis stands, and the newest one.", AnalysisShown),
)
def analysis(match_id: int) -> Response:
    """Why a match was won: chances at each moment, what decisions cost, luck of the dice.

    404 until somebody has asked for it.
    """
    return analyses.shown(match_id)


@group.post("/matches/{match_id}/analysis", status=202)
def analyse(match_id: int) -> AnalysisAsked:
    """Have a finished match analysed; a few minutes later the analysis is there.

    Does nothing if it is there already, made by the present engine.
    """
    return AnalysisAsked.model_validate(analyses.ask(match_id))


@group.post("/matches/{match_id}/annul", scope="tournaments")
def annul(match_id: int, account: Account, body: Annulment) -> Match:
    """Exclude the result of a match from ratings and standings (organisers).

    Its replay stays; an entry of its own in the ledger takes the change of ratings back.
    """
    match_control.annul(session(), account, match_id, body.reason)
    session().commit()
    return match(match_id)
