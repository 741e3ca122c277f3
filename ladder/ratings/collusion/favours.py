"""Count what each decision of a stored game gave the other seats, and what it cost for that.

Each legal move of a decision is tried, and the position after it valued for each seat by the
engine's prices: one ply deep, some twenty microseconds a move. A bot that plays for itself takes
moves that put it far ahead of the others, the better the likelier. What its move gives another
seat, less the mean over such moves, is a *gift*; it is negative if it hurts. As far as the bot's
best move would have put it further ahead, the gift is *paid*. (After P. Mazrooei, C. Archibald and
M. Bowling, "Automating Collusion Detection in Sequential Games", AAAI 2013.)

Alone neither says anything: moves have consequences for others that nobody meant, and bots value
things otherwise than these prices do. `evidence` compares what one bot got with what others got,
by kind of decision: a gift to El Zorro is small, and turns in the street would hide it.

A helper may also hurt whoever leads its friend. So from three seats on a further kind of favour is
what a decision gives the leader of the others, less what it gives the rest of them. It is paid in
full if it cost anything: what hurts one seat alone is rare, and each part of it small.
"""

from enum import IntEnum
from math import copysign, exp
from typing import Final

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder import model
from ladder.model import Upsert
from ladder.ratings.plackett_luce import Floats
from ladder.ratings.stored import newest_rated
from referee.engine.worth import worths
from referee.errors import ReplayError
from referee.replay import read, simulate, start
from referee.rules import RULES_VERSION, Move, Position, cells
from referee.wire import replay_pb2

VERSION: Final = 100 * RULES_VERSION + 3
"""Changes with the rules and with everything here that decides what a favour is."""
NEWEST: Final = 20_000
"""How many of a ladder's newest games are evaluated in the end."""
AT_ONCE: Final = 100
"""How many are evaluated in one go: some seconds."""

_SELFISH: Final = 0.5  # VP: a move that leads by so much less is taken e times less often
_MOST: Final = 3.0  # VP: larger favours count as this, so that one decision decides nothing
_NOTHING: Final = 0.05  # VP: what costs less is free


class FavourKind(IntEnum):
    """The kinds of favour that are counted apart: three by their decisions, one by who gains."""

    TRIBUTE = 0
    """Which gift a visitor of El Zorro gets."""
    HARBOUR = 1
    """Deliveries, and the good that the next ship does not want."""
    STREET = 2
    """All other decisions: the way of a turn, and the use of its places."""
    LEADER = 3
    """Whatever any decision gives the first of the others, less what it gives the rest of them."""

    @classmethod
    def of(cls, position: Position) -> "FavourKind":
        """Return the kind of the decision that a position waits for."""
        if position.phase == cells.TRIBUTE:
            return cls.TRIBUTE
        at_the_harbour = position.phase in (cells.DELIVER, cells.DEMAND_CHOICE)
        return cls.HARBOUR if at_the_harbour else cls.STREET


MEASURES: Final = 3
GIFTS, PAID, LED = range(MEASURES)
"""The favours, what of them was paid, and in how many decisions a seat was the leader."""


def evaluate_newest(session: Session, seats: int, *, limit: int = AT_ONCE) -> int:
    """Evaluate the newest rated games that are not yet; return their number.

    Reads in one transaction, which it ends, then writes; the caller commits.
    """
    games = _unevaluated(session, seats, limit)
    session.rollback()
    rows = [
        {"match_id": match_id, "version": VERSION, "milli": _text(evaluated(data))}
        for match_id, data in games
    ]
    if rows:
        model.write(session)
        _STORED.put(session, rows)
    return len(rows)


def evaluated(data: bytes) -> Floats | None:
    """Return the favours of a replay's game; None if this version of the rules can't play it.

    In VP, by measure (see `MEASURES`), kind of favour, seat that decides, and seat that gains.
    """
    try:
        return _favours(read(data))
    except ReplayError:
        return None


