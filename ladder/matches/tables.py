"""The bots at the table of a match: where each answers, and whether it may play now.

On the ladder a bot holds only a share of the places (see `ladder.jobs.room`). A match with a slow
bot is held up by that bot: it counts against the slow one's share, and not against that of the
others, which may play elsewhere meanwhile.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from operator import itemgetter
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.orm import Session

from ladder import model
from ladder.jobs.kinds import Party
from ladder.model import Blob, Bot, HostRow, Match, MatchKind, Seat, User, Version, VersionState
from referee.ways import HOSTED_PREFIX

_SLOWER: Final = 4  # times as long as another one
_LEAST_MS: Final = 1000  # of thinking in a match; less holds nobody up
_UNKNOWN_MS: Final = _SLOWER * _LEAST_MS  # enough to hold up those who hold up nobody
_PART: Final = 4  # the newest match counts one part in four
MOST_CALLS: Final = 8
"""After as many calls to a match in vain a bot is away from it: they take four minutes at least."""
BACK_WITHIN: Final = timedelta(minutes=1)
"""The time in which bots are back that have lost their lines since the gateway has started anew."""
Late: TypeAlias = datetime | sa.BindParameter[datetime]


@dataclass(frozen=True, slots=True)
class Player:
    """The bot version in a seat and its address. `secret` is shared with it, still encrypted.

    A house bot is the operator's own: its address is dialled whatever it is. A hosted one runs the
    `bundle` with this SHA-256.
    """

    bot_id: int
    version_id: int
    name: str
    version: str
    author: str
    address: str
    secret: bytes | None = field(default=None, repr=False)
    house: bool = False
    bundle: str | None = None
    runtime: str | None = None


@dataclass(frozen=True, slots=True)
class SeatedBot:
    """A bot at the table of a match. `ready`: it may play this match now.

    `absent`: the match is played without it unless it is ready, since its grace time is over. The
    slots are those of the version that plays. `usual_ms` is how long the bot usually thinks in a
    match; None if that is not known. A bot that is `hosted` needs a host.
    """

    bot_id: int
    version_id: int
    slots: int
    ready: bool
    usual_ms: int | None = None
    absent: bool = False
    hosted: bool = False


def seated(session: Session, match_id: int, kind: MatchKind) -> list[tuple[Player, SeatedBot]]:
    """Return the players of a match by seat, and lock their bots' rows, in the order of their ids.

    So nobody else counts on their free slots until the end of the transaction.
    """
    rows = sorted(model.execute(session, _SEATED[kind], {"match_id": match_id}), key=itemgetter(0))
    return [
        (Player(*player), _guest(player[0], player[1], player[5], slots, ready, usual_ms, absent))
        for _, *player, slots, ready, usual_ms, absent in rows
    ]


def guests(
    session: Session, kind: MatchKind, match_ids: Sequence[int]
) -> dict[int, list[SeatedBot]]:
    """Return the bots at the tables of these matches, which are all of one kind."""
    if not match_ids:
        return {}
    by_match = defaultdict(list)
    for match_id, *guest in model.execute(session, _GUESTS[kind], {"matches": match_ids}):
        by_match[match_id].append(_guest(*guest))
    return dict(by_match)


def parties(
    table: Sequence[SeatedBot], hosts: Sequence[Party], kind: MatchKind = MatchKind.LADDER
) -> list[Party]:
    """Return the versions at a table as parties; and those of the hosts, if one needs a host.

    The match takes a place of each bot, except of those that a far slower one holds up; a bot of
    which nothing is known counts as slow. Absent bots take no part. Challenges go first, but take
    no more than half of a bot's slots, and at least one: so nobody is kept from rated games by
    challenges that others ask for one after the other. For this each version is a party once more.
    """
    table = [guest for guest in table if not guest.absent]
    slowest = max(
        (_UNKNOWN_MS if guest.usual_ms is None else guest.usual_ms for guest in table), default=0
    )
    of_bots = [
        Party(
            guest.version_id,
            _slots(guest, hosts, kind),
            guest.ready,
            holds=guest.usual_ms is None or _SLOWER * max(guest.usual_ms, _LEAST_MS) > slowest,
        )
        for guest in table
    ]
    if kind is MatchKind.CHALLENGE:
        of_bots += [Party(-one.id, max(1, one.slots // 2), holds=False) for one in of_bots]
    return [*of_bots, *hosts] if any(guest.hosted for guest in table) else of_bots


def _slots(guest: SeatedBot, hosts: Sequence[Party], kind: MatchKind) -> int:
    """Return how many games a bot plays at once: if hosted and slow, by half of the lanes at most.

    That holds for the ladders, where it would else hold up all other hosted bots.
    """
    slow = guest.usual_ms is not None and guest.usual_ms >= _UNKNOWN_MS
    if kind is not MatchKind.LADDER or not hosts or not guest.hosted or not slow:
        return guest.slots
    return min(guest.slots, max(1, hosts[0].slots // 2))


def note_thinking(session: Session, thought: Iterable[tuple[int, int | None]]) -> None:
    """Update how long bots usually think by the ms of a match; their rows must be locked."""
    rows = [{"bot": bot_id, "ms": ms} for bot_id, ms in thought if ms is not None]
    if rows:
        model.execute(session, _NOTE_THINKING, rows)


def absent(kind: MatchKind, late: Late | None = None) -> sa.ColumnElement[bool]:
    """Return the condition that a match of this kind waits for a bot that may not play now.

    `late` is as for `ready_for`.
    """
    return at_table(~Seat.absent, ~ready_for(kind, late))


def at_table(*where: sa.ColumnElement[bool], match: type[Match] = Match) -> sa.Exists:
    """Return the condition that a seat of a match, with its bot and version, fulfils `where`."""
    seated = sa.and_(
        Seat.match_id == match.id, Bot.id == Seat.bot_id, Version.id == Seat.version_id
    )
    return sa.exists().where(seated, *where)


def ready_for(kind: MatchKind, late: Late | None = None) -> sa.ColumnElement[bool]:
    """Return the condition that a bot (of bots and versions) may play matches of this kind now.

    Outside the ladder a version may play that is not the bot's active one: in its trial, or from
    the entry list of a tournament, where it plays on even if it is suspended from the ladder. What
    happens to one version says nothing of another. A trial is always tried, also while the bot is
    paused. A bot that is paused, or retired and so without a secret, plays in no tournament. With
    `late` one is taken for there that is away since after that time, and that nobody has missed.
    """
    there: sa.ColumnElement[bool] = Version.offline_since.is_(None)
    if late is not None:
        just_left = sa.and_(Version.unreached_since.is_(None), Version.offline_since > late)
        there = sa.or_(there, just_left)
    plays = sa.and_(Bot.state == model.BotState.ACTIVE, there)
    well_behaved = sa.and_(plays, Version.conduct == model.Conduct.GOOD)
    if kind is MatchKind.TOURNAMENT:
        return plays
    if kind is MatchKind.CHALLENGE:
        return well_behaved
    on_ladder = sa.and_(well_behaved, Version.state == VersionState.ACTIVE)
    if kind is MatchKind.VALIDATION:
        return sa.or_(on_ladder, Version.state == VersionState.TRIAL)
    return on_ladder


def is_hosted(address: str) -> bool:
    """Return True if a version with this address plays on a host."""
    return address.startswith(HOSTED_PREFIX)


def has_bundle() -> sa.ColumnElement[bool]:
    """Return the condition that a hosted version has a bundle to play with."""
    return sa.exists().where(
        Blob.sha256 == Version.bundle, Blob.dropped_at.is_(None), Blob.banned_at.is_(None)
    )


def needs_host() -> sa.ColumnElement[bool]:
    """Return the condition that a version plays on a host."""
    return Version.package.is_not(None)


def can_start() -> sa.ColumnElement[bool]:
    """Return the condition that a version is not hosted, or has its bundle, and a host for it."""
    return sa.or_(Version.package.is_(None), sa.and_(has_bundle(), has_runtime()))


def has_runtime() -> sa.ColumnElement[bool]:
    """Return the condition that a host has a hosted version's runtime; it may be drained."""
    return sa.exists().where(HostRow.trouble.is_(None), _has_runtime())


