import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder import matches, tournaments
from ladder.database.models import Deal, Match
from ladder.errors import NotFound, Refused, Stale
from ladder.matches import Kind
from ladder.tournaments import Progress, Tournament
from referee.clock import Clock
from tests.ladder.league import (
    claimed,
    finished,
    match_ids,
    ranked,
    register_bots,
    start_tournament,
)


def create(session: Session, *, seats: int = 3, count: int = 4, seed: int | None = 7) -> Tournament:
    made = tournaments.create(
        session,
        name="Copa",
        seats=seats,
        bot_ids=register_bots(session, count),
        deals=4,
        clock=Clock(1.5, 30, 0.25, 2.5),
        seed=seed,
    )
    session.commit()
    return made


def test_all_matches_are_rows_before_the_first_is_played(session: Session) -> None:
    made = create(session)
    assert (made.state, made.total, made.settled, made.finished) == ("created", 24, 0, 0)
    assert tournaments.progress(session, made.id) == Progress(24, 24, 0, 0, 0, 0)
    assert len(match_ids(session)) == 24


def test_a_deal_is_one_layout_in_every_rotation(session: Session) -> None:
    create(session)
    rotations = session.execute(select(Match.deal_id, Match.rotation)).all()
    deals = session.scalars(select(Deal)).all()
    assert len(deals) == len({deal.layout_seed for deal in deals}) == 8
    assert {tuple(row) for row in rotations} == {
        (deal.id, rotation) for deal in deals for rotation in range(3)
    }
    for deal in deals:
        tables = seats_of_deal(session, deal.id)
        assert [sorted(column) for column in zip(*tables, strict=True)] == [sorted(tables[0])] * 3


def test_the_clock_comes_to_every_match(session: Session) -> None:
    made = create(session)
    tournaments.start(session, made.id)
    session.commit()
    assert claimed(session, match_ids(session)[0]).clock == Clock(1.5, 30, 0.25, 2.5)


def test_the_same_seed_gives_the_same_tournament(session: Session) -> None:
    create(session, seed=7)
    create(session, seed=7)
    create(session, seed=8)
    layouts = [deal.layout_seed for deal in session.scalars(select(Deal).order_by(Deal.id))]
    assert layouts[:8] == layouts[8:16]
    assert layouts[:8] != layouts[16:]


def test_nothing_is_played_before_the_start(session: Session) -> None:
    made = create(session)
    first = match_ids(session)[0]
    session.commit()
    assert matches.due(session, Kind.TOURNAMENT, limit=99, message_age=60) == []
    session.commit()
    assert matches.claim(session, first, "worker", lease=60) is None
    session.commit()
    tournaments.start(session, made.id)
    session.commit()
    assert len(matches.due(session, Kind.TOURNAMENT, limit=99, message_age=60)) == 24
    session.commit()
    assert tournaments.tournament(session, made.id).started_at is not None


def test_a_tournament_starts_once(session: Session) -> None:
    tournament_id = start_tournament(session)
    with pytest.raises(Refused, match="is running: it can't be started now"):
        tournaments.start(session, tournament_id)


def test_cancelling_stops_what_is_not_over_and_keeps_results(session: Session) -> None:
    tournament_id = start_tournament(session, deals=2)
    first, second, *_ = match_ids(session)
    session.commit()
    finished(session, first, ranked(1, 2))
    playing = claimed(session, second)
    tournaments.cancel(session, tournament_id)
    session.commit()
    assert tournaments.progress(session, tournament_id) == Progress(4, 0, 0, 1, 0, 3)
    cancelled = tournaments.tournament(session, tournament_id)
    assert (cancelled.state, cancelled.settled, cancelled.finished) == ("cancelled", 4, 1)
    assert cancelled.finished_at is not None
    session.commit()
    with pytest.raises(Stale):
        matches.finish(session, playing, ranked(1, 2))
    session.rollback()
    assert matches.match(session, first).state == "finished"


def test_what_is_over_is_not_cancelled(session: Session) -> None:
    tournament_id = start_tournament(session)
    tournaments.cancel(session, tournament_id)
    session.commit()
    with pytest.raises(Refused, match="is cancelled: it can't be cancelled now"):
        tournaments.cancel(session, tournament_id)


def test_a_tournament_needs_enough_bots(session: Session) -> None:
    with pytest.raises(Refused, match="at least 3 bots, not 2"):
        create(session, seats=3, count=2)


def test_a_tournament_needs_bots_that_exist(session: Session) -> None:
    with pytest.raises(NotFound, match="there is no bot 98"):
        tournaments.create(session, name="x", seats=2, bot_ids=[98, 99], deals=1, clock=Clock())


def test_progress_counts_every_state(session: Session) -> None:
    tournament_id = start_tournament(session, deals=2)
    first, second, *_ = match_ids(session)
    session.commit()
    finished(session, first, ranked(1, 2))
    claimed(session, second)
    progress = tournaments.progress(session, tournament_id)
    assert progress == Progress(4, 2, 1, 1, 0, 0)
    assert not progress.over


def test_the_list_is_newest_first_and_goes_on(session: Session) -> None:
    made = [create(session, seats=2, count=2) for _ in range(5)]
    assert tournaments.page(session, limit=2) == [made[4], made[3]]
    assert tournaments.page(session, limit=2, before=made[3].id) == [made[2], made[1]]


def test_there_is_no_such_tournament(session: Session) -> None:
    for ask in (tournaments.tournament, tournaments.progress, tournaments.start):
        with pytest.raises(NotFound, match="there is no tournament 5"):
            ask(session, 5)
        session.rollback()


def seats_of_deal(session: Session, deal_id: int) -> list[tuple[int, ...]]:
    """The bots by seat in each match of a deal."""
    found = session.scalars(select(Match).where(Match.deal_id == deal_id))
    return [tuple(seat.bot_id for seat in match.table) for match in found]
