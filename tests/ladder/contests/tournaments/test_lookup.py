import pytest
from sqlalchemy.orm import Session

from ladder.contests.tournaments import lookup
from ladder.contests.tournaments.lookup import MatchCounts
from ladder.errors import NotFound
from tests.ladder.contests.tournaments.cups import create
from tests.ladder.league import claimed, finished, match_ids, ranked, start_tournament


def test_progress_counts_every_state(session: Session) -> None:
    tournament_id = start_tournament(session, deals=2)
    first, second, *_ = match_ids(session)
    session.commit()
    finished(session, first, ranked(1, 2))
    claimed(session, second)
    progress = lookup.progress(session, tournament_id)
    assert progress == MatchCounts(4, 2, 1, 1, 0, 0)
    assert not progress.over


def test_the_list_is_newest_first_and_goes_on(session: Session) -> None:
    made = [create(session, seats=2, count=2) for _ in range(5)]
    assert lookup.page(session, limit=2) == [made[4], made[3]]
    assert lookup.page(session, limit=2, before=made[3].id) == [made[2], made[1]]


def test_names_are_those_of_the_newest_and_of_the_one_that_was_chosen(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = (create(session, seats=2, count=2).id for _ in range(2))
    monkeypatch.setattr(lookup, "_NAMES", lookup._NAMES.limit(1))
    for also, found in ((None, [new]), (new, [new]), (old, [new, old]), (99, [new])):
        assert list(lookup.names(session, also)) == found


def test_there_is_no_such_tournament(session: Session) -> None:
    for ask in (lookup.tournament, lookup.progress, lookup.entries):
        with pytest.raises(NotFound, match="there is no tournament 5"):
            ask(session, 5)
        session.rollback()
