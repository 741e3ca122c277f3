"""A tournament is played by the versions that entered it, whatever happens to newer ones."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder import playing as players
from ladder.bots import availability, own, reach, reports, submitting, versions
from ladder.bots.availability import FAULTS_IN_A_ROW
from ladder.bots.gateway import Guests
from ladder.contests.tournaments import forfeits
from ladder.jobs import attempts
from ladder.matches import results
from ladder.matches.job import MATCHES
from ladder.model import Seat, Tournament, Version
from ladder.people.accounts import Account
from ladder.ratings import ledger
from referee.gateway.server import Calls, start_gateway
from referee.joining import Guest
from referee.ways import Ways
from referee.wire import bot_pb2
from tests.ladder.bots.authors import (
    active,
    author,
    checked,
    claimed_check,
    house_bot,
    notices,
    playing,
    start_cup,
    submitted,
)
from tests.ladder.databases import on_sqlite
from tests.ladder.league import NO_HOSTS, claimed, match_ids, ranked, set_job, states
from tests.referee.games import DrawingBot, served
from tests.referee.gateway.wires import until

KEY = "the key of gateway and workers"


def both(session: Session, guests: Guests) -> tuple[int, int, str]:
    """A bot whose version 1 plays in a tournament and whose version 2 is active; both are in.

    Returns its id, that of version 1, and its token.
    """
    ana = author(session)
    first = submitting.submit(session, ana, name="zorro", version="1", address=None)
    session.commit()
    guests.watch(str(first.bot_id), 2, "1")
    checked(session, first.version_id)
    start_cup(session, first.bot_id, house_bot(session))
    second = submitting.submit(session, ana, name="zorro", version="2", address=None)
    session.commit()
    guests.watch(str(first.bot_id), 3, "2")
    versions.take_over(session, second.version_id)
    session.commit()
    assert playing(session, first.bot_id).name == "2"
    return first.bot_id, first.version_id, first.gateway_token or ""


@asynccontextmanager
async def in_as(version: str, bot: str, gateway: str, token: str) -> AsyncIterator[None]:
    told = bot_pb2.DescribeResponse(name="zorro", version=version, protocol_version=1)
    guest = Guest(bot, gateway, token, 2, told, Ways())
    staying = asyncio.create_task(guest.stay())
    try:
        await until(lambda: guest.joined or staying.done())
        yield
    finally:
        staying.cancel()
        await asyncio.wait({staying})


@on_sqlite
async def test_a_new_version_that_dials_in_beside_the_old_one_costs_no_match(
    session: Session,
    sessions: sessionmaker[Session],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The newest line of a bot used to get all its games, and said that it was version 2."""
    guests = Guests(sessions)
    bot_id, old, token = both(session, guests)
    guests.begin()
    at = f"unix:{tmp_path}/gateway"
    monkeypatch.setenv("SANTIAGO_GATEWAY", at)
    monkeypatch.setenv("SANTIAGO_GATEWAY_KEY", KEY)
    gateway = await start_gateway(at, Calls(guests.name_of, KEY, watch=guests.watch))
    with served(DrawingBot, f"unix:{tmp_path}/bot") as bot:
        house = update(Version).where(Version.bot_id != bot_id)
        session.execute(house.values(address=bot, name=DrawingBot.version))
        session.commit()
        async with in_as("1", bot, at, token), in_as("2", bot, at, token):
            for match_id in match_ids(session):
                claim = claimed(session, match_id)
                played = await players.referee(claim, lambda *_: None, hosts=NO_HOSTS)
                results.finish(session, claim, played)
                session.commit()
    await gateway.stop(None)
    assert states(session) == ["finished", "finished"]
    seats = session.scalars(select(Seat).where(Seat.bot_id == bot_id)).all()
    assert {(seat.version_id, seat.fault) for seat in seats} == {(old, None)}


