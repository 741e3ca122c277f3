"""Matches that stand alone: trials and challenges, which no rating and no deal depends on."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Final

from sqlalchemy.orm import Session

from ladder import model
from ladder.jobs import attempts
from ladder.matches.durations import clock_columns, clock_of
from ladder.matches.kinds import Kind
from ladder.matches.states import JOB
from ladder.model import Deal, Match, MatchState, Seat, now

_SEEDS: Final = 2**63  # what a signed 64-bit column holds


def queue_unrated(
    session: Session, kind: Kind, table: Sequence[tuple[int, int]], asked_by: int | None = None
) -> Match:
    """Queue an unrated match on a layout of its own, with the clock of the ladder of that size.

    `table`: the ids of bot and version by seat. `asked_by`: the user who wants it. The caller has
    called `write`, and commits.
    """
    ladder = session.get_one(model.Ladder, len(table))
    match = Match(
        deal=Deal(layout_seed=secrets.randbelow(_SEEDS)),
        rotation=0,
        kind=kind,
        asked_by=asked_by,
        seats=len(table),
        state=MatchState.QUEUED,
        rated=False,
        **clock_columns(clock_of(ladder)),
        created_at=now(session),
        table=[
            Seat(seat=seat, bot_id=bot_id, version_id=version_id)
            for seat, (bot_id, version_id) in enumerate(table)
        ],
    )
    session.add(match)
    session.flush()
    attempts.enqueue(session, JOB, kind, [match.id])
    return match
