"""The bots' moves in a casual game as a job: call the bots until a person has to choose.

A bot is called anew for each run of its moves, on a line of its own that says that the game goes
on: as after a lost connection it gets the game so far, then the decision. Between runs neither the
bot nor a worker holds anything.

A run takes one of the slots of each author's bot at the table, as matches do, and a lane of the
hosts for casual games if one of them is hosted. Who waits longest is answered first.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Final

from sqlalchemy import ColumnElement, and_, exists, or_, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots.hosts import Hosts, NoHost
from ladder.casual import outputs, playing, record
from ladder.casual.calling import AnswerClaim, Answers, Unanswered, answers
from ladder.casual.opponents import waits_since
from ladder.casual.playing import ANSWER
from ladder.jobs import attempts
from ladder.jobs.kinds import FULL, Attempt, Kind, Needs, Parties, Party, Queue
from ladder.jobs.runner import Settle
from ladder.matches import lanes
from ladder.matches.results import Written
from ladder.matches.tables import Player, can_start, needs_host
from ladder.model import Bot, CasualGame, CasualSeat, CasualState, Job, Version, now, write
from referee.errors import OtherVersion, Unreachable
from referee.faults import Fault, FaultCode
from referee.hosting.client import HostRefuses

_log = logging.getLogger(__name__)

CALLS: Final = 4
"""How often bots are called for one run of moves before the caretaker plays for the missing one."""
_PAUSE: Final = timedelta(seconds=2)
_LONGER: Final = 5  # times at most that the pause after a failure is twice as long as the last one
_PUT_OFF: Final = timedelta(seconds=5)
_LONGEST: Final = 300.0  # seconds that one run of moves may take
_AWAY: Final = "The bot could not be reached."
_OTHER: Final = "Another version of the bot answers than the one that was submitted."


class Answering(Kind[AnswerClaim]):
    """Runs of bots' moves in casual games; they are short, and people wait for them."""

    name = ANSWER
    queues = (Queue(ANSWER, part=2, apart=True),)

    def waits(self) -> ColumnElement[bool]:
        return _waits()

    def fits(self, queue: Queue, full: Collection[int]) -> ColumnElement[bool]:  # noqa: ARG002
        return _fits(has_lane=lanes.ANSWERS not in full)

    def order(self) -> tuple[ColumnElement[datetime], ...]:
        """Return since when people wait: old games whose people choose at once don't go first."""
        since = select(waits_since()).where(CasualGame.id == Job.subject)
        return (since.scalar_subquery(),)

    def parties(
        self,
        session: Session,
        queue: Queue,  # noqa: ARG002
        subjects: Sequence[int],
    ) -> Parties:
        query = (
            select(CasualSeat.game_id, Version.id, Version.slots, Bot.house, needs_host())
            .join(Version, Version.id == CasualSeat.version_id)
            .join(Bot, Bot.id == Version.bot_id)
            .where(CasualSeat.game_id.in_(subjects))
            .distinct()
        )
        parties: dict[int, list[Party]] = defaultdict(list)
        hosts = lanes.of_answers(session)
        for game_id, version_id, slots, house, hosted in session.execute(query):
            if not house:
                parties[game_id].append(Party(version_id, slots))
            if hosted and hosts not in parties[game_id]:
                parties[game_id].append(hosts)
        return parties

    def slots(self, session: Session, parties: Collection[int]) -> dict[int, int]:
        query = select(Version.id, Version.slots).join(Bot, Bot.id == Version.bot_id)
        own = session.execute(query.where(Version.id.in_(parties), ~Bot.house)).all()
        return dict(own) | {lanes.ANSWERS: lanes.of_answers(session).slots}

    def needs(self, session: Session, subject: int) -> Needs[AnswerClaim] | None:
        game = playing.locked(session, subject)
        if game.state is not CasualState.PLAYING:
            return None
        bots = _seated(session, game)
        parties = [Party(one.id, one.slots) for one in bots if not one.bot.house]
        if any(one.package is not None for one in bots):
            parties.append(lanes.of_answers(session, lock=True))
        return Needs(_LONGEST, partial(_begin, session, game), parties)

    def give_back(self, session: Session, claim: AnswerClaim) -> None:
        playing.locked(session, claim.held.subject)
        attempts.release(session, claim.held, counts=False)

    def fail(self, session: Session, claim: AnswerClaim, why: str) -> None:
        """Try again, after longer and longer pauses: nothing but its time ends a game."""
        _log.warning("casual game %d: %s", claim.held.subject, why)
        playing.locked(session, claim.held.subject)
        _again(session, claim.held)

    def lapse(self, session: Session, attempt: Attempt) -> None:
        """Try again, soon alone, but not for ever: its workers may die of the game."""
        game = playing.locked(session, attempt.subject)
        if not attempt.is_last(CALLS):
            _again(session, attempt, alone=attempt.next_alone)
            return
        attempts.end(session, attempt)
        if game.ended_at is None:
            playing.play_on(session, game)

    def lock(self, session: Session) -> None:
        """Lock the games whose bots lapsed: a worker that comes back locks its game, too, first."""
        write(session)
        lapsed = select(Job.subject).where(Job.kind == ANSWER, Job.lease_until < now(session))
        games = select(CasualGame.id).where(CasualGame.id.in_(lapsed)).order_by(CasualGame.id)
        session.execute(games.with_for_update())


ANSWERS: Final = Answering()


@cache
def _waits() -> ColumnElement[bool]:
    """Return the condition that a game waits for its bots; built once, as the next one."""
    return exists().where(CasualGame.id == Job.subject, CasualGame.state == CasualState.PLAYING)


