"""Matches, their replays, and annulling them."""

from __future__ import annotations

from typing import Any

from flask import Response

from ladder import matches
from ladder.operating import match_control
from ladder.people.accounts import Account
from web.api.operations import Part, Raw
from web.api.schemas import matches as schemas
from web.database import session
from web.viewer.replays import file_answer, frames_answer

part = Part("matches", "Matches and their replays.")


@part.get("/matches", schemas.MatchPage(), query=schemas.MatchQuery())
def page(given: dict[str, Any]) -> object:
    """Matches, newest first."""
    found = matches.page(
        session(),
        bot_id=given["bot"],
        opponent_id=given["opponent"],
        tournament_id=given["tournament"],
        state=given["state"],
        before=given["before"],
        limit=given["limit"],
    )
    return {"matches": found.matches, "next": found.next_before}


@part.get("/matches/{match_id}", schemas.Match())
def match(match_id: int) -> object:
    """One match."""
    return matches.match(session(), match_id)


@part.get(
    "/matches/{match_id}/frames",
    Raw("application/json", "All that the replay viewer shows of a game: an object."),
)
def frames(match_id: int) -> Response:
    """A finished match move by move, as the replay viewer shows it."""
    return frames_answer(match_id)


@part.get(
    "/matches/{match_id}/replay",
    Raw("application/octet-stream", "The file, for `santiago replay`."),
)
def replay(match_id: int) -> Response:
    """The replay file of a finished match."""
    return file_answer(matches.replay(session(), match_id), f"match-{match_id}.santiago")


@part.post(
    "/matches/{match_id}/annul", schemas.Match(), body=schemas.Annulment(), scope="tournaments"
)
def annul(match_id: int, asking: Account, given: dict[str, Any]) -> object:
    """Take the result of a match out of all that is counted (organisers).

    Its replay stays; the change of ratings is taken back by an entry of its own.
    """
    match_control.annul(session(), asking, match_id, given["reason"])
    session().commit()
    return matches.match(session(), match_id)
