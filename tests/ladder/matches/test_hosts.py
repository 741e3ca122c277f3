"""Matches with hosted bots: they wait for a lane of a host, and for their bundles."""

from datetime import timedelta
from math import inf
from random import Random

import pytest
from prometheus_client import REGISTRY
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from ladder.bots import reach, versions
from ladder.contests import challenges, matchmaking
from ladder.errors import Refused
from ladder.jobs import attempts, dispatch, workers
from ladder.matches import debts, job, lanes, misses, queue, reading
from ladder.matches.job import MATCHES
from ladder.matches.misses import MissedCall
from ladder.matches.queue import clock_of
from ladder.model import (
    Blob,
    BlobChunk,
    Bot,
    Debt,
    HostRow,
    Job,
    Match,
    MatchKind,
    MatchState,
    Seat,
    Version,
    now,
)
from ladder.people.accounts import Account
from ladder.wiring import KINDS
from tests.ladder.bots.authors import author, checked
from tests.ladder.bots.uploads import active_upload, built, drain, host, uploaded
from tests.ladder.contests.tournaments.cups import create
from tests.ladder.databases import on_sqlite
from tests.ladder.league import LEASE, claimed, job_of

QUEUE = MatchKind.LADDER
_SEATED = select(Seat.match_id)


@pytest.fixture
def bots(session: Session) -> list[int]:
    """Two hosted bots and two that are dialled, of four authors."""
    host(session, lanes=99)
    hosted = [active_upload(session, author(session, name), name) for name in ("ana", "bela")]
    dialled = [
        versions.register(session, name=name, author=name, address="b.example:443", version="1").id
        for name in ("caro", "dora")
    ]
    session.execute(update(Version).values(slots=99))
    workers.beat(session, "tester", places=40)
    session.commit()
    return [*(made.bot_id for made in hosted), *dialled]


def dealt(session: Session) -> set[frozenset[int]]:
    """Which bots meet in the matches that the ladders have made; committed."""
    matchmaking.top_up(session, rng=Random(1))
    session.commit()
    found: dict[int, set[int]] = {}
    for match_id, bot_id in session.execute(select(Seat.match_id, Seat.bot_id)):
        found.setdefault(match_id, set()).add(bot_id)
    session.commit()
    return {frozenset(table) for table in found.values()}


def due(session: Session) -> list[int]:
    found = dispatch.due(session, KINDS, QUEUE, limit=99, message_age=0.0)
    session.commit()
    return found


def of_hosted(session: Session, bots: list[int]) -> list[int]:
    """The matches at whose table a hosted bot sits."""
    query = select(Seat.match_id).where(Seat.bot_id.in_(bots[:2])).distinct()
    return sorted(session.scalars(query))


@on_sqlite
def test_without_a_host_the_ladder_makes_no_match_for_hosted_bots(
    session: Session, bots: list[int]
) -> None:
    drain(session)
    assert dealt(session) == {frozenset(bots[2:])}


@on_sqlite
def test_with_a_host_the_ladder_plays_with_all(session: Session, bots: list[int]) -> None:
    assert set().union(*dealt(session)) == set(bots)


def test_a_match_that_finds_no_host_waits_and_nobody_is_to_blame(
    session: Session, bots: list[int]
) -> None:
    dealt(session)
    waiting = of_hosted(session, bots)
    assert waiting
    drain(session)
    assert not set(due(session)) & set(waiting)
    assert attempts.claim(session, MATCHES, waiting[0], "tester", lease=LEASE) is None
    session.commit()
    debts.tend(session)
    misses.withdraw(session)
    session.commit()
    assert session.scalars(select(Debt)).all() == []
    assert set(session.scalars(select(Match.state))) == {MatchState.QUEUED}
    session.execute(update(HostRow).values(draining=False))
    session.execute(update(Job).values(not_before=None))
    session.commit()
    assert set(due(session)) & set(waiting)


