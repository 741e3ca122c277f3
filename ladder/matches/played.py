"""The matches of one bot by opponent, tournament, state, table size, kind and faults."""

from __future__ import annotations

from typing import Final, TypedDict, Unpack

from sqlalchemy import Select, bindparam, exists, func, select
from sqlalchemy.orm import Session, aliased

from ladder.matches.kinds import Kind
from ladder.matches.naming import is_named
from ladder.matches.reading import by_ids
from ladder.matches.rows import MatchPage
from ladder.model import Match, Seat, SeatTally

WINDOW: Final = 2_000
"""So many matches of the bot are looked through for one page, whatever fits of them."""

_GAMES: Final = (
    select(SeatTally.bot_id, func.sum(SeatTally.games))
    .where(
        SeatTally.seats.in_((2, 3, 4)),
        SeatTally.seat.in_(range(4)),  # so that the whole key is known
        SeatTally.bot_id.in_(bindparam("bots", expanding=True)),
    )
    .group_by(SeatTally.bot_id)
)
_FIRST: Final = select(func.min(Match.id)).where(Match.tournament_id == bindparam("tournament"))
_LAST: Final = select(func.max(Match.id)).where(Match.tournament_id == bindparam("tournament"))


class Filters(TypedDict, total=False):
    """Which matches of a bot are wanted; what is not given, or None, is not asked for.

    `opponent_id`: another bot at the table. `faulted`: only those where the bot itself faulted.
    """

    opponent_id: int | None
    tournament_id: int | None
    state: str | None
    seats: int | None
    kind: Kind | None
    faulted: bool


def of_bot(
    session: Session,
    bot_id: int,
    *,
    before: int | None = None,
    limit: int = 20,
    **wanted: Unpack[Filters],
) -> MatchPage:
    """The newest matches of a bot with a lower id than `before`.

    A page may hold few matches, or none, and yet have a next one: see WINDOW. Those whose seats are
    not named are left out.
    """
    opponent_id = wanted.get("opponent_id")
    if opponent_id is not None and not wanted.get("faulted"):
        bot_id, wanted["opponent_id"] = _fewer_first(session, bot_id, opponent_id)
    window = _window(session, bot_id, wanted.get("tournament_id"), before)
    ids = list(session.scalars(_fitting(window, wanted).limit(limit + 1)))
    rows = by_ids(session, ids[:limit])
    if len(ids) > limit:
        return MatchPage(rows, rows[-1].id)
    oldest = session.scalars(window.with_only_columns(Seat.match_id).offset(WINDOW - 1).limit(1))
    return MatchPage(rows, oldest.one_or_none())


def _fitting(window: Select[int, str | None], wanted: Filters) -> Select[int]:
    """The ids of those of the first matches of the window that are wanted."""
    looked = window.limit(WINDOW).subquery()
    query = select(looked.c.match_id).order_by(looked.c.match_id.desc())
    columns = (Match.tournament_id, Match.state, Match.seats, Match.kind)
    given = [(column, wanted.get(column.key)) for column in columns]
    of_match = [column == value for column, value in given if value is not None]
    if of_match:
        query = query.join(Match, Match.id == looked.c.match_id).where(*of_match)
    opponent_id = wanted.get("opponent_id")
    if opponent_id is not None:
        other = aliased(Seat)
        query = query.where(
            exists().where(other.match_id == looked.c.match_id, other.bot_id == opponent_id)
        )
    if wanted.get("faulted"):
        query = query.where(looked.c.fault.is_not(None))
    everything = query.whereclause is None
    return window.with_only_columns(Seat.match_id) if everything else query


def _window(
    session: Session, bot_id: int, tournament_id: int | None, before: int | None
) -> Select[int, str | None]:
    """The bot's matches, newest first; of a tournament only those of its time."""
    window = (
        select(Seat.match_id, Seat.fault)
        .where(Seat.bot_id == bot_id, is_named(session, Seat.match_id))
        .order_by(Seat.match_id.desc())
    )
    if tournament_id is not None:
        wanted = {"tournament": tournament_id}
        first, last = session.scalar(_FIRST, wanted), session.scalar(_LAST, wanted)
        window = window.where(Seat.match_id.between(first or 0, last or 0))
    return window if before is None else window.where(Seat.match_id < before)


def _fewer_first(session: Session, bot_id: int, opponent_id: int) -> tuple[int, int]:
    """Both, the one with fewer rated games first: there is less to look through."""
    games = dict(session.execute(_GAMES, {"bots": [bot_id, opponent_id]}).all())
    if games.get(opponent_id, 0) < games.get(bot_id, 0):
        return opponent_id, bot_id
    return bot_id, opponent_id
