"""Play a casual game on: choices of people, answers of bots, time-outs, the end.

Each of these is a transaction of its own, with the row of the game locked. `go_on` follows all of
them: it makes the caretaker's moves, and finds who has to choose next.
"""

import logging
from collections.abc import Collection
from datetime import timedelta
from typing import Final

from sqlalchemy import bindparam, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from ladder import model
from ladder.casual import record
from ladder.errors import Refused
from ladder.jobs import attempts
from ladder.matches.queue import clock_of
from ladder.model import CasualGame, CasualPace, CasualSeat, CasualState, move_casual, now, write
from referee.faults import Fault, FaultCode, too_late
from referee.game import Game

_log = logging.getLogger(__name__)

ANSWER: Final = "answer"
"""The kind of the job by which bots answer, and its queue."""
ABANDONED: Final = timedelta(days=3)
"""How long a game without a clock waits for a choice."""
_CALL_TIMEOUT: Final = timedelta(hours=1)
"""How long a game waits for a bot that could not be called, since it plays elsewhere."""

_MOST_DUE: Final = 100  # games whose time is over, looked at in one transaction
_LEFT: Final = "The player left the table."
_BUSY: Final = "The bot had no time for this game."


def begin(session: Session, game: CasualGame) -> None:
    """Begin a game that all people have accepted; bots are asked to accept it first."""
    move_casual(game, CasualState.PLAYING)
    if any(seat.is_bot for seat in game.table):
        game.due_at = now(session) + _CALL_TIMEOUT
        attempts.enqueue(session, ANSWER, ANSWER, [game.id])
    else:
        go_on(session, game, record.rebuilt(record.stored(game)))


def choose(session: Session, game: CasualGame, seat: CasualSeat, decision: int, move: str) -> None:
    """Make a person's choice at the decision with this number. The game is locked.

    Raises Refused if another decision is open, or the move is not legal there.
    """
    refuse_made(game, seat, decision)
    if now(session) > game.due_at:  # `tend` ends it, unless people were kept from choosing
        raise Refused("the time for this choice is over")
    played = record.rebuilt(record.stored(game))
    played.run_to_decision()
    legal = dict(zip(played.position.legal_texts(), played.position.legal_moves, strict=True))
    if move not in legal:
        raise Refused("that move is not possible now")
    played.choose(legal[move], _thought(session, game, seat))
    go_on(session, game, played)


def refuse_made(game: CasualGame, seat: CasualSeat, decision: int) -> None:
    """Raise Refused unless the decision with this number is the seat's to make now."""
    if game.state is not CasualState.PLAYING:
        raise Refused("this game is over")
    if (game.decisions, game.deciding) != (decision, seat.seat):
        raise Refused("this choice has already been made")


def goes_on(played: Game, bots: Collection[int]) -> bool:
    """Return True if two seats are left without a fault, or a person whom bots alone have failed.

    `bots` are the seats of bots. That person plays on against the caretaker: to win because a bot
    is out of order is no fun.
    """
    faulted, seats = played.faulted, played.position.players
    return len(faulted) < seats - 1 or (len(faulted) < seats and set(faulted) <= set(bots))


def go_on(session: Session, game: CasualGame, played: Game) -> None:
    """Store the game, played up to the next decision; ask for it, or end the game."""
    table = game.table
    bots = [seat.seat for seat in table if seat.is_bot]
    while goes_on(played, bots) and played.run_to_decision():
        seat = table[played.position.seat]
        if seat.seat in played.faulted:
            played.choose_for_absent()
        elif seat.left:
            played.fault(Fault(seat.seat, FaultCode.CLOSED, _LEFT))
        else:
            _ask(session, game, seat, played)
            return
    _end(session, game, played)


def _time_out(session: Session, game: CasualGame) -> None:
    """Let the caretaker play on for the seat whose time is over. The game is locked."""
    if game.state is CasualState.GATHERING or game.deciding is None:
        close(session, game)
        return
    attempts.drop(session, ANSWER, game.id)  # there is one if a bot's time is over
    played = record.rebuilt(record.stored(game))
    played.run_to_decision()
    assert game.asked_at is not None
    late = too_late((game.due_at - game.asked_at).total_seconds())
    why = _BUSY if game.table[game.deciding].is_bot else late.sentence
    played.fault(Fault(game.deciding, late.code, why))
    go_on(session, game, played)


