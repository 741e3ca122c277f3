"""The bots' moves in a casual game as a job: call the bots until a person has to choose.

A bot is called anew for each run of its moves, on a line of its own that says that the game goes
on: as after a lost connection it gets the game so far, then the decision. Between runs neither the
bot nor a worker holds anything.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from ladder.bots.addresses import OutOfBounds, ways_to
from ladder.casual import playing, record
from ladder.casual.playing import ANSWER
from ladder.casual.record import ATTEMPT, Stored
from ladder.jobs import attempts
from ladder.jobs.kinds import Attempt, Kind, Queue, Wanted
from ladder.jobs.runner import Lease, Settle
from ladder.matches.tables import Player
from ladder.model import CasualGame, CasualSeat, CasualState, Job, now, write
from referee.clock import Clock
from referee.errors import Interrupted, Unreachable
from referee.faults import Fault, FaultCode, SeatFault
from referee.game import Game, commitment
from referee.seats.player import Allowance, Invitation
from referee.seats.remote import RemoteSeat
from referee.ways import Ways

_log = logging.getLogger(__name__)

CALLS: Final = 4
"""How often bots are called for one run of moves before the caretaker plays for the missing one."""
_PAUSE: Final = timedelta(seconds=2)
_LONGEST: Final = 300.0  # seconds that one run of moves may take
_AWAY: Final = "The bot could not be reached."


@dataclass(frozen=True, slots=True)
class AnswerClaim:
    """The right to have bots answer in a game: the game so far, and its bots by seat."""

    held: Attempt
    game: Stored
    decisions: int
    bots: Mapping[int, Player]


@dataclass(frozen=True, slots=True)
class Answers:
    """The game after the bots' moves, and the nonces of all seats."""

    game: Game
    nonces: tuple[bytes, ...]


class Answering(Kind[AnswerClaim]):
    """Runs of bots' moves in casual games; they are short, and people wait for them."""

    name = ANSWER
    queues = (Queue(ANSWER, part=4),)

    def waits(self, queue: Queue) -> ColumnElement[bool]:  # noqa: ARG002
        return (
            select(CasualGame.id)
            .where(CasualGame.id == Job.subject, CasualGame.state == CasualState.PLAYING)
            .exists()
        )

    def wanted(self, session: Session, subject: int) -> Wanted[AnswerClaim] | None:
        game = playing.locked(session, subject)
        if game.state is not CasualState.PLAYING:
            return None
        return Wanted(_LONGEST, partial(_begin, game))

    def give_back(self, session: Session, claim: AnswerClaim) -> None:
        playing.locked(session, claim.held.subject)
        attempts.release(session, claim.held, counts=False)

    def fail(self, session: Session, claim: AnswerClaim, why: str) -> None:
        _log.warning("casual game %d: %s", claim.held.subject, why)
        _again(session, claim.held)

    def lapse(self, session: Session, attempt: Attempt, worker: str | None) -> None:  # noqa: ARG002
        _again(session, attempt)

    def lock(self, session: Session) -> None:
        """Lock the games whose bots lapsed: a worker that comes back locks its game, too, first."""
        write(session)
        lapsed = select(Job.subject).where(Job.kind == ANSWER, Job.lease_until < now(session))
        games = select(CasualGame.id).where(CasualGame.id.in_(lapsed)).order_by(CasualGame.id)
        session.execute(games.with_for_update())


ANSWERS: Final = Answering()


async def answer(claim: AnswerClaim, lease: Lease) -> Settle[AnswerClaim]:  # noqa: ARG001
    """Call the bots of a game until a person has to choose; return what settles the job."""
    try:
        return partial(finish, answers=await _answers(claim))
    except Unreachable as error:
        _log.info("casual game %d: %s", claim.held.subject, error)
        return partial(_call_again, seat=error.seat)
    except Interrupted as error:
        return partial(ANSWERS.fail, why=str(error))


def finish(session: Session, claim: AnswerClaim, answers: Answers) -> None:
    """Store what the bots have done, unless the game has ended meanwhile. Raises Stale."""
    write(session)
    game = playing.locked(session, claim.held.subject)
    attempts.end(session, claim.held)
    if game.state is not CasualState.PLAYING or game.decisions != claim.decisions:
        return
    for seat, nonce in zip(game.table, answers.nonces, strict=True):
        seat.nonce = nonce
    playing.go_on(session, game, answers.game)


