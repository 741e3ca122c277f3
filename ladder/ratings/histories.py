"""How the ratings of some bots went, at evenly spaced results: each value is found by an index, so
that a long history costs no more than a short one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Integer, bindparam, select, text
from sqlalchemy.orm import Session

from ladder.model import Bot, Match, Timestamp
from ladder.ratings.kept_looks import Looks
from ladder.ratings.ledger import newest

POINTS: Final = 60
"""Values of one history, at most."""
MOST_BOTS: Final = 6
"""Histories that are read together, at most."""


# As text, for these are asked for each bot's page, and the steps are counted in the database.
_STEPS: Final = (
    "WITH RECURSIVE step(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM step WHERE n < :steps) "
)
_NUMBER: Final = ":first + :span * s.n / :steps"
_TIMES: Final = text(
    f"{_STEPS} SELECT s.n, (SELECT m.finished_at FROM matches m"
    f" WHERE m.result_number <= {_NUMBER} ORDER BY m.result_number DESC LIMIT 1) AS at"
    " FROM step s ORDER BY s.n"
).columns(n=Integer, at=Timestamp)
_RATINGS: Final = text(
    f"{_STEPS} SELECT l.seats, b.id, s.n, (SELECT c.after_milli FROM rating_changes c"
    f" WHERE c.bot_id = b.id AND c.seats = l.seats AND c.result_number <= {_NUMBER}"
    " ORDER BY c.result_number DESC LIMIT 1)"
    " FROM step s CROSS JOIN bots b CROSS JOIN ladders l"
    " WHERE b.id IN :bots AND l.seats IN :ladders"
).bindparams(bindparam("bots", expanding=True), bindparam("ladders", expanding=True))
_FIRST: Final = text(
    "SELECT min((SELECT c.result_number FROM rating_changes c"
    " WHERE c.bot_id = b.id AND c.seats = l.seats ORDER BY c.result_number LIMIT 1))"
    " FROM bots b CROSS JOIN ladders l WHERE b.id IN :bots AND l.seats IN :ladders"
).bindparams(bindparam("bots", expanding=True), bindparam("ladders", expanding=True))
_NAMES: Final = select(Bot.id, Bot.name).where(Bot.id.in_(bindparam("bots", expanding=True)))
_FINISHED: Final = (
    select(Match.finished_at)
    .where(Match.result_number <= bindparam("number"))
    .order_by(Match.result_number.desc())
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class _Points:
    """Result numbers, evenly spaced from the first: step n is at first + span * n / steps."""

    first: int
    span: int
    steps: int
    times: dict[int, datetime]
    """By step: when the newest match up to its number was finished."""


@dataclass(frozen=True, slots=True)
class History:
    """A bot's rating at each of the times, in thousandths; None before its first change."""

    bot_id: int
    name: str
    ratings: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Histories:
    """Bots in the order asked for; `times` are when the results were finished."""

    times: tuple[datetime, ...]
    bots: tuple[History, ...]


@dataclass(frozen=True, slots=True)
class LadderHistories:
    """One bot's rating by table size at each of the times; None before its first change there."""

    times: tuple[datetime, ...]
    ladders: tuple[tuple[int, tuple[int | None, ...]], ...]


_looks: Final = Looks[LadderHistories](most=512)


def histories(
    session: Session, seats: int, bot_ids: Sequence[int], *, since: datetime | None = None
) -> Histories:
    """The ratings of these bots on one ladder, since their first game or a later time.

    Bots that are not there, and those beyond MOST_BOTS, are left out.
    """
    wanted = list(dict.fromkeys(bot_ids))[:MOST_BOTS]
    names = dict(session.execute(_NAMES, {"bots": wanted}).all())
    last = newest(session)
    points = _points(session, (seats,), list(names), since, last)
    found = _ratings(session, (seats,), list(names), points)
    return Histories(
        tuple(points.times.values()),
        tuple(
            History(bot, names[bot], tuple(found.get((seats, bot, step)) for step in points.times))
            for bot in wanted
            if bot in names
        ),
    )


def on_ladders(session: Session, bot_id: int, ladders: Sequence[int]) -> LadderHistories:
    """The ratings of one bot on the ladders of these table sizes, since its first game."""

    def look(last: int) -> LadderHistories:
        points = _points(session, ladders, [bot_id], None, last)
        found = _ratings(session, ladders, [bot_id], points)
        return LadderHistories(
            tuple(points.times.values()),
            tuple(
                (seats, tuple(found.get((seats, bot_id, step)) for step in points.times))
                for seats in ladders
            ),
        )

    return _looks.at(session, (bot_id, *ladders), look)


def _points(
    session: Session, ladders: Sequence[int], bot_ids: list[int], since: datetime | None, last: int
) -> _Points:
    """From the first change of any of the bots, or a later time, to the newest result."""
    first = _first_number(session, ladders, bot_ids)
    if first is None or last == 0:
        return _Points(0, 0, 1, {})
    if since is not None:
        first = max(first, _number_at(session, since, first, last))
    span, steps = last - first, max(1, min(POINTS - 1, last - first))
    rows = session.execute(_TIMES, {"first": first, "span": span, "steps": steps}).all()
    return _Points(first, span, steps, {step: at for step, at in rows if at is not None})


def _ratings(
    session: Session, ladders: Sequence[int], bot_ids: list[int], points: _Points
) -> dict[tuple[int, int, int], int]:
    """By ladder, bot and step: the rating at that time."""
    if not points.times:
        return {}
    rows = session.execute(
        _RATINGS,
        {
            "first": points.first,
            "span": points.span,
            "steps": points.steps,
            "bots": bot_ids,
            "ladders": list(ladders),
        },
    ).all()
    return {(seats, bot, step): rating for seats, bot, step, rating in rows if rating is not None}


def _first_number(session: Session, ladders: Sequence[int], bot_ids: list[int]) -> int | None:
    """The first change of any of the bots on any of the ladders."""
    found: int | None = session.scalar(_FIRST, {"bots": bot_ids, "ladders": list(ladders)})
    return found


def _number_at(session: Session, when: datetime, low: int, high: int) -> int:
    """The newest result that had been finished by then; results are numbered as they end."""
    while low < high:
        middle = (low + high + 1) // 2
        at = session.scalar(_FINISHED, {"number": middle})
        low, high = (middle, high) if at is None or at <= when else (low, middle - 1)
    return low
