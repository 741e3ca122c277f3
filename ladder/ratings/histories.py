"""Read how the ratings of bots changed: as histories, trends, and entries of the ledger.

A history has the ratings at evenly spaced results. An index finds each value, so a long history
costs no more than a short one.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Integer, String, bindparam, cast, func, select, text
from sqlalchemy.orm import Session, aliased

from ladder.errors import NotFound
from ladder.model import Bot, Match, RatingChange, Timestamp, User, Version, below
from ladder.ratings.elo import Skill
from ladder.ratings.ledger import newest
from ladder.ratings.standings import CachedByResult

TREND: Final = 30
"""Most changes in a trend."""
POINTS: Final = 60
"""Most values of a history."""
MOST_BOTS: Final = 6
"""Most histories read together."""
_GRAIN: Final = 600
"""A bot's own history goes on without games of its own by a 600th of its length, a pixel or so."""

# As text: these run for each bot's page, and the database generates the steps.
_STEPS: Final = (
    "WITH RECURSIVE step(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM step WHERE n < :steps)"
)
_NUMBER: Final = ":first + CAST(:span AS BIGINT) * s.n / :steps"
# A bot's rating is that of the version that was active then: the one that inherited last, on any
# ladder, or that was activated last if there was nothing to inherit. Others still play their
# tournaments to the end. That of the version that is active now counts since it inherited there
# last. Most changes are of one that is the newest, too: they are told by one look, since this runs
# for each change of each bot on a page.
_OF_ACTIVE: Final = (
    "(EXISTS (SELECT 1 FROM versions a WHERE a.id = c.version_id AND a.state = 'active'"
    " AND NOT EXISTS (SELECT 1 FROM versions b WHERE b.bot_id = a.bot_id AND b.id > a.id"
    " AND b.activated_at IS NOT NULL))"
    " OR EXISTS (SELECT 1 FROM versions a WHERE a.id = c.version_id AND a.state = 'active'"
    " AND NOT EXISTS (SELECT 1 FROM rating_changes b WHERE b.match_id IS NULL"
    " AND b.version_id = a.id AND b.kind = 'inheritance' AND b.seats = c.seats"
    " AND b.result_number > c.result_number))"
    " OR c.version_id = coalesce((SELECT i.version_id FROM versions v JOIN rating_changes i"
    " ON i.match_id IS NULL AND i.version_id = v.id AND i.kind = 'inheritance'"
    " WHERE v.bot_id = c.bot_id AND i.result_number <= c.result_number"
    " ORDER BY i.result_number DESC LIMIT 1), (SELECT v.id FROM versions v JOIN matches m"
    " ON m.id = c.match_id AND m.finished_at >= v.activated_at WHERE v.bot_id = c.bot_id"
    " ORDER BY v.activated_at DESC LIMIT 1), c.version_id))"
)
_TIMES: Final = text(
    f"{_STEPS} SELECT s.n, (SELECT m.finished_at FROM matches m"
    f" WHERE m.result_number <= {_NUMBER} ORDER BY m.result_number DESC LIMIT 1) AS at"
    " FROM step s ORDER BY s.n"
).columns(n=Integer, at=Timestamp)
# Materialized, so that PostgreSQL looks up the changes found, and does not read all to join them.
_RATINGS: Final = text(
    f"{_STEPS}, found AS MATERIALIZED (SELECT l.seats, b.id AS bot_id, s.n,"
    " (SELECT c.id FROM rating_changes c"
    f" WHERE c.bot_id = b.id AND c.seats = l.seats AND c.result_number <= {_NUMBER}"
    f" AND {_OF_ACTIVE} ORDER BY c.result_number DESC LIMIT 1) AS change_id"
    " FROM step s CROSS JOIN bots b CROSS JOIN ladders l"
    " WHERE b.id IN :bots AND l.seats IN :ladders)"
    " SELECT f.seats, f.bot_id, f.n, n.after_milli, n.after_deviation_milli"
    " FROM found f JOIN rating_changes n ON n.id = f.change_id"
).bindparams(bindparam("bots", expanding=True), bindparam("ladders", expanding=True))
_CHANGE: Final = (
    "(SELECT c.result_number FROM rating_changes c"
    " WHERE c.bot_id = b.id AND c.seats = l.seats ORDER BY c.result_number"
)
_ENDS: Final = text(
    f"SELECT min({_CHANGE} LIMIT 1)), max({_CHANGE} DESC LIMIT 1))"
    " FROM bots b CROSS JOIN ladders l WHERE b.id IN :bots AND l.seats IN :ladders"
).bindparams(bindparam("bots", expanding=True), bindparam("ladders", expanding=True))
_NAMES: Final = (
    select(Bot.id, Bot.name, User.name)
    .join(Bot.user)
    .where(Bot.id.in_(bindparam("bots", expanding=True)))
)
_FINISHED: Final = (
    select(Match.finished_at)
    .where(Match.result_number <= bindparam("number"))
    .order_by(Match.result_number.desc())
    .limit(1)
)
_CHANGES: Final = aliased(RatingChange, name="c")  # as `_OF_ACTIVE` calls it
_NEWEST_CHANGES: Final = (
    select(_CHANGES.after_milli)
    .where(_CHANGES.bot_id == Bot.id, _CHANGES.seats == bindparam("seats"), text(_OF_ACTIVE))
    .order_by(_CHANGES.result_number.desc())
    .limit(bindparam("trend"))
    .correlate(Bot)
    .subquery()
)
_TRENDS: Final = select(
    Bot.id,
    select(func.aggregate_strings(cast(_NEWEST_CHANGES.c.after_milli, String), " "))
    .select_from(_NEWEST_CHANGES)
    .scalar_subquery(),
).where(Bot.id.in_(bindparam("bots", expanding=True)))


