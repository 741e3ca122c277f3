"""A bot stays away: all else is played first, then its matches are given up, deal by deal."""

from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest
from sqlalchemy import event, select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.bots import bans, reach
from ladder.contests.cross_table import cross_table
from ladder.contests.formats import Format
from ladder.contests.tournaments import correcting, forfeits, lifecycle, lookup, rounds, waiting
from ladder.errors import Forbidden, NotFound, Refused
from ladder.jobs import attempts, workers
from ladder.matches import misses, results, tables
from ladder.matches.job import MATCHES
from ladder.matches.misses import MissedCall
from ladder.model import (
    Bot,
    BotState,
    Deal,
    Match,
    MatchState,
    Notice,
    NoticeTone,
    Seat,
    Tournament,
    Version,
    move_bot,
    now,
)
from ladder.people.accounts import Account
from ladder.ratings import ledger
from tests.ladder.bots.uploads import drain, host as a_host
from tests.ladder.contests.tournaments.cups import (
    come_back,
    create,
    entrants,
    go_away,
    gone_on,
    play,
    play_round,
    queued,
    running_cup,
    seats_of,
)
from tests.ladder.databases import on_sqlite
from tests.ladder.league import claimed, host, ranked, register_bots, set_job
from tests.ladder.ledgers import check_ledger


@pytest.fixture
def cup(session: Session) -> int:
    """A round robin of four bots at tables of two, in which nobody is waited for."""
    made = running_cup(session, format=Format.ROUND_ROBIN, count=4)
    hurry(session)
    return made


def hurry(session: Session) -> None:
    session.execute(update(Tournament).values(grace_ms=0))
    session.commit()


def of(session: Session, cup: int, *bots: int) -> list[int]:
    """The matches that wait, at whose tables one of these bots sits."""
    own = select(Seat.match_id).where(Seat.bot_id.in_(bots))
    found = [match_id for match_id in queued(session, cup) if match_id in session.scalars(own)]
    return sorted(found)


def decided(session: Session) -> list[int]:
    found = forfeits.decide(session)
    session.commit()
    return found


def look(session: Session) -> int:
    """Look for all that are to be looked for, in vain; how many these were."""
    count = 0
    while (found := reach.look(session)) is not None:
        reach.still_away(session, found.version_id)
        session.commit()
        count += 1
    session.commit()
    return count


def refuse(session: Session, match_id: int, bot: int) -> None:
    """Let a bot decline a match, and offer itself again at once."""
    set_job(session, match_id, not_before=None)
    claim = claimed(session, match_id)
    seat = [player.bot_id for player in claim.players].index(bot)
    misses.not_accepted(session, claim, seat, MissedCall("It is busy.", answered=True))
    come_back(session, bot)


@on_sqlite
def test_all_other_matches_are_played_first(session: Session, cup: int) -> None:
    """A bot that was killed at match 90 of 150 lost its 60 at once, while 76 others waited."""
    gone = entrants(session, cup)[0]
    go_away(session, cup, gone)
    own = of(session, cup, gone)
    others = [match_id for match_id in queued(session, cup) if match_id not in own]
    for match_id in others:
        assert decided(session) == []
        assert attempts.claim(session, MATCHES, own[0], "worker", lease=60) is None
        session.commit()
        running = claimed(session, match_id)
        assert decided(session) == []
        results.finish(session, running, ranked(1, 2))
        session.commit()
    assert queued(session, cup) == own


@on_sqlite
def test_then_it_loses_one_deal_after_the_other(session: Session, cup: int) -> None:
    gone = entrants(session, cup)[0]
    go_away(session, cup, gone)
    own = of(session, cup, gone)
    for match_id in set(queued(session, cup)) - set(own):
        play(session, match_id)
    lost: list[list[int]] = []
    while queued(session, cup):
        assert decided(session) == []  # it is looked for first
        assert look(session) == 1
        lost.append(decided(session))
    assert [len(deal) for deal in lost] == [2, 2, 2]
    assert sorted(match_id for deal in lost for match_id in deal) == own
    assert gone_on(session, cup).state == "finished"
    row = cross_table(session, cup).rows[-1]
    assert (row.bot_id, row.points, row.absences) == (gone, 0.0, 6)


