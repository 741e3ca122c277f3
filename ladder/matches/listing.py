"""Lists of matches, newest first, filtered by bots, tournament, size, kind, fault, margin, time."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, TypedDict, Unpack
from weakref import WeakKeyDictionary

from sqlalchemy import (
    ColumnElement,
    Select,
    String,
    Subquery,
    and_,
    bindparam,
    cast,
    exists,
    false,
    func,
    select,
)
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from ladder.matches.reading import ABSENT, MatchPage, by_ids, is_named
from ladder.model import Bot, Match, MatchKind, MatchState, Seat, SeatTally

WINDOW: Final = 2_000
"""How many of a bot's matches one page looks through, however few of them fit its filters."""
_FIRST_LOOK: Final = 5
"""How many matches are looked through first for each one shown: most filters let many pass."""

_GAMES: Final = (
    select(SeatTally.bot_id, func.sum(SeatTally.games))
    .where(
        SeatTally.seats.in_((2, 3, 4)),
        SeatTally.seat.in_(range(4)),  # so that the whole key is known
        SeatTally.bot_id.in_(bindparam("bots", expanding=True)),
    )
    .group_by(SeatTally.bot_id)
)
_CREATED: Final = (
    select(Match.id, Match.created_at)
    .where(Match.id >= bindparam("least"))
    .order_by(Match.id)
    .limit(1)
)
_NEWEST_CREATED: Final = select(Match.id, Match.created_at).order_by(Match.id.desc()).limit(1)
_MOST_DAYS: Final = 1_000
_first_of_days: Final = WeakKeyDictionary[Any, dict[datetime, int]]()  # by database
_SAT: Final = (
    select(Seat.match_id)
    .where(Seat.bot_id == Bot.id)
    .order_by(Seat.match_id.desc())
    .limit(bindparam("looked_through"))
    .correlate(Bot)
    .subquery()
)
_OVER: Final = (
    select(Match.id)
    .join(_SAT, _SAT.c.match_id == Match.id)
    .where(Match.state == MatchState.FINISHED)
    .order_by(Match.id.desc())
    .limit(bindparam("most"))
    .correlate(Bot)
    .subquery()
)
_RANKED: Final = (
    select(Seat.match_id.label("id"))
    .where(Seat.bot_id == Bot.id, Seat.rank.is_not(None))
    .order_by(Seat.match_id.desc())
    .limit(bindparam("most"))
    .correlate(Bot)
    .subquery()
)


def _joined(results: Subquery) -> Select[int, str | None]:
    """Select bots and the ids of their newest results, joined by spaces."""
    ids = select(func.aggregate_strings(cast(results.c.id, String), " ")).select_from(results)
    return select(Bot.id, ids.scalar_subquery()).where(
        Bot.id.in_(bindparam("bots", expanding=True))
    )


_RESULTS: Final = (_joined(_OVER), _joined(_RANKED))
_WINNER: Final = aliased(Seat)
_SECOND: Final = aliased(Seat)
_OTHER: Final = aliased(Seat)
_FIRST: Final = select(func.min(Match.id)).where(Match.tournament_id == bindparam("tournament"))
_LAST: Final = select(func.max(Match.id)).where(Match.tournament_id == bindparam("tournament"))


CLOSE: Final = 3
"""A game is close if the second has at most so many VP less than the winner."""


_IS_CLOSE: Final = exists().where(
    _WINNER.match_id == Match.id,
    _WINNER.rank == 1,
    _SECOND.match_id == Match.id,
    _SECOND.seat != _WINNER.seat,
    _SECOND.fault.is_(None),
    _SECOND.vp >= _WINNER.vp - CLOSE,
)


class Filters(TypedDict, total=False):
    """Which matches to list; a filter that is None or missing lets all pass.

    `opponent_id`: another bot at the table. `faulted`: only those where the bot itself faulted, or
    without a bot, where any did. `close`: see CLOSE. `since` and `until`: when they were finished,
    the first moment and the one that is too late.
    """

    opponent_id: int | None
    tournament_id: int | None
    state: str | None
    seats: int | None
    kind: MatchKind | None
    faulted: bool
    close: bool
    since: datetime | None
    until: datetime | None