Skills = tuple[Skill | None, ...]


@dataclass(frozen=True, slots=True)
class History:
    """A bot's skill at each of the times; None before its first change."""

    bot_id: int
    name: str
    author: str
    skills: Skills


@dataclass(frozen=True, slots=True)
class Histories:
    """Histories in the order asked for; `times` are when the results were finished."""

    times: tuple[datetime, ...]
    bots: tuple[History, ...]


@dataclass(frozen=True, slots=True)
class LadderHistories:
    """A bot's skills by table size at each of the times; None before its first change there."""

    times: tuple[datetime, ...]
    ladders: tuple[tuple[int, Skills], ...]


@dataclass(frozen=True, slots=True)
class RatingEntry:
    """A version's rating and deviation around one entry, in milli-Elo, on the ladder of `seats`.

    `kind` is result, inheritance, annulment, pin or missed; `match_id` is None for entries without
    a match.
    """

    result_number: int
    seats: int
    kind: str
    version: str
    match_id: int | None
    before_milli: int
    after_milli: int
    before_deviation_milli: int
    after_deviation_milli: int


_cache: Final = CachedByResult[LadderHistories](most=512)


def histories(
    session: Session, seats: int, bot_ids: Sequence[int], *, since: datetime | None = None
) -> Histories:
    """Read the ratings of these bots on one ladder, since their first game or a later time.

    Unknown bots and those beyond MOST_BOTS are left out.
    """
    wanted = list(dict.fromkeys(bot_ids))[:MOST_BOTS]
    rows = session.execute(_NAMES, {"bots": wanted})
    names = {bot: (name, author) for bot, name, author in rows}
    first, _ = _ends(session, (seats,), list(names))
    times, skills = _skills(session, (seats,), list(names), first, newest(session), since)
    bots = (History(bot, *names[bot], skills[seats, bot]) for bot in wanted if bot in names)
    return Histories(times, tuple(bots))


