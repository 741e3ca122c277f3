"""What an author may read of his bots, and nobody else."""

import pytest
from sqlalchemy.orm import Session

from ladder.bots import logs, own
from ladder.bots.own import RECENT
from ladder.errors import NotFound
from ladder.matches import results
from ladder.matches.results import Result, SeatResult
from ladder.operating import match_control
from ladder.playing import result
from referee.fault_reports import fault_reports
from tests.ladder.bots.authors import (
    BAD,
    GOOD,
    active,
    author,
    checked,
    house_bot,
    more_versions,
    start_cup,
    submitted,
)
from tests.ladder.databases import on_sqlite
from tests.ladder.league import claimed, match_ids
from tests.ladder.ratings.league import organiser
from tests.referee.games import DrawingBot, FaultyBot, local_game


def finish_with_a_fault(session: Session, match_id: int, bot_id: int) -> None:
    """This bot hung up, so the other one has won; committed."""
    claim = claimed(session, match_id)
    seat = [player.bot_id for player in claim.players].index(bot_id)
    faulted = SeatResult(2, None, "closed", "It hung up.", "\\x00abc", 12, 340, 99)
    other = SeatResult(1, None, None, None, None, 11, 22, 3)
    seats = (faulted, other) if seat == 0 else (other, faulted)
    results.finish(session, claim, Result(seats, "forfeit", b"replay"))
    session.commit()


def test_times_and_faults_of_each_match(session: Session) -> None:
    ana = author(session)
    made = active(session, ana)
    start_cup(session, made.bot_id, house_bot(session))
    for match_id in match_ids(session):
        session.commit()
        finish_with_a_fault(session, match_id, made.bot_id)
    page = logs.log(session, ana, made.bot_id, limit=1)
    (entry,) = page.entries
    assert (entry.match_id, entry.kind, entry.state) == (2, "tournament", "finished")
    assert (entry.version, entry.rank, entry.vp, entry.rated) == ("1", 2, None, True)
    assert (entry.fault, entry.fault_sentence, entry.received) == (
        "closed",
        "It hung up.",
        "\\x00abc",
    )
    assert (entry.decisions, entry.think_ms, entry.longest_ms) == (12, 340, 99)
    assert [name.partition(" v")[0] for name in entry.opponents] == ["random"]
    assert page.next_before == 2
    last = logs.log(session, ana, made.bot_id, before=2, limit=1)
    assert [entry.match_id for entry in last.entries] == [1]
    assert last.next_before is None
    assert len(logs.log(session, ana, made.bot_id, faults_only=True).entries) == 2


def test_bots_at_a_glance(session: Session) -> None:
    ana = author(session)
    made, other, idle = active(session, ana).bot_id, house_bot(session), house_bot(session, "new")
    start_cup(session, made, other)
    first, second = match_ids(session)
    session.commit()
    finish_with_a_fault(session, first, made)
    found = logs.glances(session, [made, other, idle])
    (mine,), (theirs,) = found[made].results, found[other].results
    assert (mine.match_id, mine.own.rank, mine.best, mine.sentence, mine.faulted) == (
        first,
        2,
        theirs.own,
        "It hung up.",
        True,
    )
    assert (theirs.match_id, theirs.best, theirs.sentence, theirs.faulted) == (
        mine.match_id,
        mine.own,
        None,
        False,
    )
    assert (found[made].open, found[idle].open) == ({"tournament": 1}, {})
    assert [place.seats for place in found[made].places] == [2]
    assert len(found[made].trends[2]) == 1
    assert found[idle] == logs.Glance((), {}, (), {}, more=False)
    finish_with_a_fault(session, second, other)
    (newer, older) = logs.glances(session, [other])[other].results
    assert (newer.match_id, older.match_id) == (second, first)
    assert [one.match_id for one in logs.glances(session, [made])[made].results] == [first, second]
    match_control.annul(session, organiser(session), first, "a wrong clock")
    newer, older = logs.glances(session, [made])[made].results
    assert [newer.match_id, older.match_id] == [second, first], "its fault comes first no more"
    assert (newer.annulled, older.annulled) == (False, True)