def tend(session: Session) -> int:
    """Settle games in which somebody's time is over; return how many. The caller commits."""
    ids = model.execute(session, _DUE, {"at": now(session)}).scalars().all()
    for game_id in sorted(ids):
        game = locked(session, game_id)
        if game.ended_at is None and game.due_at < now(session):
            play_on(session, game)
    return len(ids)


def ask_anew(session: Session) -> None:
    """Give all who have to choose by a clock their time again. The caller commits."""
    write(session)
    at = now(session)
    for game in session.scalars(_BY_CLOCK, execution_options={"populate_existing": True}):
        assert game.asked_at is not None
        game.asked_at, game.due_at = at, at + (game.due_at - game.asked_at)


def play_on(session: Session, game: CasualGame) -> None:
    """Let the caretaker play on; close a game that cannot be, so that others are settled."""
    try:
        _time_out(session, game)
    except SQLAlchemyError:
        raise
    except Exception:
        _log.exception("casual game %d cannot be played on: it is closed", game.id)
        close(session, game)


def leave(session: Session, game: CasualGame, seat: CasualSeat) -> None:
    """Give up a seat: the caretaker plays it; without people, the game ends. It is locked."""
    if game.ended_at is not None:
        return
    seat.left = True
    people = [one for one in game.table if not one.is_bot]
    if game.state is CasualState.GATHERING or all(one.left for one in people):
        close(session, game)
    elif game.deciding == seat.seat:
        played = record.rebuilt(record.stored(game))
        go_on(session, game, played)


def close(session: Session, game: CasualGame) -> None:
    """End a game without a result."""
    move_casual(game, CasualState.CLOSED)
    attempts.drop(session, ANSWER, game.id)
    game.deciding, game.ended_at = None, now(session)


def locked(session: Session, game_id: int) -> CasualGame:
    """Read a game, and lock it until the end of the transaction."""
    write(session)
    return session.get_one(CasualGame, game_id, with_for_update=True, populate_existing=True)


def _ask(session: Session, game: CasualGame, seat: CasualSeat, played: Game) -> None:
    _store(game, played)
    at = now(session)
    game.deciding, game.asked_at, game.due_at = seat.seat, at, at + ABANDONED
    if seat.is_bot:
        game.due_at = at + _CALL_TIMEOUT
        session.flush()
        attempts.enqueue(session, ANSWER, ANSWER, [game.id])
    elif game.pace is not CasualPace.NONE:
        seat.bank_ms += game.increment_ms
        game.due_at = at + timedelta(milliseconds=min(game.move_limit_ms, seat.bank_ms))


def _thought(session: Session, game: CasualGame, seat: CasualSeat) -> float:
    """Return the seconds since the seat was asked, and take them from its bank."""
    assert game.asked_at is not None
    thought = max(0.0, (now(session) - game.asked_at).total_seconds())
    if game.pace is not CasualPace.NONE:
        seat.bank_ms = max(0, seat.bank_ms - round(1000 * thought))
    return min(thought, clock_of(game).move_limit)


def _end(session: Session, game: CasualGame, played: Game) -> None:
    _store(game, played)
    move_casual(game, CasualState.FINISHED)
    result = played.result()
    vps: list[int | None] = [score.vp for score in result.scores]
    for seat, rank, vp in zip(
        game.table, result.ranks, vps or [None] * len(game.table), strict=True
    ):
        seat.rank, seat.vp = rank, vp
    game.replay = record.replay_file(game, played)
    game.deciding, game.ended_at = None, now(session)


def _store(game: CasualGame, played: Game) -> None:
    for fault in played.faults:
        game.table[fault.seat].fault = fault.sentence
    game.entries = record.entries_of(played)
    game.decisions = record.decisions_of(played)


_DUE: Final = (
    select(CasualGame.id)
    .where(
        CasualGame.state.in_(model.CASUAL_UNDER_WAY),
        CasualGame.due_at < bindparam("at", type_=model.Timestamp),
    )
    .order_by(CasualGame.due_at)
    .limit(_MOST_DUE)
)
"""Built once, since the scheduler asks all the time."""
_BY_CLOCK: Final = (
    select(CasualGame)
    .where(
        CasualGame.state == CasualState.PLAYING,
        CasualGame.pace != CasualPace.NONE,
        CasualGame.asked_at.is_not(None),
    )
    .order_by(CasualGame.id)
    .with_for_update()
)