def test_matches_take_no_more_lanes_than_there_are(session: Session, bots: list[int]) -> None:
    dealt(session)
    waiting = of_hosted(session, bots)
    host(session, lanes=2)
    assert len(set(due(session)) & set(waiting)) <= 2
    claims = [attempts.claim(session, MATCHES, one, "tester", lease=LEASE) for one in waiting]
    session.commit()
    begun = [claim for claim in claims if claim is not None]
    assert len(begun) == 2
    job.put_off(session, begun[0])
    session.commit()
    other = next(one for one in waiting if one not in {claim.match_id for claim in begun})
    session.execute(update(Job).where(Job.subject == other).values(not_before=None))
    assert claimed(session, other).match_id == other


def test_challenges_leave_a_lane_to_rated_matches(session: Session, bots: list[int]) -> None:
    """They go before those, and one follows the other for as long as authors ask for them."""
    dealt(session)
    host(session, lanes=2)
    version = dict(session.execute(select(Version.bot_id, Version.id)).all())
    tables = [(bots[0], bots[2]), (bots[1], bots[3])]
    challenges = [
        queue.queue_unrated(session, MatchKind.CHALLENGE, [(bot, version[bot]) for bot in table]).id
        for table in tables
    ]
    session.commit()
    found = dispatch.due(session, KINDS, MatchKind.CHALLENGE, limit=99, message_age=0.0)
    assert found == challenges[:1]
    session.commit()
    claims = [attempts.claim(session, MATCHES, one, "tester", lease=LEASE) for one in challenges]
    session.commit()
    assert [claim is None for claim in claims] == [False, True]
    assert set(due(session)) & set(of_hosted(session, bots))


def test_a_slow_hosted_bot_leaves_others_half_of_the_lanes(
    session: Session, bots: list[int]
) -> None:
    """Its games may take minutes each, and it has slots enough for all lanes of a small host."""
    dealt(session)
    host(session, lanes=2)
    session.execute(update(Bot).values(usual_think_ms=10))
    slow = update(Bot).where(Bot.id == bots[0])
    session.execute(slow.values(usual_think_ms=60_000))
    own = session.scalars(select(Seat.match_id).where(Seat.bot_id == bots[0])).all()
    session.commit()
    assert len(set(due(session)) & set(own)) == 1
    for usual, count in ((60_000, 1), (10, 2)):
        session.execute(slow.values(usual_think_ms=usual))
        session.execute(update(Job).values(not_before=None))
        session.commit()
        for one in own:
            attempts.claim(session, MATCHES, one, "tester", lease=LEASE)
            session.commit()
        running = select(Job.subject).where(Job.lease_until.is_not(None))
        assert len(session.scalars(running).all()) == count


def test_a_lease_leaves_hosted_bots_the_time_to_wait_for_processors(
    session: Session, bots: list[int]
) -> None:
    """As the referee does, whose watchdog adds their waits; no other match may take longer."""
    dealt(session)
    hosted = of_hosted(session, bots)
    others = set(session.scalars(_SEATED)) - set(hosted)
    for matches, more in ((hosted, 6 * 3600), (others, 0)):
        held = claimed(session, min(matches), lease=10**6).held
        row = session.get_one(Match, held.subject, populate_existing=True)
        assert row.started_at is not None
        seats = len(reading.match(session, held.subject).seats)
        longest = clock_of(row).longest_match(seats) + more + 30
        assert held.latest == row.started_at + timedelta(seconds=longest)
        session.commit()
        attempts.renew(session, held, lease=10**6)
        session.commit()
        assert job_of(session, held.subject).lease_until == held.latest


def test_a_match_that_is_put_off_was_not_interrupted(session: Session, bots: list[int]) -> None:
    dealt(session)
    claim = claimed(session, of_hosted(session, bots)[0])
    assert any(player.bundle for player in claim.players)
    job.put_off(session, claim)
    session.commit()
    match = session.get_one(Match, claim.match_id, populate_existing=True)
    assert (match.state, match.interruptions, match.unreached) == ("queued", 0, 0)
    assert session.scalars(select(Debt)).all() == []
    waits = session.scalars(select(Job.not_before).where(Job.subject == match.id)).one()
    assert waits is not None
    assert waits > now(session)


