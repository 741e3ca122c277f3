"""Casual games that several processes want to change at the same instant."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder.casual import history, opening, opponents, outputs, playing
from ladder.casual.opening import Wish
from ladder.errors import NotFound, Refused
from ladder.matches.results import Written
from ladder.model import CasualGame, CasualOutput, CasualState, now
from tests.ladder.bots.authors import author
from tests.ladder.bots.test_deadlocks import meanwhile
from tests.ladder.bots.uploads import active_upload, host
from tests.ladder.casual.tables import friends, play
from tests.ladder.casual.test_casual import open_bot
from tests.ladder.casual.test_elsewhere import open_to_people
from tests.ladder.databases import on_postgresql
from tests.ladder.test_concurrency import THREADS, at_once

pytestmark = on_postgresql
Sessions = sessionmaker[Session]


@pytest.fixture
def bots(session: Session, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """Two hosted bots; the output of each is kept of its newest game alone."""
    monkeypatch.setattr(outputs, "GAMES", 1)
    host(session)
    of_authors = [(author(session, name), name) for name in ("ana", "bela")]
    made = [active_upload(session, account, name).bot_id for account, name in of_authors]
    first, second = (open_to_people(session, bot_id) for bot_id in made)
    return first, second


def keep(session: Session, game_id: int, text: bytes) -> None:
    """Keep what both bots wrote in a run of their moves, as its worker does."""
    game = playing.locked(session, game_id)
    outputs.keep(session, game, [Written(seat, text) for seat in (1, 2)])


def kept(sessions: Sessions) -> dict[int, list[bytes]]:
    with sessions() as session:
        rows = session.execute(select(CasualOutput.game_id, CasualOutput.output)).all()
    return {game: [output for own, output in rows if own == game] for game, _ in rows}


def test_two_games_of_the_same_bots_forget_the_same_old_ones(
    session: Session, sessions: Sessions, bots: tuple[int, int]
) -> None:
    old, first, second = (
        friends(session, 1, bots=order).id for order in (bots, bots, (bots[1], bots[0]))
    )
    keep(session, old, b"old")
    session.commit()
    deleting = meanwhile(
        sessions, "after", "DELETE FROM casual_outputs", lambda other: keep(other, second, b"new")
    )
    with deleting:
        keep(session, first, b"new")
        session.commit()
    assert kept(sessions)[second] == [b"new", b"new"]
    assert old not in kept(sessions)


def test_an_old_game_goes_on_while_its_output_is_forgotten(
    session: Session, sessions: Sessions, bots: tuple[int, int]
) -> None:
    old, new = (friends(session, 1, bots=bots).id for _ in range(2))
    keep(session, old, b"one")
    session.commit()
    begun = meanwhile(
        sessions, "before", "UPDATE casual_outputs", lambda other: keep(other, new, b"new")
    )
    with begun:
        keep(session, old, b" two")
        session.commit()
    # What the first bot wrote was held already, what the second one wrote was not.
    assert kept(sessions) == {old: [b"one two"], new: [b"new"] * 2}


def test_nobody_opens_a_rematch_of_a_game_that_is_being_forgotten(
    session: Session, sessions: Sessions
) -> None:
    game = friends(session)
    playing.leave(session, game, game.table[0])
    play(session, game)
    key = str(game.table[0].key)
    game.ended_at = now(session) - timedelta(days=2)
    session.commit()

    def rematch(other: Session) -> None:
        with pytest.raises(NotFound):
            opening.rematch(other, key)

    with meanwhile(sessions, "after", "UPDATE casual_games SET rematch_of", rematch):
        assert history.forget(session, timedelta(days=1)) == 1
        session.commit()
    assert session.scalars(select(CasualGame.id)).all() == []


def test_of_two_games_that_begin_at_once_a_bot_plays_the_last_that_it_may(
    session: Session, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opponents, "GAMES", 1)
    bot_id = open_bot(session, "bot.example:443")
    games = [opening.open_game(session, Wish((bot_id,))) for _ in range(2)]
    first, second = (str(game.table[0].key) for game in games)
    session.commit()

    def accept(other: Session) -> None:
        with pytest.raises(Refused, match="zorro already plays with 1 people"):
            opening.accept(other, second, b"x")
        other.rollback()

    with meanwhile(sessions, "before", "INSERT INTO jobs", accept):
        opening.accept(session, first, b"x")
        session.commit()
    session.execute(update(CasualGame).values(created_at=now(session) - opponents.LATELY))
    session.commit()
    opening.accept(session, second, b"x")
    assert games[1].state is CasualState.PLAYING, "nothing happened in the first one for long"


def test_games_opened_at_once_are_never_too_many(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "MOST_OPEN", 2)

    def attempt(_: int) -> bool:
        try:
            with sessions.begin() as session:
                opening.open_game(session, Wish((None,)))
        except Refused:
            return False
        return True

    assert sorted(at_once(attempt)) == [False] * (THREADS - 2) + [True] * 2