@cache
def at_one_host(*, some_day: bool = False, match: type[Match] = Match) -> sa.ColumnElement[bool]:
    """Return the condition that one host has the runtimes of all hosted bots of a match.

    The host takes work now; with `some_day`, any host that is known will do. Built once.
    """
    hosted = ~Seat.absent, needs_host()
    lacking = at_table(*hosted, ~_has_runtime(), match=match).correlate(match, HostRow)
    takes_work = (HostRow.trouble.is_(None), HostRow.draining.is_(False))
    which = sa.select(HostRow.name).where(~lacking, *(() if some_day else takes_work))
    return sa.or_(~at_table(*hosted, match=match).correlate(match), which.exists())


def _has_runtime() -> sa.ColumnElement[bool]:
    """Return the condition that a host has the runtime of a version."""
    return HostRow.runtimes.like(sa.literal('%"').concat(Version.runtime).concat('"%'))


def _plays_now(kind: MatchKind) -> sa.ColumnElement[bool]:
    """Return the condition that a bot at a table may play now, and has what it needs from us.

    One that has refused a match too often does not play it once it was given up there, although
    it is in reach: it would refuse for ever.
    """
    given_up = sa.and_(Seat.absent, Seat.misses >= MOST_CALLS)
    return sa.and_(ready_for(kind), can_start(), ~given_up)