@on_sqlite
def test_full_hosts_are_asked_less_and_less_often_and_counted(
    session: Session, bots: list[int]
) -> None:
    dealt(session)
    match_id, before, pauses = of_hosted(session, bots)[0], put_off(), []
    for _ in range(6):
        job.put_off(session, claimed(session, match_id))
        waits = job_of(session, match_id)
        assert waits.not_before is not None
        pauses.append(round((waits.not_before - now(session)).total_seconds()))
        waits.not_before = None
        session.commit()
    assert pauses == sorted(pauses)
    assert pauses[-1] > 30
    assert put_off() == before + 6


def put_off() -> float:
    counted = REGISTRY.get_sample_value("santiago_interruptions_total", {"why": "no host"})
    return counted or 0.0


def test_a_match_waits_for_the_bundle_of_a_bot(session: Session, bots: list[int]) -> None:
    dealt(session)
    waiting = of_hosted(session, bots)
    bundles = select(Version.bundle).where(Version.bot_id.in_(bots[:2]))
    session.execute(delete(BlobChunk).where(BlobChunk.sha256.in_(bundles)))
    session.execute(update(Blob).where(Blob.sha256.in_(bundles)).values(dropped_at=now(session)))
    session.commit()
    assert not set(due(session)) & set(waiting)
    assert attempts.claim(session, MATCHES, waiting[0], "tester", lease=LEASE) is None
    session.commit()
    debts.tend(session)
    assert session.scalars(select(Debt)).all() == []


@on_sqlite
def test_a_hosted_bot_that_does_not_start_owes_the_match_but_is_not_offline(
    session: Session, bots: list[int]
) -> None:
    dealt(session)
    claim = claimed(session, of_hosted(session, bots)[0])
    seat = next(at for at, player in enumerate(claim.players) if player.bundle)
    misses.not_accepted(session, claim, seat, MissedCall("It ended.", answered=True))
    session.commit()
    version = session.get_one(Version, claim.players[seat].version_id, populate_existing=True)
    assert version.unreached_since is not None
    assert (version.offline_since, version.probe_at) == (None, None)
    debt = session.scalars(select(Debt)).one()
    assert (debt.bot_id, debt.misses) == (version.bot_id, 1)
    assert reach.look(session) is None


@on_sqlite
def test_a_match_that_no_host_takes_does_not_hold_up_a_bot_that_owes_it(
    session: Session, bots: list[int]
) -> None:
    dealt(session)
    debtor = bots[2]
    version_id = session.scalar(select(Version.id).where(Version.bot_id == debtor))
    assert version_id is not None
    reach.missed(session, version_id, "gone")
    debts.tend(session)
    reach.online(session, version_id)
    session.commit()
    others = select(Match.id).where(Match.id.not_in(of_hosted(session, bots)))
    dialled = set(session.scalars(others))
    assert dialled
    session.execute(delete(Debt).where(Debt.match_id.in_(dialled)))
    session.commit()
    assert not dialled & set(due(session))
    drain(session)
    assert set(due(session)) == dialled
    assert session.scalars(select(Bot.id).where(debts.owes())).all() == []
    session.execute(update(Debt).values(since=now(session) - debts.LONGEST))
    session.commit()
    assert debts.tend(session) > 0
    reasons = session.scalars(select(Match.reason).where(Match.state == MatchState.CANCELLED))
    assert set(reasons) == {
        "For a week the table could not meet: no host takes its hosted bots."
    }, "no bot was away"


def part(session: Session, bot_id: int) -> None:
    """From now on one host has the runtime of this bot, and another one the other's; committed."""
    session.execute(update(Version).where(Version.bot_id == bot_id).values(runtime="node"))
    host(session, lanes=99, runtimes='["python"]')
    host(session, "there", lanes=99, runtimes='["node"]')


def of_both(session: Session, bots: list[int]) -> set[int]:
    """The matches at whose table both hosted bots sit."""
    one, other = (set(session.scalars(_SEATED.where(Seat.bot_id == bot))) for bot in bots[:2])
    return one & other