def parse(milli: str, seats: int) -> Floats:
    """Return the favours that a row of the database has as text."""
    numbers = np.array(milli.split(), np.float64) / 1000
    return numbers.reshape(MEASURES, len(FavourKind), seats, seats)


def _text(favours: Floats | None) -> str:
    """Write favours as whole thousandths of a VP; nothing for None."""
    return "" if favours is None else " ".join(f"{1000 * one:.0f}" for one in favours.ravel())


def _unevaluated(session: Session, seats: int, limit: int) -> list[tuple[int, bytes]]:
    newest = newest_rated(seats, NEWEST)
    known = select(model.Favours.match_id).where(
        model.Favours.match_id == newest.c.id, model.Favours.version == VERSION
    )
    chosen = (
        select(newest.c.id).where(~known.exists()).order_by(newest.c.id.desc()).limit(limit)
    ).subquery()
    replays = select(model.Replay.match_id, model.Replay.data).join(
        chosen, chosen.c.id == model.Replay.match_id
    )
    return [(match_id, data) for match_id, data in session.execute(replays)]


def _favours(replay: replay_pb2.Replay) -> Floats:
    position = start(replay)
    seats = position.players
    found = no_favours(seats)
    for step in simulate(position, replay):
        if step.move is not None and step.by == "bot":
            add_favours(found, position, step.move)
    return found


def no_favours(seats: int) -> Floats:
    """Return the favours of a game before its first decision, as `evaluated` does."""
    return np.zeros((MEASURES, len(FavourKind), seats, seats))


def add_favours(found: Floats, position: Position, move: Move) -> None:
    """Add what a legal move gives each seat, and how much of that its own seat pays, in VP."""
    if len(position.legal_moves) == 1:
        return
    seat, kind = position.seat, FavourKind.of(position)
    gifts, cost = _gifts_and_cost(position, move)
    found[GIFTS, kind, seat] += gifts
    found[PAID, kind, seat] += [copysign(min(abs(gift), cost), gift) for gift in gifts]
    if position.players > 2:
        leader, *rest = _others_by_worth(position)
        gift = gifts[leader] - sum(gifts[other] for other in rest) / len(rest)
        paid = gift if cost > _NOTHING else 0.0
        found[:, FavourKind.LEADER, seat, leader] += gift, paid, 1


def _gifts_and_cost(position: Position, move: Move) -> tuple[list[float], float]:
    after = {other: seat_worths(_played(position, other)) for other in position.legal_moves}
    leads = {other: lead(worths, position.seat) for other, worths in after.items()}
    best = max(leads.values())
    weights = [exp((one - best) / _SELFISH) for one in leads.values()]
    total = sum(weights)
    gifts = []
    for got, of_seat in zip(after[move], zip(*after.values(), strict=True), strict=True):
        usual = sum(weight * worth for weight, worth in zip(weights, of_seat, strict=True)) / total
        gifts.append(max(-_MOST, min(_MOST, got - usual)))
    return gifts, best - leads[move]


def lead(worths: list[float], seat: int) -> float:
    """Return how far a seat is ahead of the mean of the others, in VP: what it plays for."""
    return worths[seat] - (sum(worths) - worths[seat]) / (len(worths) - 1)


def _others_by_worth(position: Position) -> list[int]:
    """Return the seats that don't decide, first the one that has most."""
    worths = seat_worths(position)
    others = [seat for seat in range(position.players) if seat != position.seat]
    return sorted(others, key=lambda seat: -worths[seat])


def _played(position: Position, move: Move) -> Position:
    after = position.copy()
    after.apply(move)
    return after


def seat_worths(position: Position) -> list[float]:
    """Return the worth of what each seat has, in VP; at the end of the game its VP."""
    if position.is_over:
        return [float(score.vp) for score in position.scores()]
    return worths(position)


_STORED: Final = Upsert(model.Favours, replace=("version", "milli"))
