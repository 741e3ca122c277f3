"""Compute strengths: estimates from all matches of a ladder, on the Elo scale, with intervals.

Elo follows a bot from match to match; strength looks at all matches at once. Both have the same
mean over the active versions, so that they can be compared: a fairness report does so.
`keep_current` computes strengths, reports and what these need in the background.
"""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Final

import numpy as np
from sqlalchemy import delete, func, insert, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.model import EntryKind, LadderPlace, Match, MatchState, RatingChange, Seat, Version
from ladder.ratings import elo, rebuilding
from ladder.ratings.elo import POINTS, TABLE_SIZES
from ladder.ratings.fairness import evaluate, refresh
from ladder.ratings.plackett_luce import Floats, Ints, Rankings, strengths
from ladder.ratings.stored import Numbers, counts_on_ladder, numbers, stored_strengths
from referee.signals import Flag

_log = logging.getLogger(__name__)

MOST: Final = 4_000
"""The largest number of versions in one fit: time and memory grow faster than it."""

PAUSE: Final = 60.0
"""The shortest pause in seconds between two rounds of computing."""
_PAUSE_RATIO: Final = 9.0  # a pause lasts at least this many times as long as the round before it


@dataclass(frozen=True, slots=True)
class Computed:
    """The numbers of versions with a strength, and of matches that it follows from."""

    versions: int
    matches: int


def keep_current(sessions: sessionmaker[Session], stopped: Flag, *, pause: float = PAUSE) -> None:
    """Compute strengths, favours and report of each ladder again and again, until `stopped` is set.

    First folds the ledger anew if the rule of rating has changed. Runs in a thread of its own: with
    a million matches a round takes half a minute, longer than a lease lasts. At most a tenth of the
    time goes into computing. An error is logged and ends only the step in which it occurred; the
    next round tries again.
    """
    while True:
        began = monotonic()
        _attempt("ratings by the new rule", _renew, sessions)
        for seats in TABLE_SIZES:
            for name, step in _STEPS:
                if stopped.is_set():
                    return
                _attempt(f"{name} for tables of {seats}", partial(step, seats=seats), sessions)
        if stopped.wait(max(pause, _PAUSE_RATIO * (monotonic() - began))):
            return


def _renew(session: Session) -> None:
    began = monotonic()
    if (results := rebuilding.renew(session)) is not None:
        seconds = monotonic() - began
        _log.info("folded %s results by rule %s in %.1f s", results, elo.RULE, seconds)


def _compute(session: Session, seats: int) -> None:
    if computed := compute(session, seats):
        _log.info(
            "computed strengths of %s versions from %s matches at tables of %s",
            computed.versions,
            computed.matches,
            seats,
        )


_STEPS: Final = (("strengths", _compute), ("favours", evaluate), ("report", refresh))


def _attempt(name: str, step: Callable[[Session], object], sessions: sessionmaker[Session]) -> None:
    try:
        with sessions() as session:
            step(session)
            session.commit()
    except SQLAlchemyError as error:  # usually the database is down
        _log.warning("could not compute the %s: %s", name, model.own_words(error))
    except Exception:  # the thread must go on: nobody starts another one
        _log.exception("could not compute the %s", name)


def compute(session: Session, seats: int, *, most: int = MOST) -> Computed | None:
    """Fit the ladder of tables with `seats` seats; return None if there is no new result.

    If more than `most` versions have played, the fit takes the active ones and the superseded ones
    that played most; it leaves out all matches with another version.

    Reads in one transaction, which it ends; computes in none; then writes, and the caller commits.
    So the session must not be used for anything else (`with sessions() as session:`, not
    `sessions.begin()`).
    """
    newest = _newest(session, seats)
    if newest is None or newest == _newest_counted(session, seats):
        session.rollback()
        return None
    places = _ratings(session, seats)
    rows = _of_most(_read(session, seats), seats, places, most)
    known, missed = stored_strengths(session, seats), _missed(session, seats)
    session.rollback()
    if not len(rows):
        _store(session, seats, newest, np.array([], np.int64), np.empty((0, 3)))
        return Computed(0, 0)
    versions, numbered = np.unique(rows[:, 1], return_inverse=True)
    matches = Rankings(
        players=numbered.reshape(-1, seats),
        ranks=rows[:, 2].reshape(-1, seats),
        deals=rows[::seats, 0],
        count=len(versions),
    )
    lost = np.searchsorted(versions, missed[np.isin(missed, versions).all(axis=1)])
    values = _on_the_scale(versions, matches, lost, places, known)
    _store(session, seats, newest, versions, values)
    return Computed(len(versions), len(matches.deals))