def test_bots_that_no_host_takes_together_do_not_meet_on_the_ladder(
    session: Session, bots: list[int]
) -> None:
    part(session, bots[1])
    tables = dealt(session)
    assert set().union(*tables) == set(bots)
    assert not any(set(bots[:2]) <= table for table in tables)
    session.execute(update(HostRow).where(HostRow.name == "there").values(draining=True))
    session.execute(delete(Job))
    session.execute(delete(Seat))
    session.commit()
    assert set().union(*dealt(session)) == {*bots} - {bots[1]}


def test_a_table_that_no_host_takes_together_is_not_called_again_and_again(
    session: Session, bots: list[int]
) -> None:
    dealt(session)
    apart, every = of_both(session, bots), of_hosted(session, bots)
    assert apart
    part(session, bots[1])
    assert set(due(session)) & set(every) == set(every) - apart
    assert misses.withdraw(session) == len(apart)
    session.commit()
    ended = session.execute(
        select(Match.id, Match.reason).where(Match.state == MatchState.CANCELLED)
    )
    why = "No host has the runtimes of all hosted bots at the table."
    assert dict(ended.all()) == dict.fromkeys(apart, why)


@on_sqlite
def test_a_table_whose_only_host_is_drained_waits_for_it(session: Session, bots: list[int]) -> None:
    dealt(session)
    apart, every = of_both(session, bots), of_hosted(session, bots)
    host(session, "whole", lanes=99, runtimes='["node", "python"]')
    part(session, bots[1])
    session.execute(update(HostRow).where(HostRow.name == "whole").values(draining=True))
    session.commit()
    assert set(due(session)) & set(every) == set(every) - apart
    assert misses.withdraw(session) == 0
    session.execute(update(HostRow).values(draining=False))
    session.commit()
    assert set(due(session)) >= apart


def test_a_waiting_table_that_no_host_takes_fills_no_place(
    session: Session, bots: list[int]
) -> None:
    dealt(session)
    assert of_both(session, bots)
    needed = need(session).matches
    part(session, bots[1])
    assert need(session).matches > needed


@on_sqlite
def test_nobody_asks_for_a_match_that_no_host_takes(session: Session, bots: list[int]) -> None:
    part(session, bots[1])
    owner = session.get_one(Bot, bots[0]).user
    account = Account(owner.id, owner.name, owner.role)
    with pytest.raises(Refused, match="runtimes of all these bots: node, python"):
        challenges.challenge(session, account, bots[0], [bots[1]])
    session.rollback()
    with pytest.raises(Refused, match="runtimes of all these bots: node, python"):
        create(session, seats=2, bot_ids=bots)
    session.rollback()
    create(session, seats=2, bot_ids=[bots[0], *bots[2:]])
    challenges.challenge(session, account, bots[0], bots[2:])


def test_a_trial_has_opponents_that_its_host_takes_too(session: Session, bots: list[int]) -> None:
    part(session, bots[1])
    session.execute(update(Bot).where(Bot.id.in_(bots[:3])).values(house=True))
    session.commit()
    made = uploaded(session, author(session, "eva"), "eva")
    built(session, made.version_id)
    checked(session, made.version_id)
    trial = session.get_one(Version, made.version_id, populate_existing=True).trial_match_id
    seated = session.scalars(select(Seat.bot_id).where(Seat.match_id == trial))
    assert set(seated) == {bots[0], bots[2], made.bot_id}


def need(session: Session) -> matchmaking.Need:
    """What the workers need, if all messages are lost."""
    return matchmaking.need(session, 40, message_age=0.0, pace=inf)


def test_a_host_that_nobody_sees_has_no_lanes(session: Session) -> None:
    host(session, lanes=4)
    host(session, name="there", lanes=2)
    assert lanes.lanes(session) == 6
    long_ago = now(session) - timedelta(minutes=1)
    session.execute(update(HostRow).where(HostRow.name == "there").values(seen_at=long_ago))
    assert lanes.lanes(session) == 4
    drain(session)
    assert lanes.lanes(session) == 0