@on_sqlite
async def test_the_check_of_a_new_version_reaches_it_while_the_old_one_plays_on(
    session: Session,
    sessions: sessionmaker[Session],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reports, "checks", lambda: ())  # but the first call
    guests, at = Guests(sessions), f"unix:{tmp_path}/gateway"
    _, _, token = both(session, guests)
    monkeypatch.setenv("SANTIAGO_GATEWAY", at)
    monkeypatch.setenv("SANTIAGO_GATEWAY_KEY", KEY)
    gateway = await start_gateway(at, Calls(guests.name_of, KEY, watch=guests.watch))
    with served(DrawingBot, f"unix:{tmp_path}/bot") as bot:
        ana = Account(1, "ana", "author")
        third = submitting.submit(session, ana, name="zorro", version="3", address=None)
        session.commit()
        async with in_as("3", bot, at, token), in_as("1", bot, at, token):
            report = await reports.run_check(
                claimed_check(session, third.version_id), hosts=NO_HOSTS
            )
    await gateway.stop(None)
    assert [(line.name, line.state) for line in report.checks] == [("first-call", "passed")]


def test_whoever_of_the_two_comes_and_goes(
    session: Session, sessions: sessionmaker[Session]
) -> None:
    guests = Guests(sessions)
    bot_id, old, _ = both(session, guests)
    name = str(bot_id)
    guests.watch(name, 0, "2")
    assert playing(session, bot_id).offline_since is not None
    assert claim(session) == old, "version 1 is there, and plays"
    guests.watch(name, 3, "2")
    guests.watch(name, 0, "1")
    assert playing(session, bot_id).offline_since is None
    assert claim(session) is None, "version 2 is there, and does not play in its place"
    guests.watch(name, 2, "1")
    assert claim(session) == old


def claim(session: Session) -> int | None:
    """Which version of zorro plays the first match of the tournament; None if it has to wait."""
    set_job(session, not_before=None)
    found = attempts.claim(session, MATCHES, match_ids(session)[0], "tester", lease=60.0)
    session.commit()
    if found is None:
        return None
    MATCHES.give_back(session, found)
    session.commit()
    return next(player.version_id for player in found.players if player.name == "zorro")


def test_each_version_has_the_slots_that_its_own_lines_offer(
    session: Session, sessions: sessionmaker[Session]
) -> None:
    guests = Guests(sessions)
    bot_id, old, _ = both(session, guests)
    assert (session.get_one(Version, old).slots, playing(session, bot_id).slots) == (2, 3)
    guests.watch(str(bot_id), 1, "1")
    first, second = match_ids(session)
    claimed(session, first)
    assert attempts.claim(session, MATCHES, second, "tester", lease=60.0) is None
    session.commit()
    guests.watch(str(bot_id), 2, "1")
    session.expire_all()
    assert MATCHES.slots(session, [old])[old] == 2


@on_sqlite
def test_faults_of_the_new_version_on_the_ladder_cost_the_old_one_no_tournament(
    session: Session,
) -> None:
    """Five of them used to pause the bot, and version 1 forfeited 60 of 60 matches."""
    ana = author(session)
    old = active(session, ana)
    start_cup(session, old.bot_id, house_bot(session))
    new = submitted(session, ana, version="2")
    versions.take_over(session, new.version_id)
    session.commit()
    misbehave(session, old.bot_id, new.version_id)
    assert own.bot(session, ana, old.bot_id).state == "paused"
    session.execute(update(Tournament).values(grace_ms=0))
    session.commit()
    assert [forfeits.decide(session) for _ in range(2)] == [[], []]
    session.commit()
    for match_id in match_ids(session):
        results.finish(session, claimed(session, match_id), ranked(1, 2))
        session.commit()
    assert states(session) == ["finished", "finished"]


def misbehave(session: Session, bot_id: int, version_id: int) -> None:
    for _ in range(FAULTS_IN_A_ROW):
        ledger.lock(session)
        availability.conduct(session, [(bot_id, version_id, True)])
        session.commit()


