"""Keep what hosted bots write in casual games, for their authors alone, and only so much.

A bot is called anew for each run of its moves; what it writes in all runs of a game is one text, of
which the beginning and the end are kept. Of each bot the newest games are kept.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import delete, func, select, tuple_
from sqlalchemy.orm import Session

from ladder.bots.own import bot_row
from ladder.bots.uploads import Output
from ladder.errors import NotFound
from ladder.matches.results import Written, in_ms
from ladder.model import CasualGame, CasualOutput, CasualSeat, CasualState, execute, now, write
from ladder.people.accounts import Account
from referee.hosting.output import LEFT_OUT

GAMES: Final = 20
"""The number of a bot's games whose output is kept."""
MOST: Final = 64 * 1024
"""Bytes of each stream that are kept of a game, as a host does of a match."""

_CUT: Final = f"{LEFT_OUT}some bytes left out ...]\n".encode()


@dataclass(frozen=True, slots=True)
class CasualEntry:
    """A casual game in which a hosted bot wrote, or might have."""

    game_id: int
    seat: int
    """Counts from 0."""
    state: CasualState
    rank: int | None
    vp: int | None
    fault: str | None
    """A sentence: why the caretaker plays its seat."""
    at: datetime
    """When the bot was called last."""
    wrote: int
    """How many bytes are kept; `of_game` returns them."""


def keep(session: Session, game: CasualGame, written: Iterable[Written]) -> None:
    """Add what was written in one run of moves. The caller has locked the game, and commits."""
    write(session)
    fresh = set()
    for one in written:
        version = game.table[one.seat].version
        if version is None:
            continue
        # Locked, since who keeps what a bot wrote in a newer game may delete it meanwhile.
        own = (game.id, one.seat)
        row = session.get(CasualOutput, own, with_for_update=True, populate_existing=True)
        if row is None:
            row = CasualOutput(game_id=game.id, seat=one.seat, output=b"", errors=b"")
            session.add(row)
            fresh.add(version.bot_id)
        row.bot_id, row.at = version.bot_id, now(session)
        row.output, row.errors = _cut(row.output + one.output), _cut(row.errors + one.errors)
        row.peak_memory = max(row.peak_memory or 0, one.peak_memory or 0) or None
        if one.cpu_us is not None:
            row.cpu_us = (row.cpu_us or 0) + one.cpu_us
    session.flush()
    for bot_id in fresh:
        _forget_old(session, bot_id)


def of_bot(session: Session, account: Account, bot_id: int) -> tuple[CasualEntry, ...]:
    """Return the newest casual games of an own bot that is hosted. Raises NotFound."""
    bot = bot_row(session, account, bot_id)
    query = (
        select(
            CasualOutput.game_id,
            CasualOutput.seat,
            CasualGame.state,
            CasualSeat.rank,
            CasualSeat.vp,
            CasualSeat.fault,
            CasualOutput.at,
            (func.length(CasualOutput.output) + func.length(CasualOutput.errors)).label("wrote"),
        )
        .join(CasualGame, CasualGame.id == CasualOutput.game_id)
        .join(CasualSeat, _AT_SEAT)
        .where(CasualOutput.bot_id == bot.id)
        .order_by(CasualOutput.game_id.desc(), CasualOutput.seat)
    )
    return tuple(CasualEntry(**row._mapping) for row in session.execute(query))


def of_game(session: Session, account: Account, bot_id: int, game_id: int, seat: int = 0) -> Output:
    """Return what an own bot wrote in a casual game: in the first of its seats from `seat` on.

    Raises NotFound.
    """
    bot = bot_row(session, account, bot_id)
    query = (
        select(CasualOutput)
        .where(CasualOutput.bot_id == bot.id, CasualOutput.game_id == game_id)
        .where(CasualOutput.seat >= seat)
        .order_by(CasualOutput.seat)
    )
    row = session.scalars(query).first()
    if row is None:
        raise NotFound(
            "there is no output of %(bot)s from game %(game)s with people",
            bot=bot.name,
            game=game_id,
        )
    return Output(game_id, row.seat, row.output, row.errors, row.peak_memory, in_ms(row.cpu_us))


def _cut(data: bytes) -> bytes:
    """Return a text without its middle if it is too long."""
    half = (MOST - len(_CUT)) // 2
    return data if len(data) <= MOST else data[:half] + _CUT + data[-half:]


def _forget_old(session: Session, bot_id: int) -> None:
    """Keep the output of the bot's newest games alone, and what others hold just now."""
    own = CasualOutput.bot_id == bot_id
    newest = select(CasualOutput.game_id).where(own).distinct()
    newest = newest.order_by(CasualOutput.game_id.desc()).offset(GAMES - 1).limit(1)
    oldest = session.scalar(newest)
    if oldest is not None:
        old = select(*_KEY).where(own, CasualOutput.game_id < oldest)
        free = old.with_for_update(skip_locked=True)
        execute(session, delete(CasualOutput).where(tuple_(*_KEY).in_(free)))


_KEY: Final = (CasualOutput.game_id, CasualOutput.seat)
_AT_SEAT: Final = (CasualSeat.game_id == CasualOutput.game_id) & (
    CasualSeat.seat == CasualOutput.seat
)