@on_sqlite
def test_results_from_before_the_clock_was_set_back_hold_it_up_no_longer(
    session: Session, cup: int
) -> None:
    gone = entrants(session, cup)[0]
    go_away(session, cup, gone)
    for match_id in set(queued(session, cup)) - set(of(session, cup, gone)):
        play(session, match_id)
    later = model.now(session) + timedelta(hours=1)
    session.execute(update(Match).where(Match.finished_at.is_not(None)).values(finished_at=later))
    session.commit()
    assert decided(session)


@on_sqlite
def test_a_bot_that_comes_back_plays_what_is_left(session: Session, cup: int) -> None:
    gone = entrants(session, cup)[0]
    go_away(session, cup, gone)
    for match_id in set(queued(session, cup)) - set(of(session, cup, gone)):
        play(session, match_id)
    assert decided(session) == []
    look(session)
    assert len(decided(session)) == 2
    assert decided(session) == []
    come_back(session, gone)  # the look finds it
    assert decided(session) == []
    assert len(play_round(session, cup)) == 4


@on_sqlite
def test_a_bot_that_answers_but_refuses_each_game_is_given_up_too(
    session: Session, cup: int
) -> None:
    """As one behind the gateway can, which offers itself again at once."""
    refuser = entrants(session, cup)[0]
    own = of(session, cup, refuser)
    for match_id in set(queued(session, cup)) - set(own):
        play(session, match_id)
    for match_id in own * 8:
        assert decided(session) == []
        refuse(session, match_id, refuser)
    while queued(session, cup):
        assert len(decided(session)) == 2
    row = cross_table(session, cup).rows[-1]
    assert (row.bot_id, row.points, row.absences) == (refuser, 0.0, 6)


@on_sqlite
def test_a_bot_that_has_played_since_it_refused_is_not_missing(session: Session, cup: int) -> None:
    refuser = entrants(session, cup)[0]
    refused, *_ = of(session, cup, refuser)
    for _ in range(8):
        refuse(session, refused, refuser)
    for match_id in set(queued(session, cup)) - {refused}:
        play(session, match_id)
    version = session.scalars(select(Version).where(Version.bot_id == refuser)).one()
    reach.reached(session, [version.id])
    session.commit()
    assert decided(session) == []
    session.refresh(version)
    assert version.unreached_since is None


def test_calls_that_failed_by_our_fault_are_no_refusals(session: Session, cup: int) -> None:
    (match_id, *_) = queued(session, cup)
    claim = claimed(session, match_id)
    misses.not_accepted(session, claim, 0, MissedCall("No gateway.", ours=True))
    session.commit()
    version = session.get_one(Version, claim.players[0].version_id)
    assert (version.unreached_since, version.offline_since is None) == (None, False)
    assert set(session.scalars(select(Seat.misses).where(Seat.match_id == match_id))) == {0}


@on_sqlite
def test_before_its_grace_time_is_over_nothing_is_given_up(session: Session) -> None:
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=2)
    go_away(session, cup, entrants(session, cup)[0])
    assert decided(session) == []
    lifecycle.pause(session, cup)
    hurry(session)
    assert decided(session) == [], "while it is paused, nobody's time passes"
    lifecycle.resume(session, cup)
    session.commit()
    assert decided(session) == []
    assert look(session) == 1, "it is looked for since the end of the pause"
    assert len(decided(session)) == 2


@on_sqlite
def test_at_a_table_of_three_the_others_play(session: Session) -> None:
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=3, seats=3)
    hurry(session)
    gone, *there = entrants(session, cup)
    go_away(session, cup, gone)
    deal = queued(session, cup)
    set_job(session, not_before=session.get_one(Tournament, cup).created_at.replace(year=2100))
    assert decided(session) == deal
    assert {session.get_one(Match, match_id).state for match_id in deal} == {MatchState.QUEUED}
    for match_id in deal:
        assert decided(session) == [], "they are played first"
        claim = claimed(session, match_id)
        assert [claim.players[seat].bot_id for seat in claim.absent] == [gone]
        attempt = [(1, None), (2, None), (3, "absent")]
        order = {bot: attempt[n] for n, bot in enumerate((*there, gone))}
        seats = [order[player.bot_id] for player in claim.players]
        result = ranked(*(rank for rank, _ in seats), faults=[fault for _, fault in seats])
        results.finish(session, claim, result)
        session.commit()
    rows = cross_table(session, cup).rows
    assert {(row.bot_id, row.points, row.absences) for row in rows} == {
        (there[0], 3.0, 0),
        (there[1], 0.0, 0),
        (gone, 0.0, 3),
    }
    check_ledger(session)


