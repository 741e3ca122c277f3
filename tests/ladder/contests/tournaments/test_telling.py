"""What authors are told of the tournaments of their bots."""

from collections.abc import Sequence

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder.contests.cross_table import CrossTable, cross_table
from ladder.contests.formats import Format
from ladder.contests.tournaments import lifecycle
from ladder.model import Bot, Match, MatchState, Notice, Seat, User
from ladder.operating import match_control
from tests.ladder.contests.tournaments.cups import create, play_round, running_cup
from tests.ladder.databases import on_sqlite


def told(session: Session) -> list[tuple[int | None, str]]:
    found = session.execute(select(Notice.bot_id, Notice.sentence).order_by(Notice.id))
    return [(bot_id, sentence) for bot_id, sentence in found]


def of_ada_and_bela(session: Session) -> Sequence[int]:
    """The first two of their matches against each other."""
    of_both = select(Seat.match_id).where(Seat.bot_id.in_((1, 2))).group_by(Seat.match_id)
    query = of_both.having(func.count() == 2).order_by(Seat.match_id)
    return session.scalars(query.limit(2)).all()


@on_sqlite
def test_when_it_begins_and_when_it_is_over_with_the_rank(session: Session) -> None:
    made = create(session, seats=2, count=3, deals=1)
    assert told(session) == []
    lifecycle.start(session, made.id)
    session.commit()
    begun = [
        (number, f"The tournament Copa has begun: {bot} plays in it.")
        for number, bot in enumerate(("ada", "bela", "caro"), 1)
    ]
    assert told(session) == begun
    play_round(session, made.id, strength={1: 1, 2: 3, 3: 1})
    assert told(session) == [
        *begun,
        (1, "The tournament Copa is over: ada has rank 2 of 3."),
        (2, "The tournament Copa is over: bela has rank 1 of 3."),
        (3, "The tournament Copa is over: caro has rank 2 of 3."),
    ]


@on_sqlite
def test_a_round_is_not_the_end(session: Session) -> None:
    cup = running_cup(session, format=Format.SWISS, count=4, rounds=2)
    play_round(session, cup)
    assert not [sentence for _, sentence in told(session) if "is over" in sentence]
    play_round(session, cup)
    assert len([sentence for _, sentence in told(session) if "is over" in sentence]) == 4


def test_an_annulment_after_the_end_tells_the_ranks_that_change(session: Session) -> None:
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=3)
    play_round(session, cup, strength={1: 1, 2: 3, 3: 1})
    before, (lost, other) = told(session), of_ada_and_bela(session)
    match_control.annul(session, None, lost, "The host stood still.")
    sentence = f"Match {lost} of the tournament Copa was annulled: caro has rank 3 of 3 now."
    assert told(session) == [*before, (3, sentence)]
    match_control.annul(session, None, other, "The host stood still.")
    assert told(session) == [*before, (3, sentence)], "ada is ahead still"


def test_ranks_that_another_annulment_changes_meanwhile_are_told_once(
    session: Session, sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ranks are computed before the ledger is locked."""
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=3)
    play_round(session, cup, strength={1: 1, 2: 3, 3: 1})
    before, (lost, other) = told(session), of_ada_and_bela(session)
    session.commit()

    def compute(session: Session, tournament_id: int, **without: int) -> CrossTable:
        monkeypatch.undo()
        found = cross_table(session, tournament_id, **without)
        with sessions.begin() as another:
            match_control.annul(another, None, lost, "The host stood still.")
        return found

    monkeypatch.setattr(lifecycle, "cross_table", compute)
    match_control.annul(session, None, other, "The host stood still.")
    session.commit()
    sentence = f"Match {lost} of the tournament Copa was annulled: caro has rank 3 of 3 now."
    assert told(session) == [*before, (3, sentence)], "ada is ahead still"


@on_sqlite
def test_an_annulment_before_the_end_tells_nothing(session: Session) -> None:
    cup = running_cup(session, format=Format.SWISS, count=4, rounds=2)
    play_round(session, cup)
    before = told(session)
    played = select(Match.id).where(Match.state == MatchState.FINISHED).order_by(Match.id)
    match_control.annul(session, None, session.scalars(played).all()[0], "The host stood still.")
    assert told(session) == before


def test_when_it_is_cancelled(session: Session) -> None:
    lifecycle.cancel(session, create(session, seats=2, count=2, deals=1).id)
    assert told(session) == []
    begun = create(session, seats=2, bot_ids=[1, 2], deals=1)
    lifecycle.start(session, begun.id)
    lifecycle.cancel(session, begun.id)
    assert told(session)[2:] == [
        (1, "The tournament Copa, in which ada played, was cancelled."),
        (2, "The tournament Copa, in which bela played, was cancelled."),
    ]


def test_nobody_reads_notices_for_house_bots_and_accounts_that_are_gone(session: Session) -> None:
    made = create(session, seats=2, count=2, deals=1)
    session.execute(update(Bot).where(Bot.id == 1).values(house=True))
    session.commit()
    lifecycle.start(session, made.id)
    assert [bot for bot, _ in told(session)] == [2]
    session.execute(update(User).values(deleted_at=User.created_at))
    session.commit()
    lifecycle.cancel(session, made.id)
    assert len(told(session)) == 1