def _on_the_scale(
    versions: Ints, matches: Rankings, lost: Ints, places: dict[int, int], known: dict[int, int]
) -> Floats:
    """Return strength and the ends of its interval in thousandths of a point: (versions, 3).

    `lost` are the missed matches, as `strengths` takes them; `places` are the ratings of the active
    versions; `known` are the stored strengths, from which the fit begins.
    """
    chosen = np.flatnonzero(np.isin(versions, np.array(sorted(places), np.int64)))
    chosen = chosen if len(chosen) else np.arange(len(versions))
    mean = np.mean([places.get(int(versions[one]), elo.NEWCOMER.rating) for one in chosen])
    start = np.array(
        [known.get(version, elo.NEWCOMER.rating) for version in versions.tolist()], float
    )
    found = strengths(matches, chosen, (start - start.mean()) / POINTS, lost)
    middle, reach = mean + POINTS * found.middle, POINTS * found.reach
    return np.column_stack([middle, middle - reach, middle + reach])


def _newest(session: Session, seats: int) -> int | None:
    """Return the number of the newest ledger entry of this table size."""
    number = RatingChange.result_number
    return session.scalar(
        select(number).where(RatingChange.seats == seats).order_by(number.desc()).limit(1)
    )


def _newest_counted(session: Session, seats: int) -> int | None:
    own = model.Strength.seats == seats
    return session.scalar(select(func.max(model.Strength.last_result)).where(own))


def _read(session: Session, seats: int) -> Numbers:
    """Return deal, version and rank of all seats in the order of the matches: (seats, 3)."""
    query = (
        select(Match.deal_id, Seat.version_id, Seat.rank)
        .join(Seat, Seat.match_id == Match.id)
        .where(counts_on_ladder(seats))
        .order_by(Seat.match_id, Seat.seat)
    )
    return numbers(session, query)


def _missed(session: Session, seats: int) -> Numbers:
    """Return the versions at the tables that one missed: (matches, seats), that one first."""
    query = (
        select(Seat.version_id)
        .join(Match, Match.id == Seat.match_id)
        .where(
            Match.seats == seats,
            Match.state == MatchState.FINISHED,
            Match.reason == EntryKind.MISSED,
            Match.annulled_at.is_(None),
        )
        .order_by(Seat.match_id, Seat.rank.is_(None), Seat.seat)
    )
    return numbers(session, query).reshape(-1, seats)


def _of_most(rows: Numbers, seats: int, active: Collection[int], most: int) -> Numbers:
    """Return the matches among the `most` versions to fit: active ones before all others."""
    versions, played = np.unique(rows[:, 1], return_counts=True)
    if len(versions) <= most:
        return rows
    superseded = ~np.isin(versions, np.array(sorted(active), np.int64))
    chosen = versions[np.lexsort([-played, superseded])][:most]
    whole = np.isin(rows[:, 1], chosen).reshape(-1, seats).all(axis=1)
    return rows[np.repeat(whole, seats)]


def _ratings(session: Session, seats: int) -> dict[int, int]:
    query = (
        select(LadderPlace.version_id, LadderPlace.rating_milli)
        .join(Version, Version.id == LadderPlace.version_id)
        .where(LadderPlace.seats == seats, Version.active)
    )
    return dict(session.execute(query).all())


def _store(session: Session, seats: int, newest: int, versions: Ints, values: Floats) -> None:
    """Replace the stored strengths, unless another scheduler has stored newer ones."""
    model.write(session)
    ladder = select(model.Ladder.seats).where(model.Ladder.seats == seats)
    session.execute(ladder.with_for_update())
    if (_newest_counted(session, seats) or 0) > newest:
        return
    at = model.now(session)
    session.execute(delete(model.Strength).where(model.Strength.seats == seats))
    rows = [
        {
            "seats": seats,
            "version_id": version,
            "strength_milli": round(middle),
            "low_milli": round(low),
            "high_milli": round(high),
            "last_result": newest,
            "computed_at": at,
        }
        for version, (middle, low, high) in zip(versions.tolist(), values.tolist(), strict=True)
    ]
    if rows:
        session.execute(insert(model.Strength), rows)