@on_sqlite
@pytest.mark.parametrize("seats", [3, 4])
def test_the_others_play_without_an_upload_that_never_accepts(session: Session, seats: int) -> None:
    """It is never offline, so nothing but the calls in vain says that it is away."""
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=seats, seats=seats)
    hurry(session)
    refuser, *_ = entrants(session, cup)
    host(session, [refuser])
    deal = queued(session, cup)
    for match_id in deal * tables.MOST_CALLS:
        a_host(session)
        assert decided(session) == []
        refuse(session, match_id, refuser)
    assert decided(session) == deal
    for match_id in deal:
        assert decided(session) == [], "they are played first"
        a_host(session)
        claim = claimed(session, match_id)
        assert [claim.players[seat].bot_id for seat in claim.absent] == [refuser]
        ranks = [seats if player.bot_id == refuser else 1 for player in claim.players]
        faults = ["absent" if player.bot_id == refuser else None for player in claim.players]
        results.finish(session, claim, ranked(*ranks, faults=faults))
        session.commit()
    assert gone_on(session, cup).state == "finished"


def test_after_a_pause_a_bot_is_waited_for_anew(session: Session) -> None:
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=3, seats=3)
    hurry(session)
    go_away(session, cup, entrants(session, cup)[0])
    deal = decided(session)
    lifecycle.pause(session, cup)
    session.execute(update(Tournament).values(grace_ms=600_000))
    lifecycle.resume(session, cup)
    session.commit()
    assert attempts.claim(session, MATCHES, deal[0], "worker", lease=60) is None
    assert decided(session) == []


def test_an_author_is_told_that_a_tournament_waits(session: Session, cup: int) -> None:
    """Who has left the gateway was never called in vain, and would lose all without a word.

    The gateway may only have started anew: then its bots are back in a moment.
    """
    gone, left, paused, *_ = entrants(session, cup)
    for bot_id, ago in ((gone, tables.BACK_WITHIN), (left, timedelta())):
        away = update(Version).where(Version.bot_id == bot_id)
        session.execute(away.values(offline_since=now(session) - ago))
    move_bot(session.get_one(Bot, paused), BotState.PAUSED, "by its author")
    session.commit()
    for _ in range(2):
        decided(session)
    told = session.scalars(select(Notice.sentence).where(Notice.tone == NoticeTone.BAD)).all()
    name = session.get_one(Bot, gone).name
    assert told == [f"{name} could not be reached: A tournament waits for it."]


@on_sqlite
def test_nobody_plays_if_fewer_than_two_are_there(session: Session) -> None:
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=3, seats=3)
    hurry(session)
    first, second, there = entrants(session, cup)
    go_away(session, cup, first, second)
    assert len(decided(session)) == 3
    ended = gone_on(session, cup)
    assert (ended.state, ended.finished) == ("finished", 3)
    rows = cross_table(session, cup).rows
    assert (rows[0].bot_id, rows[0].points) == (there, 6.0)
    assert {session.get_one(Match, 1).reason} == {"absent"}


def test_if_one_more_goes_before_the_match_the_game_waits_for_it(session: Session) -> None:
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=4, seats=4)
    hurry(session)
    first, second, third, _ = entrants(session, cup)
    go_away(session, cup, first)
    deal = decided(session)
    session.execute(update(Tournament).values(grace_ms=600_000))
    go_away(session, cup, second, third)
    assert decided(session) == []
    assert attempts.claim(session, MATCHES, deal[0], "worker", lease=60) is None
    session.commit()
    hurry(session)
    assert decided(session) == deal
    assert gone_on(session, cup).state == "finished", "only one is left to play"