def _call_again(session: Session, claim: AnswerClaim, seat: int) -> None:
    """Call the bots again soon; after some calls let the caretaker play for the missing one."""
    write(session)
    playing.locked(session, claim.held.subject)
    if claim.held.number < CALLS:
        attempts.release(session, claim.held, not_before=now(session) + _PAUSE)
        return
    nonces = tuple(nonce or b"" for nonce in claim.game.nonces)
    played = record.rebuilt(claim.game)
    if claim.decisions:
        played.run_to_decision()
        played.fault(Fault(seat, FaultCode.CLOSED, _AWAY))
    else:
        played.fault(Fault(seat, FaultCode.ABSENT, _AWAY))
    finish(session, claim, Answers(played, nonces))


def _again(session: Session, attempt: Attempt) -> None:
    write(session)
    game = playing.locked(session, attempt.subject)
    if attempt.number < CALLS:
        attempts.release(session, attempt, not_before=now(session) + _PAUSE)
        return
    attempts.end(session, attempt)
    if game.ended_at is None:
        playing.close(session, game)


def _begin(game: CasualGame, attempt: Attempt, worker: str, at: datetime) -> AnswerClaim:  # noqa: ARG001
    bots = {seat.seat: _player(seat) for seat in game.table if seat.is_bot}
    return AnswerClaim(attempt, record.stored(game), game.decisions, bots)


def _player(seat: CasualSeat) -> Player:
    version = seat.version
    assert version is not None
    bot = version.bot
    return Player(
        bot.id,
        version.id,
        bot.name,
        version.name,
        bot.user.name,
        version.address,
        version.secret,
        bot.house,
    )


async def _answers(claim: AnswerClaim) -> Answers:
    ways = Ways.from_environment()
    seats: dict[int, RemoteSeat] = {}
    try:
        nonces = await _nonces(claim, seats, ways)
        game = record.rebuilt(replace(claim.game, nonces=nonces))
        while len(game.faulted) < len(nonces) - 1 and game.run_to_decision():
            seat = game.position.seat
            if seat not in claim.bots:
                break
            if seat in game.faulted:
                game.choose_for_absent()
            else:
                await _ask(claim, game, seats, seat, ways)
        return Answers(game, nonces)
    finally:
        await asyncio.gather(*(seat.leave() for seat in seats.values()))


async def _nonces(
    claim: AnswerClaim, seats: dict[int, RemoteSeat], ways: Ways
) -> tuple[bytes, ...]:
    """Return the nonces of all seats; bots that have not accepted the game are asked to now."""
    nonces = list(claim.game.nonces)
    for seat, nonce in enumerate(nonces):
        if nonce is None:
            nonces[seat] = await _call(claim, seats, seat, ways)
    return tuple(nonce or b"" for nonce in nonces)


async def _call(
    claim: AnswerClaim,
    seats: dict[int, RemoteSeat],
    seat: int,
    ways: Ways,
    *,
    resumed: bool = False,
) -> bytes:
    player = claim.bots[seat]
    try:
        own = await ways_to(player.address, player.secret, ways, house=player.house)
    except OutOfBounds as error:
        raise Unreachable(seat, f"{error}.") from None
    called = seats[seat] = RemoteSeat(player.address, own, player.version)
    return await called.accept(_invitation(claim, seat, resumed=resumed))


async def _ask(
    claim: AnswerClaim, game: Game, seats: dict[int, RemoteSeat], seat: int, ways: Ways
) -> None:
    if seat not in seats:
        await _call(claim, seats, seat, ways, resumed=True)
    number = record.decisions_of(game) + 1
    limit = min(claim.game.clock.move_limit, Clock().move_limit)
    try:
        answer = await seats[seat].decide(game, number, Allowance(limit, limit))
    except SeatFault as fault:
        game.fault(Fault(seat, fault.code, fault.sentence, fault.received))
        return
    game.choose(answer.move, answer.think, 0.0, answer.cpu)


def _invitation(claim: AnswerClaim, seat: int, *, resumed: bool) -> Invitation:
    game = claim.game
    return Invitation(
        match_id=game.match_id,
        attempt=ATTEMPT,
        seat=seat,
        players=len(game.nonces),
        layout=game.layout,
        clock=game.clock,
        dice_commitment=commitment(game.dice_seed),
        resumed=resumed,
    )
