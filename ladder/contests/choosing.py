"""Choose the bots of one table of a ladder, and read the candidates from the database.

The first bot is one that has not played yet, so that its author sees a rating soon; else the one
that has waited longest or, for half of the tables, the one whose rating is least certain. The
others are those from whose games with it most can be learned: their chances are even, little is
known of one of the two, and much of the other. Some tables ignore ratings, so that the ladder does
not fall apart into groups that are never compared. Bots that have met lately meet less often.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import combinations
from math import inf, pi, sqrt
from random import Random
from typing import Any, Final

from sqlalchemy import CompoundSelect, Select, and_, select, union_all
from sqlalchemy.orm import InstrumentedAttribute, Session

from ladder.bots import trials
from ladder.matches import debts, lanes
from ladder.matches.tables import SeatedBot, can_start, is_hosted, needs_host, ready_for
from ladder.model import LADDER_DEAL, Bot, LadderPlace, Match, MatchKind, Seat, Version, execute
from ladder.ratings import elo
from ladder.ratings.elo import POINTS, TABLE_SIZES, Skill, chance

_BLUR: Final = 3 / pi**2
_ANYBODY: Final = 0.2  # part of the tables that are drawn without regard to ratings

Met = Mapping[tuple[int, int], int]
"""In how many of the last deals two bots met, by their ids, the lower first."""


@dataclass(frozen=True, slots=True)
class ReadyBot:
    """A bot that may play now.

    `waited` is in seconds, infinite before its first table. `hosts` are those that can start it,
    None if it needs none.
    """

    bot_id: int
    owner: int
    house: bool
    skill: Skill
    waited: float
    hosts: frozenset[str] | None = None


def table(
    candidates: Sequence[ReadyBot], seats: int, *, met: Met, one_owner: bool, rng: Random
) -> tuple[int, ...] | None:
    """Choose the bots of a table; return their ids in no order, or None if no table is allowed.

    Two bots of one owner may meet if `one_owner` is true; house bots always may. All hosted bots of
    a table play at one host. `rng` makes all random choices.
    """
    if len(candidates) < seats:
        return None
    anybody = rng.random() < _ANYBODY
    for first in _in_turn(candidates, rng):
        chosen = [first]
        worth = (
            {}
            if anybody
            else {one.bot_id: information(first.skill, one.skill) for one in candidates}
        )
        while len(chosen) < seats:
            allowed = [
                other
                for other in candidates
                if all(may_meet(other, one, one_owner=one_owner) for one in chosen)
                and lanes.take_all(one.hosts for one in (*chosen, other))
            ]
            if not allowed:
                break
            weights = [
                worth.get(other.bot_id, 1.0) / (1 + _repeats(chosen, other, met))
                for other in allowed
            ]
            chosen.append(_drawn(allowed, weights, rng))
        else:
            return tuple(candidate.bot_id for candidate in chosen)
    return None


def may_meet(bot: ReadyBot, opponent: ReadyBot, *, one_owner: bool) -> bool:
    """Return True if two bots may sit at one table."""
    if bot.bot_id == opponent.bot_id:
        return False
    return bot.owner != opponent.owner or one_owner or (bot.house and opponent.house)


def information(skill: Skill, opponent: Skill) -> float:
    """Return how much a game tells about two bots, in no unit.

    A result tells most if chances are even. Of that, each learns by its own variance, the less the
    more the other's is in doubt (M. E. Glickman, "Parameter estimation in large dynamic paired
    comparison experiments", 1999). The root lets newcomers play often, but not at every table.
    """
    even = chance(skill, opponent)
    own, its = (skill.deviation / POINTS) ** 2, (opponent.deviation / POINTS) ** 2
    return even * (1 - even) * sqrt(own / (1 + _BLUR * its) + its / (1 + _BLUR * own))


def _in_turn(candidates: Sequence[ReadyBot], rng: Random) -> Iterator[ReadyBot]:
    """Yield newcomers, then all by waiting or by deviation, largest first; equals at random."""
    order = rng.sample(candidates, len(candidates))
    if rng.random() < 0.5:
        order.sort(key=lambda candidate: candidate.waited, reverse=True)
    else:
        order.sort(key=lambda candidate: candidate.skill.deviation, reverse=True)
    yield from sorted(order, key=lambda candidate: candidate.waited < inf)


def _repeats(chosen: Sequence[ReadyBot], candidate: ReadyBot, met: Met) -> int:
    return sum(met.get(pair(bot.bot_id, candidate.bot_id), 0) for bot in chosen)


def pair(bot_id: int, other_id: int) -> tuple[int, int]:
    """Return the key of two bots in `Met`."""
    return (bot_id, other_id) if bot_id < other_id else (other_id, bot_id)


def _drawn(allowed: Sequence[ReadyBot], weights: Sequence[float], rng: Random) -> ReadyBot:
    """Draw one by weight, or any if all weights are 0 (too small for a float)."""
    if sum(weights) <= 0:
        return rng.choice(allowed)
    return rng.choices(allowed, weights)[0]


_LATELY: Final = 300  # deals in which repeats are counted
_MIXED: Final = 48  # newest deals, of whose matches each ladder should have its share


def ready_bots(
    session: Session, seats: int, at: datetime, dealt: Collection[int], *, hosted_only: bool = False
) -> list[tuple[ReadyBot, SeatedBot]]:
    """Read all bots that may get a deal on this ladder; those in `dealt` just got one."""
    query = _ready(seats)
    if hosted_only:
        query = query.where(needs_host())
    hosts = lanes.by_runtime(session, now_there=True)
    return [
        (
            _ready_bot(row, at, row.id in dealt, hosts),
            SeatedBot(
                row.id,
                row.version_id,
                row.slots,
                True,
                row.usual_think_ms,
                hosted=is_hosted(row.address),
            ),
        )
        for row in session.execute(query)
    ]


def made_lately(session: Session) -> Counter[int]:
    """Count the matches of the newest deals of all ladders by table size."""
    deals = newest_deals(_MIXED, Match.id, Match.seats)
    newest = sorted(execute(session, deals), reverse=True)[:_MIXED]
    return Counter(seats for _, seats in newest for _ in range(seats))


def met_lately(session: Session, seats: int) -> Counter[tuple[int, int]]:
    """Count in how many of the ladder's last deals each two bots met."""
    deals = _newest(seats, _LATELY, Match.id).subquery()
    tables = defaultdict(list)
    seated = select(Seat.match_id, Seat.bot_id).join(deals, deals.c.id == Seat.match_id)
    for match_id, bot_id in session.execute(seated):
        tables[match_id].append(bot_id)
    return Counter(pair(*two) for table in tables.values() for two in combinations(table, 2))