def test_an_organiser_has_forfeits_played_while_the_round_goes_on(session: Session) -> None:
    made = create(session, format=Format.SWISS, seats=2, count=4, deals=1, rounds=2)
    lifecycle.start(session, made.id)
    hurry(session)
    gone = entrants(session, made.id)[0]
    go_away(session, made.id, gone)
    own = of(session, made.id, gone)
    for match_id in set(queued(session, made.id)) - set(own):
        play(session, match_id)
    lifecycle.pause(session, made.id)  # so that the next round is not made meanwhile
    forfeits.forfeit(session, own[0], seats_of(session, own[0], gone))
    session.commit()
    with pytest.raises(Refused, match="is back"):
        correcting.play_forfeits(session, made.id)
    session.rollback()
    assert correcting.count_playable(session, made.id) == 0
    session.commit()
    for bot in entrants(session, made.id):
        come_back(session, bot)
    assert correcting.count_playable(session, made.id) == 1
    session.commit()
    assert correcting.play_forfeits(session, made.id) == 1
    lifecycle.resume(session, made.id)
    session.commit()
    again, *_ = reversed(queued(session, made.id))
    old, new = session.get_one(Match, own[0]), session.get_one(Match, again)
    assert old.annul_reason == f"It is played as match {again}"
    assert [seat.bot_id for seat in old.table] == [seat.bot_id for seat in new.table]
    layouts = [session.get_one(Deal, match.deal_id).layout_seed for match in (old, new)]
    assert layouts[0] == layouts[1]
    session.commit()
    play_round(session, made.id)
    assert lookup.tournament(session, made.id).round == 2
    past = rounds._past(session, made.id, 1)
    assert [len(tables) for tables in past] == [2], "it is no third table"
    assert all(row.absences == 0 for row in cross_table(session, made.id).rows)
    session.commit()
    with pytest.raises(Refused):
        correcting.play_forfeits(session, made.id)  # the next round is paired
    session.rollback()
    play_round(session, made.id)
    ended = lookup.tournament(session, made.id)
    assert (ended.state, ended.total, ended.settled) == ("finished", 9, 9)
    check_ledger(session)


@on_sqlite
def test_the_tables_of_all_forfeits_are_read_at_once(session: Session) -> None:
    """While they are read the ledger is locked."""
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=4, seats=2)
    gone = entrants(session, cup)[0]
    own = of(session, cup, gone)
    for match_id in own:
        forfeits.forfeit(session, match_id, seats_of(session, match_id, gone))
    session.commit()
    asked: list[str] = []
    event.listen(session.get_bind(), "before_cursor_execute", lambda *told: asked.append(told[2]))
    assert correcting.play_forfeits(session, cup) == len(own) > 2
    reads = [one for one in asked if one.startswith(("SELECT deals", "SELECT seats"))]
    assert len(reads) == 1, "the layouts come with the matches"


@on_sqlite
def test_who_may_not_have_forfeits_played(session: Session, cup: int) -> None:
    author = Account(1, "compay", "author")
    with pytest.raises(Forbidden):
        correcting.play_forfeits(session, cup, by=author)
    session.rollback()
    with pytest.raises(NotFound):
        correcting.play_forfeits(session, 999)
    session.rollback()
    lifecycle.cancel(session, cup)
    session.commit()
    with pytest.raises(Refused, match="its forfeits can't be played any more"):
        correcting.play_forfeits(session, cup)