def _as_guest(kind: MatchKind) -> tuple[Any, ...]:
    """Return the last columns that `_guest` takes."""
    return Version.slots, _plays_now(kind), Bot.usual_think_ms, Seat.absent


def _guest(
    bot_id: int,
    version_id: int,
    address: str,
    slots: int,
    ready: bool,
    usual_ms: int | None,
    absent: bool,
) -> SeatedBot:
    gone, hosted = absent and not ready, is_hosted(address)
    return SeatedBot(bot_id, version_id, slots, bool(ready), usual_ms, gone, hosted)


def _seated(kind: MatchKind) -> sa.Select[Any]:
    columns: tuple[Any, ...] = (
        Seat.seat,
        Bot.id,
        Version.id,
        Bot.name,
        Version.name,
        User.name,
        Version.address,
        Version.secret,
        Bot.house,
        Version.bundle,
        Version.runtime,
        *_as_guest(kind),
    )
    return (
        sa.select(*columns)
        .join(Bot, Bot.id == Seat.bot_id)
        .join(User, User.id == Bot.user_id)
        .join(Version, Version.id == Seat.version_id)
        .where(Seat.match_id == sa.bindparam("match_id"))
        .order_by(Bot.id)
        .with_for_update(key_share=True, of=Bot)
    )


def _guests(kind: MatchKind) -> sa.Select[Any]:
    return (
        sa.select(Seat.match_id, Bot.id, Version.id, Version.address, *_as_guest(kind))
        .join(Bot, Bot.id == Seat.bot_id)
        .join(Version, Version.id == Seat.version_id)
        .where(Seat.match_id.in_(sa.bindparam("matches", expanding=True)))
        .order_by(Seat.match_id, Seat.seat)
    )


# Built once: to build a statement takes longer than to execute it.
_SEATED: Final = {kind: _seated(kind) for kind in MatchKind}
_GUESTS: Final = {kind: _guests(kind) for kind in MatchKind}
_MS: Final = sa.bindparam("ms", type_=sa.Integer)
_NOTE_THINKING: Final = (
    sa.update(Bot.__table__)  # type: ignore[arg-type]
    .where(Bot.id == sa.bindparam("bot"))
    .values(
        usual_think_ms=sa.case(
            (Bot.usual_think_ms.is_(None), _MS),
            else_=((_PART - 1) * Bot.usual_think_ms + _MS) // _PART,
        )
    )
)