@cache
def newest_deals(limit: int, *columns: InstrumentedAttribute[Any]) -> CompoundSelect[Any]:
    """Select these columns of the newest deals of each ladder, at most `limit` of each.

    It is built once for a limit: the scheduler asks all the time.
    """
    return union_all(
        *(_newest(seats, limit, *columns).subquery().select() for seats in TABLE_SIZES)
    )


def _newest(seats: int, limit: int, *columns: InstrumentedAttribute[Any]) -> Select[Any]:
    """Select the newest deals of a ladder, by their first matches.

    Without the table size SQLite would read and sort all matches of the ladders.
    """
    own = select(*columns).where(LADDER_DEAL, Match.seats == seats)
    return own.order_by(Match.id.desc()).limit(limit)


def _ready(seats: int) -> Select[*tuple[Any, ...]]:
    """Select the bots that may play on the ladder of a table size, with their places on it."""
    on_ladder = and_(LadderPlace.version_id == Version.id, LadderPlace.seats == seats)
    return (
        select(
            Bot.id,
            Bot.user_id,
            Bot.house,
            Version.id.label("version_id"),
            Version.slots,
            Version.address,
            Version.runtime,
            Bot.usual_think_ms,
            Bot.last_match_at,
            LadderPlace.rating_milli,
            LadderPlace.deviation_milli,
        )
        .join(Version, Version.bot_id == Bot.id)
        .outerjoin(LadderPlace, on_ladder)
        .where(Version.active, ready_for(MatchKind.LADDER), can_start(), ~debts.owes())
        .where(~trials.has_heir())
        .order_by(Bot.id)
    )


def _ready_bot(
    row: Any, at: datetime, just_dealt: bool, hosts: Mapping[str, frozenset[str]]
) -> ReadyBot:
    rated = row.rating_milli is not None
    skill = Skill(row.rating_milli, row.deviation_milli) if rated else elo.NEWCOMER
    since = at if just_dealt else row.last_match_at
    waited = inf if since is None else (at - since).total_seconds()
    there = hosts.get(row.runtime, frozenset()) if is_hosted(row.address) else None
    return ReadyBot(row.id, row.user_id, row.house, skill, waited, there)
