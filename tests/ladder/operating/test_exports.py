"""Results in bulk and rating histories, as programs read them."""

import pytest
from sqlalchemy import event, select
from sqlalchemy.orm import Session

from ladder.errors import NotFound
from ladder.model import Version, name_given_up
from ladder.operating import exports, match_control
from ladder.operating.exports import ExportedResult
from ladder.ratings import elo
from ladder.ratings.elo import Skill
from ladder.ratings.histories import rating_entries
from tests.ladder.databases import on_sqlite
from tests.ladder.league import finished, match_ids, ranked, start_tournament
from tests.ladder.ratings.league import organiser

ADA = 1


@pytest.fixture
def played(session: Session) -> list[int]:
    """The ids of two matches of ada and bela: ada, then bela has won; the first was annulled."""
    start_tournament(session)
    ids = match_ids(session)[:2]
    session.commit()
    for match_id in ids:
        finished(session, match_id, ranked(1, 2, faults=[None, "timeout"]))
    match_control.annul(session, organiser(session), ids[0], "The clock was wrong.")
    session.commit()
    return ids


@on_sqlite
def test_results_in_order_with_their_seats(session: Session, played: list[int]) -> None:
    first, second = exports.results(session, after=0, limit=9)
    assert [first.match_id, second.match_id] == played
    assert (first.result_number, first.annulled, first.reason) == (1, True, "ships")
    assert (second.result_number, second.annulled) == (2, False)
    assert [seat.rank for seat in first.seats] == [1, 2]
    assert [seat.fault for seat in first.seats] == [None, "timeout"]
    assert first.deal_id == second.deal_id
    assert [seat.bot_id for seat in first.seats] == [seat.bot_id for seat in second.seats][::-1]


@on_sqlite
def test_versions_are_called_as_they_were_submitted(session: Session, played: list[int]) -> None:
    version = session.scalars(select(Version)).first()
    assert version is not None
    version.name = name_given_up(version.name, version.id)
    session.commit()
    rows = exports.results(session, after=0, limit=9)
    assert {seat.version for row in rows for seat in row.seats} == {"1"}


@on_sqlite
def test_ratings_can_be_checked_by_anyone(session: Session, played: list[int]) -> None:
    """By the ranks and the formula: each result goes on where the one before it ended."""
    first, second = exports.results(session, after=0, limit=9)
    for row in (first, second):
        ranks = [seat.rank or 0 for seat in row.seats]
        assert after(row) == list(elo.rate(before(row), ranks))
    assert before(first) == [elo.NEWCOMER] * 2
    assert set(before(second)) == set(after(first))


def before(row: ExportedResult) -> list[Skill]:
    return [Skill(seat.rating_before or 0, seat.deviation_before or 0) for seat in row.seats]


def after(row: ExportedResult) -> list[Skill]:
    return [Skill(seat.rating_after or 0, seat.deviation_after or 0) for seat in row.seats]


@on_sqlite
def test_what_is_not_rated_has_no_ratings(session: Session) -> None:
    start_tournament(session, rated=False)
    match_id = match_ids(session)[0]
    session.commit()
    finished(session, match_id, ranked(1, 2))
    (row,) = exports.results(session, after=0, limit=9)
    assert {(seat.rating_before, seat.rating_after) for seat in row.seats} == {(None, None)}


def test_pieces_join_without_a_gap(session: Session, played: list[int]) -> None:
    whole = exports.results(session, after=0, limit=9)
    parts = [exports.results(session, after=number, limit=1) for number in (0, 1, 2)]
    assert [row for part in parts for row in part] == whole
    files = exports.replays(session, after=1, limit=9)
    assert [(row.result_number, row.match_id, row.replay) for row in files] == [
        (2, played[1], b"replay")
    ]


@on_sqlite
@pytest.mark.usefixtures("played")
def test_a_piece_takes_as_many_statements_as_one_result(session: Session) -> None:
    asked: list[str] = []
    event.listen(session.get_bind(), "before_cursor_execute", lambda *args: asked.append(args[2]))
    for read in (exports.results, exports.replays):
        counts = []
        for limit in (1, 2):
            asked.clear()
            assert len(read(session, after=0, limit=limit)) == limit
            counts.append(len(asked))
        assert counts[0] == counts[1]


def test_a_rating_history_is_not_cut_in_two(session: Session, played: list[int]) -> None:
    """The annulment is an entry of its own, the third."""
    newest, *older = rating_entries(session, ADA, 2)
    assert (newest.kind, newest.match_id, newest.result_number) == ("annulment", played[0], 3)
    assert [entry.kind for entry in older] == ["result", "result"]
    assert older[0].after_milli == newest.before_milli
    assert rating_entries(session, ADA, 2, before=3, limit=1) == older[:1]
    assert rating_entries(session, ADA, 4) == []
    with pytest.raises(NotFound, match="there is no bot 99"):
        rating_entries(session, 99, 2)
