"""Makes the matches of the ladders: deals, as rows, for as many places as the workers have."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from math import inf
from random import Random, SystemRandom
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder import model
from ladder.contests.ladders import Ladder, ladder_of
from ladder.contests.matchmaking.candidates import candidates, made_lately, met_lately
from ladder.contests.matchmaking.choosing import Candidate, table
from ladder.contests.matchmaking.mix import in_turn
from ladder.contests.matchmaking.need import Need, need
from ladder.contests.pairings.deals import rotations
from ladder.jobs import attempts, workers
from ladder.matches import Kind
from ladder.matches.durations import clock_columns
from ladder.matches.states import JOB
from ladder.model import Bot, Deal, Match, MatchState, Seat, Version, change_bots, now, write

_MOST: Final = 200  # deals in one transaction
_SEED_BITS: Final = 63
_PATIENCE: Final = timedelta(seconds=10)
"""So long a ladder whose turn it is holds up the others until its bots are free."""


def top_up(
    session: Session, *, message_age: float = 20.0, pace: float = inf, rng: Random | None = None
) -> int:
    """Queue new deals until the workers have enough to play; how many matches that makes.

    Enough is twice as many as they have places. `pace`: matches that may be made in a minute.
    Nobody is dealt in who holds its part of the places, or whose last deal still waits for it. The
    caller commits.
    """
    places = workers.places(session)
    if not places or pace <= 0:
        return 0
    write(session)
    ladders = _open_ladders(session)  # locked: another scheduler waits here
    if not ladders:
        return 0
    wanted = need(session, places, message_age=message_age, pace=pace)
    rng = rng or SystemRandom()
    made = 0
    for _ in range(_MOST):
        if not wanted.more or not wanted.may_make(ladders[0].seats):  # the fewest
            break
        deal = _deal(session, ladders, wanted, rng)
        if deal is None:
            break
        made += deal
    if made:  # last of all, since claims wait for what is locked here
        change_bots(session, Bot.id.in_(wanted.dealt), last_match_at=now(session))
    return made


def _open_ladders(session: Session) -> list[Ladder]:
    query = select(model.Ladder).where(model.Ladder.open).order_by(model.Ladder.seats)
    rows = session.scalars(query.with_for_update(), execution_options={"populate_existing": True})
    return [ladder_of(row) for row in rows]


def _deal(session: Session, ladders: list[Ladder], wanted: Need, rng: Random) -> int | None:
    """One deal on one of the ladders; how many matches that makes, None where none is possible."""
    at = now(session)
    for ladder in in_turn(ladders, made_lately(session), rng):
        found = candidates(session, ladder.seats, at, wanted.dealt)
        free = [who for who, guest in found if wanted.is_free(who.bot_id, guest.slots)]
        met = met_lately(session, ladder.seats)
        chosen = table(free, ladder.seats, met=met, one_owner=ladder.one_owner, rng=rng)
        if chosen is None and _comes_soon(session, ladder, [who for who, _ in found], at, rng):
            return None
        if chosen is not None:
            if not wanted.may_make(ladder.seats):
                return None  # the next one gets its turn when this one had it
            _write(session, ladder, chosen, at, rng)
            wanted.made([guest for _, guest in found if guest.bot_id in chosen])
            return ladder.seats
    return None


def _comes_soon(
    session: Session,
    ladder: Ladder,
    every: list[Candidate],
    at: datetime,
    rng: Random,
) -> bool:
    """Whether a table is worth waiting for: bots enough are there, but not all free just now.

    Else small tables would keep the bots of a small field busy, and large ones never come about.
    """
    if table(every, ladder.seats, met={}, one_owner=ladder.one_owner, rng=rng) is None:
        return False
    newest = session.scalar(
        select(Match.created_at).where(Match.kind == Kind.LADDER).order_by(Match.id.desc()).limit(1)
    )
    return newest is not None and newest > at - _PATIENCE


def _write(
    session: Session, ladder: Ladder, bot_ids: tuple[int, ...], at: datetime, rng: Random
) -> None:
    """One layout, and all rotations of an order around the table that is drawn anew."""
    order = tuple(rng.sample(bot_ids, len(bot_ids)))
    active = select(Version.bot_id, Version.id).where(Version.active, Version.bot_id.in_(bot_ids))
    versions = dict(session.execute(active).all())
    deal = Deal(layout_seed=rng.getrandbits(_SEED_BITS))
    made = [
        _match(ladder, deal, rotation, seated, versions, at)
        for rotation, seated in enumerate(rotations(order))
    ]
    session.add_all(made)
    session.flush()
    attempts.enqueue(session, JOB, Kind.LADDER, [match.id for match in made])


def _match(
    ladder: Ladder,
    deal: Deal,
    rotation: int,
    seated: Iterable[int],
    versions: dict[int, int],
    at: datetime,
) -> Match:
    return Match(
        deal=deal,
        rotation=rotation,
        kind=Kind.LADDER,
        seats=ladder.seats,
        state=MatchState.QUEUED,
        rated=True,
        **clock_columns(ladder.clock),
        created_at=at,
        table=[
            Seat(seat=seat, bot_id=bot, version_id=versions[bot]) for seat, bot in enumerate(seated)
        ],
    )