def on_ladders(session: Session, bot_id: int, ladders: Sequence[int]) -> LadderHistories:
    """Read the ratings of a bot on the ladders of these table sizes, since its first game."""

    last = newest(session)
    first, own = _ends(session, ladders, [bot_id])
    if first is not None and own is not None:
        last = max(own, last - last % max(1, (last - first) // _GRAIN))

    def compute(last: int) -> LadderHistories:
        times, skills = _skills(session, ladders, [bot_id], first, last)
        return LadderHistories(times, tuple((seats, skills[seats, bot_id]) for seats in ladders))

    return _cache.get(session, (bot_id, *ladders), compute, last=last)


def trends(session: Session, seats: int, bot_ids: Collection[int]) -> Mapping[int, tuple[int, ...]]:
    """Read each bot's ratings (milli-Elo) after its newest TREND changes, in order.

    An index finds them bot by bot, so a bot with many games costs no more.
    """
    rows = session.execute(_TRENDS, {"seats": seats, "trend": TREND, "bots": list(bot_ids)}).all()
    return {
        bot_id: tuple(int(rating) for rating in reversed(words.split()))
        for bot_id, words in rows
        if words
    }


def rating_entries(
    session: Session, bot_id: int, seats: int, *, before: int | None = None, limit: int = 50
) -> list[RatingEntry]:
    """Read a bot's newest entries on one ladder, those with a lower number than `before`.

    `limit` counts numbers, so no entry is cut: an annulment may change several versions. Raises
    NotFound.
    """
    if session.get(Bot, bot_id) is None:
        raise NotFound("there is no bot %(bot)s", bot=bot_id)
    own = RatingChange.bot_id == bot_id, RatingChange.seats == seats
    number = RatingChange.result_number
    numbers = select(number).where(*own, below(number, before)).distinct()
    newest = session.scalars(numbers.order_by(number.desc()).limit(limit)).all()
    query = (
        select(
            number,
            RatingChange.seats,
            RatingChange.kind,
            Version.name,
            RatingChange.match_id,
            RatingChange.before_milli,
            RatingChange.after_milli,
            RatingChange.before_deviation_milli,
            RatingChange.after_deviation_milli,
        )
        .join(Version, Version.id == RatingChange.version_id)
        .where(*own, number.in_(newest))
        .order_by(number.desc(), RatingChange.id)
    )
    return [RatingEntry(*row) for row in session.execute(query)]


def _skills(
    session: Session,
    ladders: Sequence[int],
    bot_ids: list[int],
    first: int | None,
    last: int,
    since: datetime | None = None,
) -> tuple[tuple[datetime, ...], dict[tuple[int, int], Skills]]:
    """Read the times of evenly spaced results, and the skills at these by ladder and bot.

    The results go from number `first`, or from `since`, to number `last`; step n is at number
    first + span * n / steps. Without a `first` there is nothing.
    """
    times: dict[int, datetime] = {}
    found: dict[tuple[int, int, int], Skill] = {}
    if first is not None and last > 0:
        if since is not None:
            first = max(first, _number_at(session, since, first, last))
        span = last - first
        spacing = {"first": first, "span": span, "steps": max(1, min(POINTS - 1, span))}
        times = {n: at for n, at in session.execute(_TIMES, spacing).all() if at is not None}
        wanted = {**spacing, "bots": bot_ids, "ladders": list(ladders)}
        rows = session.execute(_RATINGS, wanted).all()
        found = {(seats, bot, step): Skill(*skill) for seats, bot, step, *skill in rows}
    skills = {
        (seats, bot): tuple(found.get((seats, bot, step)) for step in times)
        for seats in ladders
        for bot in bot_ids
    }
    return tuple(times.values()), skills


def _ends(
    session: Session, ladders: Sequence[int], bot_ids: list[int]
) -> tuple[int | None, int | None]:
    """Return the numbers of the first and the newest change of any of the bots on the ladders."""
    first, newest = session.execute(_ENDS, {"bots": bot_ids, "ladders": list(ladders)}).one()
    return first, newest


def _number_at(session: Session, when: datetime, low: int, high: int) -> int:
    """Return the number of the newest result that was finished at `when`."""
    while low < high:
        middle = (low + high + 1) // 2
        at = session.scalar(_FINISHED, {"number": middle})
        low, high = (middle, high) if at is None or at <= when else (low, middle - 1)
    return low