@cache
def _fits(*, has_lane: bool) -> ColumnElement[bool]:
    """Return the condition that a game's bots may be called now without the parties FULL."""
    busy = Version.id.in_(FULL) if has_lane else or_(Version.id.in_(FULL), needs_host())
    seated = and_(CasualSeat.game_id == Job.subject, Version.id == CasualSeat.version_id)
    return and_(_waits(), ~exists().where(seated, busy))


async def answer(claim: AnswerClaim, *, hosts: Hosts) -> Settle[AnswerClaim]:
    """Call the bots of a game until a person has to choose; return what settles the job."""
    try:
        result = await answers(claim, hosts)
    except Unanswered as failed:
        return _keeping(failed.written, _unanswered(claim, failed))
    return _keeping(result.written, partial(finish, answers=result))


def _unanswered(claim: AnswerClaim, failed: Unanswered) -> Settle[AnswerClaim]:
    """Return what settles a claim of which nothing came."""
    error = failed.why
    if isinstance(error, Unreachable):
        _log.info("casual game %d: %s", claim.held.subject, error)
        if error.ours:
            return partial(_put_off, nonces=failed.nonces)
        why = _OTHER if isinstance(error, OtherVersion) else _AWAY
        return partial(_call_again, nonces=failed.nonces, seat=error.seat, why=why)
    if isinstance(error, (NoHost, HostRefuses)):
        _log.warning("casual game %d waits for a host: %s", claim.held.subject, error)
        return partial(_put_off, nonces=failed.nonces)
    return partial(ANSWERS.fail, why=str(error))


def _keeping(written: Sequence[Written], settle: Settle[AnswerClaim]) -> Settle[AnswerClaim]:
    """Return a function that settles a claim, and keeps what hosted bots wrote."""

    def settled(session: Session, claim: AnswerClaim) -> None:
        settle(session, claim)
        outputs.keep(session, playing.locked(session, claim.held.subject), written)

    return settled if written else settle


def finish(session: Session, claim: AnswerClaim, answers: Answers) -> None:
    """Store what the bots have done, unless the game has ended meanwhile. Raises Stale."""
    game = playing.locked(session, claim.held.subject)
    attempts.end(session, claim.held)
    if game.state is not CasualState.PLAYING or game.decisions != claim.decisions:
        return
    _keep(game, answers.nonces)
    playing.go_on(session, game, answers.game)


def _keep(game: CasualGame, nonces: Sequence[bytes | None]) -> None:
    for seat, nonce in zip(game.table, nonces, strict=True):
        seat.nonce = nonce


def _put_off(session: Session, claim: AnswerClaim, nonces: Sequence[bytes | None]) -> None:
    """Call the bots again later, since no host or gateway lets us now; nobody is to blame."""
    game = playing.locked(session, claim.held.subject)
    attempts.release(session, claim.held, not_before=now(session) + _PUT_OFF, counts=False)
    _keep(game, nonces)


def _call_again(
    session: Session, claim: AnswerClaim, nonces: Sequence[bytes | None], seat: int, why: str
) -> None:
    """Call the bots again soon; after some calls let the caretaker play for the missing one.

    Who has accepted the game stays in it: its nonce is kept.
    """
    game = playing.locked(session, claim.held.subject)
    if claim.held.number < CALLS:
        attempts.release(session, claim.held, not_before=now(session) + _PAUSE)
        _keep(game, nonces)
        return
    known = tuple(nonce or b"" for nonce in nonces)
    played = record.rebuilt(replace(claim.game, nonces=known))
    if claim.decisions:
        played.run_to_decision()
        played.fault(Fault(seat, FaultCode.CLOSED, why))
    else:
        played.fault(Fault(seat, FaultCode.ABSENT, why))
    finish(session, claim, Answers(played, known))


def _again(session: Session, attempt: Attempt, *, alone: bool = False) -> None:
    pause = _PAUSE * 2 ** min(attempt.number - 1, _LONGER)
    attempts.release(session, attempt, not_before=now(session) + pause, alone=alone)


def _seated(session: Session, game: CasualGame) -> list[Version]:
    """Return the versions at the table, once each, and lock the bots whose slots count.

    The seat of a version that has been replaced is its bot's active version's from now on.
    """
    versions = {seat.seat: seat.version for seat in game.table if seat.version is not None}
    own = [one.bot_id for one in versions.values() if not one.bot.house]
    if own:
        lock = select(Bot.id).where(Bot.id.in_(own)).order_by(Bot.id)
        session.execute(lock.with_for_update(key_share=True, of=Bot))
    for seat, version in versions.items():
        if version.state is not model.VersionState.ACTIVE:
            active = select(Version).where(Version.bot_id == version.bot_id, Version.active)
            versions[seat] = session.scalars(active).one_or_none() or version
            game.table[seat].version = versions[seat]
    session.flush()
    return list(dict.fromkeys(versions.values()))


def _begin(session: Session, game: CasualGame, attempt: Attempt) -> AnswerClaim:
    versions = {seat.seat: seat.version for seat in game.table if seat.version is not None}
    bots = {
        seat: _player(version) if _may_play(session, version) else None
        for seat, version in versions.items()
    }
    return AnswerClaim(attempt, record.stored(game), game.decisions, bots)


def _may_play(session: Session, version: Version) -> bool:
    """Return False for a bot that is barred or retired, or whose bundle is gone."""
    if version.bot.barred or version.bot.state is model.BotState.RETIRED:
        return False
    starts = select(Version.id).where(Version.id == version.id, can_start())
    return version.package is None or session.scalar(starts) is not None


def _player(version: Version) -> Player:
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
        version.bundle,
        version.runtime,
    )
