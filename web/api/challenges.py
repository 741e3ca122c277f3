"""Challenges: an unrated match of your bot, now, against bots that you choose."""

from __future__ import annotations

from typing import Any

from ladder import matches
from ladder.contests import challenges
from ladder.people.accounts import Account
from web import limits
from web.api.operations import Part
from web.api.schemas import challenges as schemas
from web.api.schemas.matches import Match
from web.database import session

part = Part("challenges", "Unrated matches of your bots against others that you choose.")


@part.post(
    "/challenges",
    Match(),
    status=201,
    body=schemas.NewChallenge(),
    scope="bots",
    example={"bot": 4, "opponents": [1, 2]},
    may_fail=(404,),
)
def challenge(asking: Account, given: dict[str, Any]) -> object:
    """Challenge one to three bots: an unrated match that is played as soon as it can be.

    Seats and layout are drawn; the clock is that of the ladder.
    """
    limits.challenge(asking)
    match_id = challenges.challenge(session(), asking, given["bot"], given["opponents"])
    session().commit()
    return matches.match(session(), match_id)
