"""The data by which anyone can check how fair the ladders are."""

from __future__ import annotations

from ladder.people.accounts import Account
from ladder.ratings import collusion, fairness
from web import limits
from web.api.operations import Part
from web.api.schemas import ratings as schemas
from web.database import session

part = Part("fairness", "Seats, neighbours, waiting, pairs of bots, workers.")


@part.get("/fairness/{seats}", schemas.Fairness(), may_fail=(429,))
def fairness_of(seats: int) -> object:
    """Wins by seat and by the bot before, games per bot, and how long matches waited."""
    limits.large_answer()
    return {
        "seats": seats,
        "by_seat": fairness.by_seat(session(), seats),
        "by_neighbour": fairness.by_neighbour(session(), seats),
        "games_per_bot": fairness.games_per_bot(session(), seats),
        "queue_wait": fairness.queue_wait(session(), seats),
    }


@part.get("/fairness/{seats}/pairs", schemas.Pairs(), may_fail=(429,))
def pairs(seats: int) -> object:
    """Pairs of bots that do otherwise against each other than was to be expected."""
    limits.large_answer()
    return {"pairs": collusion.pairs(session(), seats)}


@part.get("/fairness/workers", schemas.Workers(), scope="tournaments", may_fail=(429,))
def workers(asking: Account) -> object:  # noqa: ARG001 (that there is one is enough)
    """Faults and lag by worker, of the newest matches (organisers)."""
    limits.large_answer()
    return {"workers": fairness.workers(session())}
