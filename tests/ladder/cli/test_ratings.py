"""`santiago ratings` on the database of a folder."""

from pathlib import Path

import pytest
from sqlalchemy import select, update

from ladder.cli import ratings
from ladder.model import Bot, LadderPlace, Ledger, Match, Seat, SeatTally, now
from ladder.operating import match_control
from ladder.ratings import elo, rebuilding
from tests.ladder.cli.terminal import run, succeeds
from tests.ladder.databases import new_ladder, session_on
from tests.ladder.league import finished, match_ids, ranked, start_tournament
from tests.ladder.ratings.league import organiser
from tests.ladder.ratings.test_collusion import meet


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The folder of a ladder with two results, one of them annulled."""
    url = new_ladder(tmp_path / "ladder.db")
    with session_on(url) as session:
        start_tournament(session)
        first, second = match_ids(session)
        session.commit()
        finished(session, first, ranked(1, 2))
        finished(session, second, ranked(1, 2))
        match_control.annul(session, organiser(session), second, "reason")
        session.commit()
    return tmp_path


def spoil(data: Path) -> None:
    with session_on(f"sqlite:///{data}/ladder.db") as session:
        session.execute(update(LadderPlace).where(LadderPlace.bot_id == 1).values(wins=99))
        session.commit()


def test_nothing_differs_and_annulments_show(data: Path) -> None:
    told = succeeds("ratings", "rebuild", "--check", "--data", str(data))
    assert "2 results and 1 other entries folded." in told
    assert "Nothing differs" in told
    assert "2 seats, ada 1: " in told
    assert "2 seats, bela 1: " in told


def test_a_difference_is_told_and_mended(data: Path) -> None:
    spoil(data)
    where = ("--data", str(data))
    checked = run("ratings", "rebuild", "--check", *where)
    assert checked.exit_code == 1
    assert "'wins': 99" in checked.stdout
    assert "Rows mended: 1." in succeeds("ratings", "rebuild", *where)
    assert "Nothing differs" in succeeds("ratings", "rebuild", "--check", *where)


def test_what_differs_and_is_not_all_mended_is_told_in_short(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with session_on(f"sqlite:///{data}/ladder.db") as session:
        session.execute(update(SeatTally).where(SeatTally.seat == 1).values(games=99))
        session.commit()
    monkeypatch.setattr(ratings, "_SHOWN", 0)
    monkeypatch.setattr(rebuilding, "_ROUNDS", 1)
    told = succeeds("ratings", "rebuild", "--data", str(data)).splitlines()
    assert told[1:3] == [
        "... and 1 more.",
        "Not all of it is mended yet: the scheduler goes on, or run this once more.",
    ]
    assert "Nothing differs" in succeeds("ratings", "rebuild", "--data", str(data))
    with session_on(f"sqlite:///{data}/ladder.db") as session:
        assert not rebuilding.is_outdated(session)


def test_a_mark_of_annulment_without_an_entry_is_told(data: Path) -> None:
    with session_on(f"sqlite:///{data}/ladder.db") as session:
        first, _ = match_ids(session)
        session.execute(update(Match).where(Match.id == first).values(annulled_at=now(session)))
        session.commit()
    wrong = f"Match {first}: marked as annulled, or entered as such, but not both."
    for words in ((), ("--check",)):
        told = run("ratings", "rebuild", *words, "--data", str(data))
        assert told.exit_code == 1
        assert wrong in told.stdout
        assert "Nothing differs" not in told.stdout


def test_ratings_of_an_older_rule_are_folded_anew(data: Path) -> None:
    spoil(data)
    with session_on(f"sqlite:///{data}/ladder.db") as session:
        session.execute(update(Ledger).values(rule=0))
        session.commit()
    assert "Nothing differs" in succeeds("ratings", "rebuild", "--data", str(data))
    with session_on(f"sqlite:///{data}/ladder.db") as session:
        assert session.scalar(select(Ledger.rule)) == elo.RULE


def test_ratings_of_an_older_rule_are_no_damage(data: Path) -> None:
    """As in a back-up of the release before, whose tables are of today by now."""
    spoil(data)
    with session_on(f"sqlite:///{data}/ladder.db") as session:
        session.execute(update(Ledger).values(rule=elo.RULE - 1))
        session.commit()
    checked = run("ratings", "rebuild", "--check", "--data", str(data))
    assert checked.exit_code == 1
    assert "Rows that do not follow today's rule of rating yet: 1. The scheduler" in checked.stdout
    assert "should be" not in checked.stdout


def test_fairness_is_told_in_tables(data: Path) -> None:
    told = succeeds("ratings", "fairness", "--data", str(data))
    for heading in (
        "Tables of 2\n",  # where most games were played
        "Wins by seat",
        "Games per bot",
        "Workers",
        "The pairs whose results differ most",
    ):
        assert heading in told
    assert "tester" in told
    assert "No match of the ladder has been finished yet." in told
    assert "Wins behind a bot" in succeeds("ratings", "fairness", "--seats=3", "--data", str(data))


def test_fairness_tells_what_went_wrong_on_a_ladder(data: Path) -> None:
    """Each row of the tables, on a ladder whose matches were missed and interrupted."""
    with session_on(f"sqlite:///{data}/ladder.db") as session:
        meet(session, deals=10)
        when = {"started_at": Match.created_at, "kind": "ladder", "tournament_id": None}
        session.execute(update(Match).values(interruptions=2, **when))
        session.execute(update(Seat).where(Seat.bot_id == 2).values(misses=1))
        placed = {"games": 10, "deviation_milli": 40_000, "rating_milli": 30_000}
        session.execute(update(LadderPlace).values(**placed))
        session.commit()
    told = succeeds("ratings", "fairness", "--seats=2", "--data", str(data))
    lines = [" ".join(line.split()) for line in told.splitlines()]
    for row in (
        "bela 102 102 0 0",
        "ada 102 102 204 204.0",
        "ada bela 2 0.5 1.0 +3.2 +7.2 +7.4 yes",
        "Elo and the strength by all games are 30 points apart (root mean square); of 2 bots with "
        "a rank, 2 have a strength within twice the ± of their Elo.",
        "The newest 302 matches of the ladder waited 0.0 s in the median; 95 % of them at most "
        "0.0 s.",
    ):
        assert row in lines
    heading = next(line for line in told.splitlines() if "helped by" in line)
    helper = next(line for line in told.splitlines() if line.split()[-1:] == ["yes"])
    assert heading.index("helped by") == helper.index("bela"), "names stand on the left"


def test_a_name_is_shown_whole_and_as_it_is(data: Path) -> None:
    names = ["ada [/x]", "of-the-young-and-the-old-of-santiago" * 2]
    with session_on(f"sqlite:///{data}/ladder.db") as session:
        for bot_id, name in enumerate(names, 1):
            session.execute(update(Bot).where(Bot.id == bot_id).values(name=name))
        session.commit()
    told = succeeds("ratings", "fairness", "--data", str(data))
    assert all(name in told for name in names)
