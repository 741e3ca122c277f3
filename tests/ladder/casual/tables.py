"""Casual games for tests: open tables, people who choose, bots that a worker calls."""

import asyncio
from random import Random

from sqlalchemy.orm import Session

from ladder.bots.hosts import Hosts
from ladder.casual import answering, opening, playing, record
from ladder.casual.answering import ANSWERS
from ladder.casual.opening import Wish
from ladder.jobs import attempts
from ladder.model import CasualGame, CasualPace, CasualState, write
from tests.ladder.league import NO_HOSTS
from tests.referee.games import DrawingBot

LEASE = 60.0


class HouseBot(DrawingBot):
    """A bot that says the version under which `house_bot` registers it."""

    version = "1"


def friends(
    session: Session, count: int = 2, pace: CasualPace = CasualPace.NONE, bots: tuple[int, ...] = ()
) -> CasualGame:
    """A game that so many people, and these bots, have begun; committed."""
    wished = (*(None for _ in range(count - 1)), *bots)
    game = opening.open_game(session, Wish(wished, pace))
    for seat in game.table:
        if seat.key is not None:
            opening.accept(session, seat.key, bytes([seat.seat]))
    game.start_up_ms = 60_000  # a busy machine starts hosted bots slowly
    session.commit()
    return game


def legal(game: CasualGame) -> list[str]:
    """The moves of the decision that is open."""
    played = record.rebuilt(record.stored(game))
    played.run_to_decision()
    return played.position.legal_texts()


def choose(session: Session, game: CasualGame, move: str | None = None) -> None:
    """Have the person who is asked choose, by chance unless a move is given; committed."""
    game_id = game.id
    session.commit()  # what was read may be old by now
    write(session)
    at = playing.locked(session, game_id)
    assert at.deciding is not None
    chosen = move or Random(at.decisions).choice(legal(at))
    playing.choose(session, at, at.table[at.deciding], at.decisions, chosen)
    session.commit()


def to_other_drive(session: Session, game: CasualGame) -> int:
    """Play until somebody has to drive who did not move last; return that person's seat."""
    last = game.deciding
    while game.deciding == last or not legal(game)[0].startswith("drive"):
        last = game.deciding
        choose(session, game)
    assert game.deciding is not None
    return game.deciding


def answer(session: Session, game: CasualGame) -> None:
    """Do the job by which bots answer, if there is one; committed."""
    asyncio.run(answered(session, game))


async def answered(session: Session, game: CasualGame, hosts: Hosts = NO_HOSTS) -> None:
    """Do the job by which bots answer, if there is one; committed."""
    claim = attempts.claim(session, ANSWERS, game.id, "tester", lease=LEASE)
    session.commit()
    if claim is not None:
        settle = await answering.answer(claim, hosts=hosts)
        settle(session, claim)
        session.commit()


def play(session: Session, game: CasualGame) -> None:
    """Play a game to its end, by chance."""
    while game.state is CasualState.PLAYING:
        if asks_person(game):
            _choose_on(session, game)
        else:
            answer(session, game)


def asks_person(game: CasualGame) -> bool:
    """Whether somebody has to choose who is no bot."""
    return game.deciding is not None and not game.table[game.deciding].is_bot


def _choose_on(session: Session, game: CasualGame) -> None:
    """Have people choose until it is a bot's turn, without rebuilding the game for each; committed.

    What the site does for each choice is `choose`, most of whose cost is to play the game again.
    """
    game_id = game.id
    session.commit()  # what was read may be old by now
    write(session)
    at = playing.locked(session, game_id)
    played = record.rebuilt(record.stored(at))
    played.run_to_decision()
    while at.state is CasualState.PLAYING and asks_person(at):
        played.choose(Random(at.decisions).choice(played.position.legal_moves), 0.0)
        playing.go_on(session, at, played)
    session.commit()