@on_sqlite
def test_a_suspended_version_plays_the_tournament_that_it_has_entered_to_its_end(
    session: Session,
) -> None:
    ana = author(session)
    made = active(session, ana)
    start_cup(session, made.bot_id, house_bot(session))
    misbehave(session, made.bot_id, made.version_id)
    assert playing(session, made.bot_id).conduct == "suspended"
    assert claim(session) == made.version_id
    availability.pause(session, ana, made.bot_id)
    session.commit()
    assert claim(session) is None, "its author's pause is that of all its versions"


@on_sqlite
def test_a_new_version_is_not_suspended_for_the_old_one(session: Session) -> None:
    ana = author(session)
    old = active(session, ana)
    misbehave(session, old.bot_id, old.version_id)
    active(session, ana, version="2")
    shown = own.bot(session, ana, old.bot_id)
    assert (shown.state, shown.pause_reason, shown.faulted_in_a_row) == ("active", None, 0)


@pytest.mark.parametrize("state", ["running", "paused"])
def test_an_old_version_is_looked_for_until_its_tournament_is_over(
    session: Session, state: str
) -> None:
    """In a pause, too: an organiser can only have forfeits played whose bots are back."""
    ana = author(session)
    old = active(session, ana)
    start_cup(session, old.bot_id, house_bot(session))
    session.execute(update(Tournament).values(state=state))
    active_too = submitted(session, ana, version="2")
    versions.take_over(session, active_too.version_id)
    reach.missed(session, old.version_id, "connection refused.")
    session.execute(update(Version).values(probe_at=Version.offline_since))
    session.commit()
    assert playing(session, old.bot_id).offline_since is None
    found = reach.look(session)
    assert found is not None
    assert (found.version_id, found.stated) == (old.version_id, "1")
    session.execute(update(Version).values(probe_at=Version.offline_since))
    session.execute(update(Tournament).values(state="finished"))
    session.commit()
    assert reach.look(session) is None, "it has nothing left to play"
    assert notices(session, ana) == [
        "zorro 1, which still plays in a tournament, could not be reached: connection refused."
    ]


def one_behind_the_gateway(
    session: Session, sessions: sessionmaker[Session]
) -> tuple[Account, submitting.Submission, Guests]:
    """Version 1 of a bot has joined, and was checked: its author, its ids, and the gateway."""
    ana = author(session)
    made = submitting.submit(session, ana, name="zorro", version="1", address=None)
    session.commit()
    guests = Guests(sessions)
    guests.watch(str(made.bot_id), 2, "1")
    checked(session, made.version_id)
    return ana, made, guests


@on_sqlite
def test_which_version_comes_back_first_after_the_gateways_start_is_nobodys_fault(
    session: Session, sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, made, guests = one_behind_the_gateway(session, sessions)
    name = str(made.bot_id)
    guests.begin()
    guests.watch(name, 2, "3")
    assert notices(session, ana) == []
    assert playing(session, made.bot_id).unreached_since is None
    monkeypatch.setattr("ladder.bots.gateway.monotonic", lambda: inf)
    guests.watch(name, 2, "3")
    assert len(notices(session, ana)) == 1


def test_a_version_that_nobody_submitted_joins_in_place_of_the_active_one(
    session: Session, sessions: sessionmaker[Session]
) -> None:
    ana, made, guests = one_behind_the_gateway(session, sessions)
    name = str(made.bot_id)
    guests.watch(name, 2, "3")  # beside it
    guests.watch(name, 0, "1")
    assert notices(session, ana) == []
    for _ in range(3):
        guests.watch(name, 0, "3")
        guests.watch(name, 2, "3")
    assert notices(session, ana) == [
        "Version 3 of zorro has joined the gateway, but version 1 is active and has not joined: "
        "submit version 3, or start version 1 again."
    ]
    shown = own.bot(session, ana, made.bot_id)
    assert (shown.joined_version, shown.joined_versions) == ("3", ("3",))
    session.commit()
    second = submitting.submit(session, ana, name="zorro", version="3", address=None)
    session.commit()
    checked(session, second.version_id)
    assert playing(session, made.bot_id).name == "3"
    assert playing(session, made.bot_id).offline_since is None
