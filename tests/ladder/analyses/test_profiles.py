"""Profiles of bots: what analyses say of each seat, kept when they are stored."""

from collections import Counter

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ladder.analyses import profiles, queue
from ladder.analyses.engine import Analysed
from ladder.analyses.job import ANALYSES
from ladder.jobs import attempts
from ladder.model import AnalysisSeat, Seat
from referee.analysis import GameAnalysis, Mark, pack, summaries
from referee.engine import VERSION
from tests.ladder.databases import on_sqlite
from tests.ladder.league import LEASE
from tests.referee.analysis.games import analysis_of
from tests.web.arena import play_next, register, tournament


@pytest.fixture
def bots(session: Session) -> list[int]:
    """Two bots, by the seats that they have in the first match, which is analysed."""
    cup = tournament(session, register(session, ["ana", "luz"]), deals=2)
    match_id = play_next(session, cup)
    settle(session, match_id, analysis_of("two"))
    query = select(Seat.bot_id).where(Seat.match_id == match_id).order_by(Seat.seat)
    return list(session.scalars(query))


def settle(session: Session, match_id: int, analysis: GameAnalysis) -> None:
    """Have an analysis stored as a worker does; committed."""
    queue.ask(session, match_id)
    session.commit()
    claim = attempts.claim(session, ANALYSES, match_id, "tester", lease=LEASE)
    session.commit()
    assert claim is not None
    ANALYSES.finish(session, claim, Analysed(VERSION, 2, pack(analysis)))
    session.commit()


@on_sqlite
def test_a_profile_is_what_the_analysis_says_of_the_seat(session: Session, bots: list[int]) -> None:
    for bot_id, seat in zip(bots, summaries(analysis_of("two")), strict=True):
        found = profiles.profile(session, bot_id)
        assert found is not None
        assert found.games == 1
        assert found.all.decisions == seat.all.decisions
        assert found.all.loss == pytest.approx(seat.all.loss)
        assert found.by_kind.keys() == seat.by_kind.keys()
        assert found.by_phase.keys() == seat.by_phase.keys()
        assert found.luck == pytest.approx(seat.luck)
        assert Counter(found.marks) == Counter(seat.marks)


def test_games_add_up_and_an_analysis_anew_replaces_the_old_one(
    session: Session, bots: list[int]
) -> None:
    first = profiles.profile(session, bots[0])
    profiles.keep(session, 1, analysis_of("two"))
    session.commit()
    assert profiles.profile(session, bots[0]) == first
    settle(session, play_next(session, 1), analysis_of("two"))
    assert session.scalar(select(func.count()).select_from(AnalysisSeat)) == 4
    both = [profiles.profile(session, bot_id) for bot_id in bots]
    assert [one.games for one in both if one] == [2, 2]
    everybody = profiles.typical(session)
    assert everybody is not None
    assert everybody.games == 4
    assert everybody.all.loss == pytest.approx(sum(one.all.loss for one in both if one))


@on_sqlite
def test_the_most_instructive_moments_are_the_costliest(session: Session, bots: list[int]) -> None:
    for bot_id, seat in zip(bots, range(2), strict=True):
        found = profiles.profile(session, bot_id)
        assert found is not None
        own = [one for one in analysis_of("two").decisions if one.seat == seat]
        worst = max(own, key=lambda one: one.cost)
        if worst.mark not in (Mark.CLEAR, Mark.BIG):
            assert found.lessons == ()
            continue
        (lesson,) = found.lessons  # one of a game
        assert lesson.moment == worst.moment
        assert lesson.cost == pytest.approx(worst.cost)
        assert lesson.better != lesson.played


def test_who_was_never_analysed_has_no_profile(session: Session) -> None:
    assert profiles.typical(session) is None
    assert profiles.profile(session, register(session, ["sol"])[0]) is None
