"""A bot withdraws: what is left of it is void, and the field goes on without it."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from sqlalchemy import event, select
from sqlalchemy.orm import Session

from ladder.bots import availability, profiles
from ladder.contests.cross_table import cross_table, current_table
from ladder.contests.formats import Format
from ladder.contests.tournaments import lifecycle, lookup
from ladder.contests.tournaments.correcting import may_withdraw, withdraw, withdraw_retired
from ladder.errors import Forbidden, NotFound, Refused, Stale
from ladder.matches import job, results
from ladder.matches.job import MATCHES
from ladder.model import AuditEntry, Bot, Match, MatchState, Notice, Seat, User, now
from ladder.people.accounts import Account
from tests.ladder.contests.tournaments.cups import (
    create,
    entrants,
    gone_on,
    play,
    play_round,
    queued,
    running_cup,
)
from tests.ladder.databases import on_sqlite, plan
from tests.ladder.league import claimed, ranked
from tests.ladder.ledgers import check_ledger


def matches_of(session: Session, bot: int, *states: MatchState) -> list[int]:
    query = select(Match.id).join(Seat, Seat.match_id == Match.id).where(Seat.bot_id == bot)
    found = list(session.scalars(query.where(Match.state.in_(states))))
    session.commit()
    return found


def account(session: Session, name: str, *, organiser: bool = False) -> Account:
    """An account; the author of all bots of a cup is "compay"."""
    user = session.scalar(select(User).where(User.name == name))
    if user is None:
        user = User(name=name, role="author", created_at=now(session))
        session.add(user)
    user.role = "organiser" if organiser else user.role
    session.flush()
    found = Account(user.id, user.name, user.role)
    session.commit()
    return found


def left(session: Session, cup: int, bot: int, by: Account | None = None, **how: bool) -> None:
    withdraw(session, cup, bot, by=by, **how)
    session.commit()


def notices(session: Session) -> Sequence[str]:
    return session.scalars(select(Notice.sentence).order_by(Notice.id)).all()


@on_sqlite
@pytest.mark.parametrize("seats", [2, 3])
def test_what_is_left_is_void_and_the_others_go_on(session: Session, seats: int) -> None:
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=4, seats=seats)
    gone = entrants(session, cup)[0]
    play(session, queued(session, cup)[0])
    of_gone = set(matches_of(session, gone, MatchState.QUEUED))
    others = set(queued(session, cup)) - of_gone
    left(session, cup, gone)
    assert set(queued(session, cup)) == others
    assert set(matches_of(session, gone, MatchState.CANCELLED)) == of_gone
    play_round(session, cup)
    ended = lookup.tournament(session, cup)
    assert (ended.state, ended.settled) == ("finished", ended.total)
    last = cross_table(session, cup).rows[-1]
    assert (last.bot_id, last.rank, last.withdrew) == (gone, 4, True)
    check_ledger(session)


@on_sqlite
def test_what_was_played_stays_though_it_ranks_last(session: Session) -> None:
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=3)
    best = entrants(session, cup)[0]
    of_best = matches_of(session, best, MatchState.QUEUED)
    for match in of_best[:-1]:
        play(session, match)
    before = current_table(session, cup)
    assert before.rows[0].bot_id == best
    left(session, cup, best)
    rows = current_table(session, cup).rows
    assert [row.rank for row in rows] == [1, 1, 3]
    assert (rows[-1].bot_id, rows[-1].games, rows[-1].points) == (best, 3, 3.0)


def test_an_organiser_may_annul_what_was_played(session: Session) -> None:
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=3)
    gone = entrants(session, cup)[0]
    organiser = account(session, "olga", organiser=True)
    first, second, *_ = matches_of(session, gone, MatchState.QUEUED)
    play(session, first)
    running = claimed(session, second)
    left(session, cup, gone, organiser, annul=True)
    match = session.get_one(Match, first)
    assert (match.state, match.annulled_by) == ("finished", organiser.id)
    counts = lookup.progress(session, cup)
    assert (counts.finished, counts.annulled) == (1, 1)
    assert session.get_one(Match, second).state == MatchState.CANCELLED
    with pytest.raises(Exception, match="no longer holds"):
        results.finish(session, running, ranked(1, 2))
    session.rollback()
    assert {row.games for row in cross_table(session, cup).rows} == {0}
    session.commit()
    check_ledger(session)


def test_an_organiser_may_annul_what_a_bot_played_before_its_author_withdrew_it(
    session: Session,
) -> None:
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=3)
    gone, *others = entrants(session, cup)
    organiser, author = account(session, "olga", organiser=True), account(session, "compay")
    played, plays, *_ = matches_of(session, gone, MatchState.QUEUED)
    play(session, played)
    claimed(session, plays)
    left(session, cup, gone, author)
    assert may_withdraw(session, cup, author) == set(others)
    assert gone in may_withdraw(session, cup, organiser)
    left(session, cup, gone, organiser, annul=True)
    assert session.get_one(Match, played).annulled_by == organiser.id
    assert session.get_one(Match, plays).state == MatchState.CANCELLED
    assert (
        notices(session)[-1] == "An organiser annulled the results of ada in the tournament Copa."
    )
    deeds = select(AuditEntry.action, AuditEntry.user_id).order_by(AuditEntry.id.desc()).limit(2)
    assert session.execute(deeds).all() == [
        ("annul results", organiser.id),
        ("withdraw", author.id),
    ]
    assert may_withdraw(session, cup, organiser) == set(others)
    for by in (organiser, author):
        with pytest.raises((Refused, Forbidden)):
            withdraw(session, cup, gone, by=by, annul=True)
        session.rollback()


@on_sqlite
def test_what_the_first_match_of_a_bot_that_withdrew_brings_may_be_annulled(
    session: Session,
) -> None:
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=3)
    gone, *_ = entrants(session, cup)
    organiser = account(session, "olga", organiser=True)
    first, *_ = matches_of(session, gone, MatchState.QUEUED)
    claimed(session, first)
    left(session, cup, gone, account(session, "compay"))
    assert gone in may_withdraw(session, cup, organiser)
    left(session, cup, gone, organiser, annul=True)
    assert session.get_one(Match, first).state == MatchState.CANCELLED
    assert gone not in may_withdraw(session, cup, organiser)


def test_what_is_being_played_is_played_to_its_end(session: Session) -> None:
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=3)
    gone = entrants(session, cup)[0]
    first, second, *_ = matches_of(session, gone, MatchState.QUEUED)
    ends, stops = claimed(session, first), claimed(session, second)
    left(session, cup, gone)
    results.finish(session, ends, ranked(1, 2))
    session.commit()
    job.interrupt(session, stops, "it was unplugged")  # and is not played again
    session.commit()
    assert session.get_one(Match, first).state == MatchState.FINISHED
    assert session.get_one(Match, second).state == MatchState.CANCELLED
    play_round(session, cup)
    assert lookup.tournament(session, cup).state == "finished"


@on_sqlite
@pytest.mark.parametrize("given", ["back", "a result"])
def test_what_is_cancelled_while_it_is_played_counts_once(session: Session, given: str) -> None:
    """A worker that stopped counted it again: so a round was over before its last match."""
    cup = running_cup(session, format=Format.SWISS, count=4, rounds=2)
    gone = entrants(session, cup)[0]
    (first, *_) = matches_of(session, gone, MatchState.QUEUED)
    claim = claimed(session, first)
    left(session, cup, gone, annul=True)
    settled = lookup.tournament(session, cup).settled
    session.commit()
    given_back = partial(MATCHES.give_back, session, claim)
    with pytest.raises(Stale):
        (given_back if given == "back" else partial(results.finish, session, claim, ranked(1, 2)))()
    session.rollback()
    after = lookup.tournament(session, cup)
    assert (after.settled, after.finished, after.round) == (settled, 0, 1)


def test_a_swiss_tournament_pairs_on_without_it(session: Session) -> None:
    cup = running_cup(session, format=Format.SWISS, count=6, seats=3, rounds=3)
    gone = entrants(session, cup)[0]
    left(session, cup, gone)
    play_round(session, cup)
    second = lookup.round_of(session, cup, 2)
    seated = {entrant.bot_id for table in second.tables for entrant, _ in table.bots}
    assert gone not in seated
    assert (len(second.tables), len(second.sitting_out)) == (1, 2)
    session.commit()
    play_round(session, cup)
    play_round(session, cup)
    ended = lookup.tournament(session, cup)
    assert (ended.state, ended.round, ended.total, ended.settled) == ("finished", 3, 12, 12)
    assert ended.finished == 9


@on_sqlite
def test_whose_opponent_withdrew_has_sat_out_and_plays_the_next_round(session: Session) -> None:
    """A void match counted as a round played, so who had no game sat out again."""
    cup = running_cup(session, format=Format.SWISS, count=6, rounds=3)
    (first, *_) = queued(session, cup)
    gone, waits = session.scalars(select(Seat.bot_id).where(Seat.match_id == first)).all()
    session.commit()
    left(session, cup, gone)
    play_round(session, cup)
    assert lookup.tournament(session, cup).round == 2
    session.commit()
    assert len(queued(session, cup)) == 4
    assert len(matches_of(session, waits, MatchState.QUEUED)) == 2


def test_a_retired_bot_withdraws_from_what_is_not_over(session: Session) -> None:
    """In each round the others waited for it, for the whole grace time."""
    over = running_cup(session, format=Format.ROUND_ROBIN, count=4)
    play_round(session, over)
    gone, *others = entrants(session, over)
    olga = account(session, "olga", organiser=True)
    cup = create(session, olga, bot_ids=[gone, *others], seats=2).id
    waiting, of_gone = queued(session, cup), matches_of(session, gone, MatchState.QUEUED)
    availability.retire(session, account(session, "compay"), gone)
    session.commit()
    for _ in range(2):  # the second time, there is nothing to do
        withdraw_retired(session)
        session.commit()
    assert set(queued(session, cup)) == set(waiting) - set(of_gone)
    told = select(Notice.sentence).where(Notice.user_id == olga.id)
    sentence = f"{profiles.profile(session, gone).name} has withdrawn from the tournament Copa."
    assert session.scalars(told).all() == [sentence]
    assert not any(row.withdrew for row in current_table(session, over).rows)


@on_sqlite
def test_to_find_retired_bots_the_entries_of_old_tournaments_are_not_read(session: Session) -> None:
    """The scheduler looks for them every second."""
    asked: list[tuple[str, Any]] = []
    event.listen(session.get_bind(), "before_cursor_execute", lambda *args: asked.append(args[2:4]))
    withdraw_retired(session)
    (look,) = (one for one in asked if one[0].startswith("SELECT tournament_entries"))
    assert any(step.startswith("SEARCH tournament_entries") for step in plan(session, *look))


@on_sqlite
def test_it_ends_if_too_few_are_left_for_a_table(session: Session) -> None:
    cup = running_cup(session, format=Format.SWISS, count=3, seats=3, rounds=3)
    first, *_ = entrants(session, cup)
    left(session, cup, first)
    ended = gone_on(session, cup)
    assert (ended.state, ended.round, ended.total, ended.settled) == ("finished", 1, 3, 3)


@on_sqlite
def test_a_tournament_that_has_not_started_goes_on_without_it(session: Session) -> None:
    made = create(session, seats=2, count=3, deals=1)
    gone = entrants(session, made.id)[0]
    left(session, made.id, gone)
    assert lookup.tournament(session, made.id).state == "created"
    lifecycle.start(session, made.id)
    session.commit()
    assert len(play_round(session, made.id)) == 2
    assert lookup.tournament(session, made.id).state == "finished"


def test_authors_withdraw_their_own_bots_and_organisers_any(session: Session) -> None:
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=4)
    one, two, three, four = entrants(session, cup)
    compay, olga = account(session, "compay"), account(session, "olga", organiser=True)
    stranger = account(session, "otro")
    assert may_withdraw(session, cup, stranger) == set()
    assert may_withdraw(session, cup, compay) == set(entrants(session, cup))
    with pytest.raises(Forbidden, match="its author or an organiser"):
        withdraw(session, cup, one, by=stranger)
    with pytest.raises(Forbidden, match="organisers"):
        withdraw(session, cup, one, by=compay, annul=True)
    session.rollback()
    left(session, cup, one, compay)
    left(session, cup, two, olga)
    left(session, cup, three, olga, annul=True)
    assert [sentence for sentence in notices(session) if "withdrew" in sentence] == [
        "An organiser withdrew bela from the tournament Copa.",
        "An organiser withdrew caro from the tournament Copa and annulled its results there.",
    ]
    session.get_one(Bot, four).house = True
    told = notices(session)
    left(session, cup, four, olga)
    assert notices(session) == told, "the house reads nothing"
    deeds = session.execute(select(AuditEntry.action, AuditEntry.reason, AuditEntry.user_id))
    assert set(deeds.all()) >= {
        ("withdraw", f"bot {one}", compay.id),
        ("withdraw", f"bot {two}", olga.id),
        ("withdraw and annul", f"bot {three}", olga.id),
    }


def test_the_organiser_hears_of_an_author_who_withdraws(session: Session) -> None:
    olga = account(session, "olga", organiser=True)
    made = create(session, olga, seats=2, count=3)
    bot = entrants(session, made.id)[0]
    left(session, made.id, bot, account(session, "compay"))
    assert notices(session)[-1] == "ada has withdrawn from the tournament Copa."
    told = notices(session)
    session.get_one(User, olga.id).deleted_at = now(session)
    left(session, made.id, entrants(session, made.id)[1], account(session, "compay"))
    assert notices(session) == told, "nobody is there any more to read it"


@on_sqlite
def test_the_organiser_hears_of_another_one_who_annuls_results_of_an_own_bot(
    session: Session,
) -> None:
    olga = account(session, "olga", organiser=True)
    author = account(session, "compay", organiser=True)
    made = create(session, olga, seats=2, count=3)
    lifecycle.start(session, made.id)
    session.commit()
    bot, *_ = entrants(session, made.id)
    play(session, matches_of(session, bot, MatchState.QUEUED)[0])
    left(session, made.id, bot, author)
    left(session, made.id, bot, author, annul=True)
    assert notices(session)[-2:] == [
        "ada has withdrawn from the tournament Copa.",
        "An organiser annulled the results of ada in the tournament Copa.",
    ]


def test_a_bot_withdraws_once_and_from_a_tournament_that_it_has_entered(session: Session) -> None:
    cup = running_cup(session, format=Format.ROUND_ROBIN, count=3)
    bot = entrants(session, cup)[0]
    left(session, cup, bot)
    with pytest.raises(Refused, match="already"):
        withdraw(session, cup, bot)
    session.rollback()
    for unknown in ((cup, 999), (999, bot)):
        with pytest.raises(NotFound):
            withdraw(session, *unknown)
        session.rollback()
    lifecycle.cancel(session, cup)
    session.commit()
    other = session.scalars(select(Bot.id).order_by(Bot.id.desc())).first()
    with pytest.raises(Refused, match="is cancelled"):
        withdraw(session, cup, other or 0)