def list_matches(
    session: Session,
    *,
    bot_id: int | None = None,
    before: int | None = None,
    limit: int = 50,
    **filters: Unpack[Filters],
) -> MatchPage:
    """Return the newest matches with an id below `before`.

    With a bot, and perhaps another one at the same table, the page is as `list_bot_matches` makes
    it; so it may hold few matches, or none, and yet have a next one, if it is filtered by more than
    tournament and state.
    """
    bot_id = _either(bot_id, filters)
    if bot_id is not None:
        return list_bot_matches(session, bot_id, before=before, limit=limit, **filters)
    window = _newest(session, before, filters)
    rest = _conditions(filters, (Match.seats, Match.kind))
    if filters.get("faulted"):
        rest.append(exists().where(Seat.match_id == Match.id, Seat.fault != ABSENT))
    fitting = window
    if rest:
        looked = window.limit(WINDOW).subquery()
        fitting = select(Match.id).join(looked, looked.c.id == Match.id).where(*rest)
        fitting = fitting.order_by(looked.c.id.desc())
    ids = list(session.scalars(fitting.limit(limit + 1)))
    return _page(session, ids, limit, None if len(ids) > limit else _end(session, window))


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

    A page may hold few matches, or none, and yet have a next one: see WINDOW. If finished matches
    do not fill it, it goes on behind the window, such as one of matches that wait, from the newest
    in which the bot has a rank; it is the last page if there is none.
    """
    window = _window(session, bot_id, before, filters)
    ids: list[int] = []
    looks: tuple[int, ...] = (_FIRST_LOOK * (limit + 1), WINDOW)
    if filters.get("opponent_id") is not None:  # few of a bot's games are with the same other one
        looks = (WINDOW,)
    for looked_through in looks:
        query = _fitting(window.limit(looked_through), filters)
        ids = list(session.scalars(query.limit(limit + 1)))
        if len(ids) > limit:
            return _page(session, ids, limit, None)
    end = _end(session, window)
    if end is not None and filters.get("state") == MatchState.FINISHED:
        ranked = window.where(Seat.match_id < end, Seat.rank.is_not(None))
        window = window.where(Seat.match_id <= (session.scalar(ranked.limit(1)) or 0))
        query = _fitting(window.limit(WINDOW), filters)
        ids += session.scalars(query.limit(limit + 1 - len(ids)))
        end = _end(session, window)
    return _page(session, ids, limit, end)


def unfinished_states(
    session: Session, bot_id: int | None, *, before: int | None = None, **filters: Unpack[Filters]
) -> frozenset[MatchState]:
    """Return the states, but FINISHED, of matches that `list_matches` may find with these filters.

    For bots they are looked up at once, since most pairs have nothing but finished matches.
    """
    bot_id = _either(bot_id, filters)
    if bot_id is None:
        return frozenset(MatchState) - {MatchState.FINISHED}
    window = _window(session, bot_id, before, filters)
    fitting = _fitting(window.limit(WINDOW), filters).subquery()
    query = select(Match.state).join(fitting, fitting.c.match_id == Match.id).distinct()
    return frozenset(session.scalars(query.where(Match.state != MatchState.FINISHED)))


def newest_results(session: Session, bot_ids: Sequence[int], *, limit: int) -> dict[int, list[int]]:
    """Return the ids of each bot's newest finished matches, newest first, by the bot's id.

    Behind many matches without a result, only those are found in which the bot has a rank.
    """
    ids: dict[int, list[int]] = {bot_id: [] for bot_id in bot_ids}
    for query in _RESULTS:
        few = [bot_id for bot_id in bot_ids if len(ids[bot_id]) < limit]
        if not few:
            break
        wanted = {"bots": few, "looked_through": _FIRST_LOOK * limit, "most": limit}
        for bot_id, found in session.execute(query, wanted):
            both = {*ids[bot_id], *map(int, (found or "").split())}
            ids[bot_id] = sorted(both, reverse=True)[:limit]
    return ids


def _page(session: Session, ids: Sequence[int], limit: int, end: int | None) -> MatchPage:
    """Return the matches; if that is all of the window, the next page begins at its end."""
    rows = by_ids(session, ids[:limit])
    return MatchPage(rows, rows[-1].id if len(ids) > limit else end)


def _end(session: Session, window: Select[int]) -> int | None:
    """Return the last match that one page looks through; None if there are fewer."""
    return session.scalars(window.offset(WINDOW - 1).limit(1)).one_or_none()


def _either(bot_id: int | None, filters: Filters) -> int | None:
    """Return the bot, or the opponent if there is none; it is then no opponent any more."""
    if bot_id is None:
        bot_id, filters["opponent_id"] = filters.get("opponent_id"), None
    return bot_id


def _newest(session: Session, before: int | None, filters: Filters) -> Select[int]:
    """Select the ids of the newest matches, of a tournament or in a state, by an index."""
    window = select(Match.id).order_by(Match.id.desc())
    values = [(column, filters.get(column.key)) for column in (Match.tournament_id, Match.state)]
    window = window.where(*(column == value for column, value in values if value is not None))
    if until := filters.get("until"):
        window = window.where(Match.id < _first_created(session, until))
    return window if before is None else window.where(Match.id < before)


def _first_created(session: Session, at: datetime) -> int:
    """Return the id from which on matches were created at `at` or later, in some 20 looks.

    What was finished before that moment was created before it: ids rise with time. So once a later
    match exists, the answer stays, and is kept.
    """
    known = _first_of_days.setdefault(session.get_bind(), {})
    if (first := known.get(at)) is not None:
        return first
    newest = session.execute(_NEWEST_CREATED).one_or_none()
    if newest is None or newest.created_at < at:
        return newest.id + 1 if newest else 1
    low, high = 1, newest.id
    while low < high:
        row = session.execute(_CREATED, {"least": (low + high) // 2}).one()
        if row.created_at >= at:
            high = (low + high) // 2
        else:
            low = row.id + 1
    if len(known) >= _MOST_DAYS:
        known.clear()
    known[at] = low
    return low


def _conditions(
    filters: Filters, columns: Sequence[InstrumentedAttribute[Any]]
) -> list[ColumnElement[bool]]:
    """Return the conditions on matches that these columns, close games and times make."""
    values = [(column, filters.get(column.key)) for column in columns]
    made = [column == value for column, value in values if value is not None]
    if filters.get("close"):
        made.append(_IS_CLOSE)
    if since := filters.get("since"):
        made.append(Match.finished_at >= since)
    if until := filters.get("until"):
        made.append(Match.finished_at < until)
    return made


def _fitting(window: Select[int], filters: Filters) -> Select[int]:
    """Select those ids of the window that pass the filters."""
    faulted = filters.get("faulted")
    looked = (window.add_columns(Seat.fault) if faulted else window).subquery()
    query = select(looked.c.match_id).order_by(looked.c.match_id.desc())
    of_match = _conditions(filters, (Match.tournament_id, Match.state, Match.seats, Match.kind))
    opponent_id = filters.get("opponent_id")
    if not (of_match or opponent_id is not None or faulted):
        return window
    if opponent_id is not None:  # joined first: few of these matches are of both
        met = and_(_OTHER.match_id == looked.c.match_id, _OTHER.bot_id == opponent_id)
        query = query.join(_OTHER, met)
    if of_match:
        query = query.join(Match, Match.id == looked.c.match_id).where(*of_match)
    return query.where(looked.c.fault != ABSENT) if faulted else query


def _window(session: Session, bot_id: int, before: int | None, filters: Filters) -> Select[int]:
    """Select the bot's matches, newest first; with a tournament only those of its time.

    Of two bots it becomes the one with fewer games, in the filters as well. An index holds all that
    this reads: rows of 2,000 old matches may have to come from the disk.
    """
    opponent_id = filters.get("opponent_id")
    if opponent_id is not None and not filters.get("faulted"):
        bot_id, filters["opponent_id"] = fewer_first(session, bot_id, opponent_id)
    window = (
        select(Seat.match_id)
        .where(Seat.bot_id == bot_id, is_named(session, Seat.match_id))
        .order_by(Seat.match_id.desc())
    )
    if bot_id == filters.get("opponent_id"):  # no bot meets itself
        window = window.where(false())
    tournament_id = filters.get("tournament_id")
    if tournament_id is not None:
        parameters = {"tournament": tournament_id}
        first, last = session.scalar(_FIRST, parameters), session.scalar(_LAST, parameters)
        window = window.where(Seat.match_id.between(first or 0, last or 0))
    if until := filters.get("until"):
        window = window.where(Seat.match_id < _first_created(session, until))
    return window if before is None else window.where(Seat.match_id < before)


def fewer_first(session: Session, bot_id: int, opponent_id: int) -> tuple[int, int]:
    """Return both, the one with fewer rated games first: there is less to look through."""
    games = dict(session.execute(_GAMES, {"bots": [bot_id, opponent_id]}).all())
    if games.get(opponent_id, 0) < games.get(bot_id, 0):
        return opponent_id, bot_id
    return bot_id, opponent_id