@pytest.mark.parametrize("most", [2, 3])
def test_a_glance_says_if_more_matches_wait_than_it_counts(
    session: Session, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(logs, "_MOST_OPEN", most)
    made, other = active(session, author(session)).bot_id, house_bot(session)
    start_cup(session, made, other)
    glance = logs.glances(session, [made])[made]
    assert (glance.open, glance.more) == ({"tournament": 2}, most == 2)
    outside = house_bot(session, "new")
    glance = logs.glances(session, [outside])[outside]
    assert (glance.open, glance.more) == ({}, most == 2)


def test_what_is_not_over_is_not_in_it(session: Session) -> None:
    ana = author(session)
    made = active(session, ana)
    start_cup(session, made.bot_id, house_bot(session))
    assert logs.log(session, ana, made.bot_id).entries == ()


def test_private_logs_cannot_be_told_from_those_that_are_not_there(session: Session) -> None:
    ana, luz = author(session), author(session, "luz")
    made = active(session, ana)
    answers = []
    for bot_id in (made.bot_id, 4711):
        for read in (logs.log, own.bot):
            with pytest.raises(NotFound) as raised:
                read(session, luz, bot_id)
            answers.append(str(raised.value).replace(str(bot_id), "N"))
    assert set(answers) == {"you have no bot N"}
    assert own.bots(session, luz, limit=9) == ()


@on_sqlite
def test_an_own_bot_with_its_versions_and_reports(session: Session) -> None:
    house_bot(session)
    ana = author(session)
    first = submitted(session, ana)
    checked(session, first.version_id, BAD)
    second = submitted(session, ana, version="2")
    checked(session, second.version_id, GOOD)
    bot = own.bot(session, ana, second.bot_id)
    assert [version.state for version in bot.versions] == ["trial", "rejected"]
    trial, rejected = bot.versions
    assert (trial.report, trial.trial, trial.under_validation) == (
        GOOD,
        match_ids(session)[0],
        True,
    )
    assert (rejected.report, rejected.trial, rejected.under_validation) == (BAD, None, False)
    assert rejected.reason == "The check accept failed: It hung up."
    assert bot.active is None
    assert not bot.behind_gateway
    assert own.version(session, ana, bot.id, first.version_id) == rejected
    with pytest.raises(NotFound, match="has no version 99"):
        own.version(session, ana, bot.id, 99)


def test_many_versions_come_page_by_page(session: Session) -> None:
    ana = author(session)
    first = active(session, ana)
    more_versions(session, first.bot_id, 2 * RECENT)
    bot = own.bot(session, ana, first.bot_id)
    assert [version.name for version in bot.versions] == [
        *(str(number) for number in range(2 * RECENT + 1, RECENT + 1, -1)),
        "1",
    ]
    assert bot.active is not None
    assert bot.active.id == first.version_id
    (short,) = own.bots(session, ana, limit=9)
    assert [version.name for version in short.versions] == [str(2 * RECENT + 1), "1"]
    page = own.versions(session, ana, bot.id, limit=15)
    assert page.versions[:RECENT] == bot.versions[:RECENT]
    last = own.versions(session, ana, bot.id, before=page.next_before, limit=15)
    assert len(page.versions) + len(last.versions) == 2 * RECENT + 1
    assert (last.versions[-1], last.next_before) == (bot.active, None)
    with pytest.raises(NotFound):
        own.versions(session, author(session, "luz"), bot.id)


def test_no_secret_is_shown(session: Session) -> None:
    ana = author(session)
    made = submitted(session, ana)
    assert "secret" not in repr(own.bot(session, ana, made.bot_id))


def test_a_fault_is_told_from_the_replay(session: Session) -> None:
    ana = author(session)
    made = active(session, ana)
    others = house_bot(session, "good"), house_bot(session, "faulty")
    start_cup(session, made.bot_id, *others, seats=3)
    expected = []
    for match_id in match_ids(session):
        claim = claimed(session, match_id)
        seats = [player.bot_id for player in claim.players]
        played = local_game([DrawingBot if bot == others[0] else FaultyBot for bot in seats])
        results.finish(session, claim, result(played))
        session.commit()
        reports = {report.seat: report for report in fault_reports(played)}
        assert len(reports) == 2, "of its own fault, not of the other's"
        expected.append(reports[seats.index(made.bot_id)])
    found = [one.fault_report for one in logs.log(session, ana, made.bot_id).entries]
    assert found == expected[::-1]
    assert expected[0].decision_id
    assert expected[0].legal


@on_sqlite
def test_a_replay_that_cannot_be_read_has_no_report(session: Session) -> None:
    ana = author(session)
    made = active(session, ana)
    start_cup(session, made.bot_id, house_bot(session))
    session.commit()
    claim = claimed(session, match_ids(session)[0])
    seats = (SeatResult(1, 3), SeatResult(2, None, "closed", "It hung up."))
    mine = [player.bot_id for player in claim.players].index(made.bot_id)
    results.finish(session, claim, Result(seats if mine else seats[::-1], "forfeit", b"rum"))
    session.commit()
    (entry,) = logs.log(session, ana, made.bot_id).entries
    assert (entry.fault, entry.fault_report) == ("closed", None)
