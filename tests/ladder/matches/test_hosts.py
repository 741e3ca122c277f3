"""Matches with hosted bots: they wait for a lane of a host, and for their bundles."""

from datetime import timedelta
from random import Random

import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from ladder.bots import reach, versions
from ladder.contests import matchmaking
from ladder.jobs import attempts, dispatch, workers
from ladder.matches import absences, debts, job, lanes
from ladder.matches.job import MATCHES
from ladder.matches.misses import Call
from ladder.model import (
    Blob,
    BlobChunk,
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
from ladder.wiring import KINDS
from tests.ladder.bots.authors import author
from tests.ladder.bots.uploads import active_upload, drain, host
from tests.ladder.league import LEASE, claimed

QUEUE = MatchKind.LADDER


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


def test_without_a_host_the_ladder_makes_no_match_for_hosted_bots(
    session: Session, bots: list[int]
) -> None:
    drain(session)
    assert dealt(session) == {frozenset(bots[2:])}


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
    absences.withdraw(session)
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


def test_a_hosted_bot_that_does_not_start_owes_the_match_but_is_not_offline(
    session: Session, bots: list[int]
) -> None:
    dealt(session)
    claim = claimed(session, of_hosted(session, bots)[0])
    seat = next(at for at, player in enumerate(claim.players) if player.bundle)
    absences.not_accepted(session, claim, seat, Call("It ended.", answered=True))
    session.commit()
    version = session.get_one(Version, claim.players[seat].version_id, populate_existing=True)
    assert version.unreached_since is not None
    assert (version.offline_since, version.probe_at) == (None, None)
    debt = session.scalars(select(Debt)).one()
    assert (debt.bot_id, debt.misses) == (version.bot_id, 1)
    assert reach.look(session) is None


def test_a_host_that_nobody_sees_has_no_lanes(session: Session) -> None:
    host(session, lanes=4)
    host(session, name="there", lanes=2)
    assert lanes.lanes(session) == 6
    long_ago = now(session) - timedelta(minutes=1)
    session.execute(update(HostRow).where(HostRow.name == "there").values(seen_at=long_ago))
    assert lanes.lanes(session) == 4
    drain(session)
    assert lanes.lanes(session) == 0