@on_sqlite
def test_who_is_missed_is_written_down_although_others_write_meanwhile(
    sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = forfeits._missing

    def missing_until_somebody_writes(session: Session, at: datetime) -> object:
        found = missing(session, at)
        with sessions.begin() as other:
            workers.beat(other, "worker", places=1)
        return found

    with sessions() as session:
        running_cup(session, format=Format.ROUND_ROBIN, count=4)
        session.execute(update(Bot).values(state="paused"))
        session.commit()
    monkeypatch.setattr(forfeits, "_missing", missing_until_somebody_writes)
    with sessions.begin() as session:
        assert forfeits.decide(session) == []
    with sessions() as session:
        assert None not in session.scalars(select(Version.unreached_since)).all()


def test_nothing_is_given_up_if_it_is_paused_before_the_lock(
    sessions: sessionmaker[Session], session: Session, cup: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read before the ledger was locked may be over by then."""
    go_away(session, cup, *entrants(session, cup))

    def lock(waiting: Session) -> int:
        monkeypatch.undo()
        with sessions.begin() as other:
            lifecycle.pause(other, cup)
        return ledger.lock(waiting)

    waiting = queued(session, cup)
    monkeypatch.setattr(ledger, "lock", lock)
    assert decided(session) == []
    assert queued(session, cup) == waiting


def test_an_upload_whose_files_are_banned_does_not_stall_the_tournament(session: Session) -> None:
    """Nobody looks for a bot that the ladder hosts, so its deals are given up without a look."""
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=3)
    hurry(session)
    gone, *_ = entrants(session, cup)
    host(session, [gone])
    package = session.scalar(select(Version.package).where(Version.bot_id == gone, Version.active))
    session.commit()
    for match_id in set(queued(session, cup)) - set(of(session, cup, gone)):
        play(session, match_id)
    assert package is not None
    bans.ban(session, package, "It mines coins.")
    session.commit()
    assert decided(session)
    while decided(session):
        pass
    assert gone_on(session, cup).state == "finished"


def test_who_holds_a_tournament_up_is_told_with_the_reason(session: Session, cup: int) -> None:
    assert waiting.waited_for(session, cup) == ()
    away, paused, hosted, refuser = entrants(session, cup)
    go_away(session, cup, away)
    move_bot(session.get_one(Bot, paused), BotState.PAUSED)
    host(session, [hosted])
    session.execute(update(Seat).where(Seat.bot_id == refuser).values(misses=tables.MOST_CALLS))
    own = Version.bot_id == refuser
    session.execute(update(Version).where(own).values(unreached_since=now(session)))
    session.commit()
    assert [(one.bot_id, one.why) for one in waiting.waited_for(session, cup)] == [
        (away, "offline"),
        (paused, "paused"),
        (hosted, "host"),
        (refuser, "refuses"),
    ]
    lifecycle.pause(session, cup)
    session.commit()
    assert waiting.waited_for(session, cup) == ()


@on_sqlite
def test_all_who_wait_for_a_host_are_told_by_one_look_at_the_matches(session: Session) -> None:
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=6)
    first, *others = entrants(session, cup)
    host(session, [first])
    for_one = _steps_to_tell(session, cup)
    host(session, others)
    assert _steps_to_tell(session, cup) < 2 * for_one


def _steps_to_tell(session: Session, cup: int) -> int:
    """How many steps SQLite takes to say for whom a tournament waits."""
    steps = count(1)
    driver: Any = session.connection().connection
    driver.set_progress_handler(lambda: next(steps) < 0, 1)
    assert waiting.waited_for(session, cup)
    driver.set_progress_handler(None, 0)
    return next(steps)


def test_who_has_no_match_left_holds_nobody_up(session: Session, cup: int) -> None:
    gone = entrants(session, cup)[0]
    for match_id in of(session, cup, gone):
        play(session, match_id)
    go_away(session, cup, gone)
    assert waiting.waited_for(session, cup) == ()


def test_a_tournament_waits_for_hosts_that_others_fill(session: Session) -> None:
    bots = register_bots(session, 4)
    host(session, bots)
    a_host(session, lanes=1)
    cups = [create(session, bot_ids=two, seats=2, deals=1).id for two in (bots[:2], bots[2:])]
    for cup in cups:
        lifecycle.start(session, cup)
    session.commit()
    assert [waiting.wait_for_hosts(session, cup) for cup in cups] == [None, None]
    playing = claimed(session, queued(session, cups[0])[0])
    began = lookup.tournament(session, cups[1]).started_at
    assert waiting.wait_for_hosts(session, cups[0]) is None, "it plays itself"
    assert waiting.wait_for_hosts(session, cups[1]) == (began, True)
    session.commit()
    results.finish(session, playing, ranked(1, 2))
    session.commit()
    assert waiting.wait_for_hosts(session, cups[1]) is None
    lifecycle.pause(session, cups[0])
    drain(session)
    assert waiting.wait_for_hosts(session, cups[0]) is None, "paused"
    assert waiting.wait_for_hosts(session, cups[1]) == (began, False)


@on_sqlite
def test_what_waits_for_a_bot_or_needs_no_host_does_not_wait_for_hosts(session: Session) -> None:
    bots = register_bots(session, 4)
    host(session, bots[:2])
    a_host(session, lanes=0)
    cups = [create(session, bot_ids=two, seats=2, deals=1).id for two in (bots[:2], bots[2:])]
    for cup in cups:
        lifecycle.start(session, cup)
    session.commit()
    assert waiting.wait_for_hosts(session, cups[0]) is not None
    session.execute(update(Bot).where(Bot.id == bots[0]).values(state=BotState.PAUSED))
    assert [waiting.wait_for_hosts(session, cup) for cup in cups] == [None, None]
