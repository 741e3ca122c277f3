"""Lists of matches, newest first, filtered; those of one bot also by opponent, size and fault."""

from typing import Final, TypedDict, Unpack

from sqlalchemy import Select, bindparam, exists, func, select
from sqlalchemy.orm import Session, aliased

from ladder.matches.reading import by_ids
from ladder.matches.rows import ABSENT, MatchPage, is_named
from ladder.model import Match, MatchKind, MatchState, Seat, SeatTally

WINDOW: Final = 2_000
"""How many of a bot's matches one page looks through, however few of them fit its filters."""

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
    """Which matches of a bot to list; a filter that is None or missing lets all pass.

    `opponent_id`: another bot at the table. `faulted`: only those where the bot itself faulted.
    """

    opponent_id: int | None
    tournament_id: int | None
    state: str | None
    seats: int | None
    kind: MatchKind | None
    faulted: bool


def list_matches(
    session: Session,
    *,
    bot_id: int | None = None,
    opponent_id: int | None = None,
    tournament_id: int | None = None,
    state: str | None = None,
    before: int | None = None,
    limit: int = 50,
) -> MatchPage:
    """Return the newest matches with an id below `before`, of a tournament or in a state.

    With a bot, and perhaps another one at the same table, the page is as `list_bot_matches` makes
    it.
    """
    if bot_id is None:
        bot_id, opponent_id = opponent_id, None
    if bot_id is not None:
        return list_bot_matches(
            session,
            bot_id,
            opponent_id=opponent_id,
            tournament_id=tournament_id,
            state=state,
            before=before,
            limit=limit,
        )
    query = select(Match.id).order_by(Match.id.desc()).limit(limit + 1)
    if tournament_id is not None:
        query = query.where(Match.tournament_id == tournament_id)
    if state is not None:
        query = query.where(Match.state == state)
    if before is not None:
        query = query.where(Match.id < before)
    ids = list(session.scalars(query))
    shown = by_ids(session, ids[:limit])
    return MatchPage(shown, shown[-1].id if len(ids) > limit else None)


def newest_finished(session: Session, *, limit: int) -> list[int]:
    """Return the ids of the newest finished matches, newest first."""
    finished = select(Match.id).where(Match.state == MatchState.FINISHED)
    return list(session.scalars(finished.order_by(Match.id.desc()).limit(limit)))


def list_bot_matches(
    session: Session,
    bot_id: int,
    *,
    before: int | None = None,
    limit: int = 20,
    **filters: Unpack[Filters],
) -> MatchPage:
    """Return the newest matches of a bot with an id below `before`, if their seats are named.

    A page may hold few matches, or none, and yet have a next one: see WINDOW.
    """
    opponent_id = filters.get("opponent_id")
    if opponent_id is not None and not filters.get("faulted"):
        bot_id, filters["opponent_id"] = fewer_first(session, bot_id, opponent_id)
    window = _window(session, bot_id, filters.get("tournament_id"), before)
    ids = list(session.scalars(_fitting(window, filters).limit(limit + 1)))
    rows = by_ids(session, ids[:limit])
    if len(ids) > limit:
        return MatchPage(rows, rows[-1].id)
    oldest = session.scalars(window.with_only_columns(Seat.match_id).offset(WINDOW - 1).limit(1))
    return MatchPage(rows, oldest.one_or_none())


def _fitting(window: Select[int, str | None], filters: Filters) -> Select[int]:
    """Select the ids of the matches at the window's start that pass the filters."""
    looked = window.limit(WINDOW).subquery()
    query = select(looked.c.match_id).order_by(looked.c.match_id.desc())
    columns = (Match.tournament_id, Match.state, Match.seats, Match.kind)
    given = [(column, filters.get(column.key)) for column in columns]
    of_match = [column == value for column, value in given if value is not None]
    if of_match:
        query = query.join(Match, Match.id == looked.c.match_id).where(*of_match)
    opponent_id = filters.get("opponent_id")
    if opponent_id is not None:
        other = aliased(Seat)
        query = query.where(
            exists().where(other.match_id == looked.c.match_id, other.bot_id == opponent_id)
        )
    if filters.get("faulted"):
        query = query.where(looked.c.fault != ABSENT)
    everything = query.whereclause is None
    return window.with_only_columns(Seat.match_id) if everything else query


def _window(
    session: Session, bot_id: int, tournament_id: int | None, before: int | None
) -> Select[int, str | None]:
    """Select the bot's matches, newest first; with a tournament only those of its time."""
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


def fewer_first(session: Session, bot_id: int, opponent_id: int) -> tuple[int, int]:
    """Return both, the one with fewer rated games first: there is less to look through."""
    games = dict(session.execute(_GAMES, {"bots": [bot_id, opponent_id]}).all())
    if games.get(opponent_id, 0) < games.get(bot_id, 0):
        return opponent_id, bot_id
    return bot_id, opponent_id
