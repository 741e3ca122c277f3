"""A bot that tells another version at a match than the one that was submitted."""

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder.bots import own, versions
from ladder.bots.availability import other_version
from ladder.errors import Stale
from ladder.matches import debts, misses
from ladder.model import Debt, Match
from referee.errors import OtherVersion, Unreachable
from tests.ladder.bots.authors import (
    active,
    author,
    house_bot,
    newest_claim,
    notices,
    playing,
    start_cup,
    state,
    submitted,
)
from tests.ladder.databases import on_sqlite
from tests.ladder.league import match_ids, states


def mismatch(session: Session, bot_id: int, said: str = "9") -> None:
    """The bot says at its newest match that it is another version. Committed."""
    claim = newest_claim(session)
    seat = [player.bot_id for player in claim.players].index(bot_id)
    other_version(session, claim, seat=seat, why=f"it is {said}.", said=said)
    session.commit()
    with pytest.raises(Stale):
        other_version(session, claim, seat=seat, why="again.", said=said)
    session.rollback()


@on_sqlite
def test_another_version_suspends_the_active_one(session: Session) -> None:
    ana = author(session)
    made = active(session, ana)
    start_cup(session, made.bot_id, house_bot(session))
    mismatch(session, made.bot_id)
    assert playing(session, made.bot_id).conduct == "suspended"
    assert own.bot(session, ana, made.bot_id).state == "paused", "so its author sees it"
    session.commit()
    assert states(session) == ["queued", "queued"]  # in a tournament it counts as unreachable
    assert "The bot reports version 9, but version 1 is active." in notices(session, ana)[0]


@on_sqlite
def test_a_challenge_is_cancelled_then(session: Session) -> None:
    made = active(session, author(session))
    start_cup(session, made.bot_id, house_bot(session))
    last = session.get_one(Match, match_ids(session)[-1])
    last.tournament_id, last.kind = None, "challenge"
    session.commit()
    mismatch(session, made.bot_id)
    assert states(session) == ["queued", "cancelled"]
    assert session.get_one(Match, last.id).reason == "zorro 1 did not play: it is 9."


def test_a_version_that_is_being_checked_pauses_nothing(session: Session) -> None:
    ana = author(session)
    made = active(session, ana)
    start_cup(session, made.bot_id, house_bot(session))
    submitted(session, ana, version="2")
    mismatch(session, made.bot_id, said="2")
    assert playing(session, made.bot_id).conduct == "good"


@on_sqlite
def test_until_it_plays_the_bot_is_offline_and_owes_its_ladder_matches(session: Session) -> None:
    ana = author(session)
    made = active(session, ana)
    start_cup(session, made.bot_id, house_bot(session))
    session.execute(update(Match).values(tournament_id=None, kind="ladder"))
    submitted(session, ana, version="2")
    mismatch(session, made.bot_id, said="2")
    assert playing(session, made.bot_id).offline_since is not None
    debts.tend(session)
    misses.withdraw(session)
    session.commit()
    assert states(session) == ["queued", "queued"]
    assert len(session.scalars(select(Debt)).all()) == 2


@on_sqlite
def test_nor_does_a_tournaments_old_version(session: Session) -> None:
    ana = author(session)
    made = active(session, ana)
    start_cup(session, made.bot_id, house_bot(session))
    second = submitted(session, ana, version="2")
    versions.take_over(session, second.version_id)
    session.commit()
    mismatch(session, made.bot_id, said="2")
    assert playing(session, made.bot_id).conduct == "good"
    assert state(session, made.version_id) == "superseded"


def test_the_referees_error_is_one_of_reach() -> None:
    error = OtherVersion(2, "it says so.", "9")
    assert isinstance(error, Unreachable)
    assert (error.seat, error.why, error.version) == (2, "it says so.", "9")
