"""Casual games with bots that nobody can dial: at a host, and behind the gateway."""

import asyncio
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import NoReturn, cast

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots.hosts import Hosts
from ladder.casual import history, outputs, playing
from ladder.casual.answering import ANSWERS, CALLS
from ladder.errors import NotFound
from ladder.jobs import attempts, dispatch, workers
from ladder.matches import lanes
from ladder.matches.results import Written
from ladder.model import (
    Bot,
    CasualAnalysis,
    CasualGame,
    CasualOutput,
    CasualState,
    Holding,
    Job,
    Version,
    now,
    write,
)
from ladder.people.accounts import Account
from ladder.wiring import KINDS
from referee import replay
from referee.hosting.client import HostLost
from referee.ways import GATEWAY, GATEWAY_KEY
from tests.ladder.bots.authors import author, checked, house_bot
from tests.ladder.bots.uploads import active_upload, built, host, uploaded
from tests.ladder.casual.tables import LEASE, HouseBot, answered, asks_person, choose, friends
from tests.ladder.databases import on_sqlite
from tests.ladder.league import NO_HOSTS
from tests.referee.games import served
from tests.referee.gateway.wires import KEY, gateway, guest
from tests.referee.hosting.hosts import bundle, reachable, running


def open_to_people(session: Session, bot_id: int) -> int:
    """The bot plays with people; committed."""
    session.execute(update(Bot).where(Bot.id == bot_id).values(open_to_people=True))
    session.commit()
    return bot_id


def hosted(session: Session, account: Account, data: bytes) -> int:
    """A bot that plays from this bundle; committed."""
    host(session)
    made = uploaded(session, account)
    built(session, made.version_id, data)
    checked(session, made.version_id)
    return open_to_people(session, made.bot_id)


async def play_runs(session: Session, game: CasualGame, hosts: Hosts, runs: int) -> None:
    """Play until the bots have answered so often, or the game is over."""
    while game.state is CasualState.PLAYING and runs:
        if asks_person(game):
            choose(session, game)
        else:
            await answered(session, game, hosts)
            runs -= 1


@on_sqlite
def test_the_author_of_a_hosted_bot_reads_what_it_wrote(session: Session) -> None:
    ana, luz = author(session), author(session, "luz")
    loud = bundle(choose='print("asked"); print("hm", file=sys.stderr)')

    async def play(address: str) -> None:
        hosts = Hosts(sessionmaker(session.get_bind()), [address])
        while len(asked) < 3:  # with what it had written before, and in two runs
            await play_runs(session, game, hosts, runs=1)
            found = outputs.of_game(session, ana, bot_id, game.id)
            asked.add(found.output.count(b"asked\n"))
        await hosts.close()

    asked = {0}
    with reachable() as folder, running(folder) as (address, _):
        bot_id = hosted(session, ana, loud)
        game = friends(session, 1, bots=(bot_id,))
        asyncio.run(play(address))
    assert not game.table[1].fault
    (entry,) = outputs.of_bot(session, ana, bot_id)
    found = outputs.of_game(session, ana, bot_id, game.id)
    assert found.output == b"asked\n" * max(asked), "one text of all runs"
    assert found.errors.count(b"hm\n") >= max(asked)
    assert (entry.game_id, entry.seat, entry.rank, entry.fault) == (game.id, 1, None, None)
    assert entry.wrote == len(found.output) + len(found.errors)
    assert found.peak_memory
    assert found.cpu_ms is not None
    for wrong in ((luz, bot_id, game.id), (ana, bot_id, 99)):
        with pytest.raises(NotFound):
            outputs.of_game(session, *wrong)


@on_sqlite
def test_why_a_hosted_bot_did_not_start(session: Session) -> None:
    ana = author(session)

    async def play(address: str) -> None:
        hosts = Hosts(sessionmaker(session.get_bind()), [address])
        await play_runs(session, game, hosts, runs=1)
        await hosts.close()

    with reachable() as folder, running(folder) as (address, _):
        bot_id = hosted(session, ana, bundle(rest="raise SystemExit('no such file')"))
        game = friends(session, 1, bots=(bot_id,))
        asyncio.run(play(address))
    found = outputs.of_game(session, ana, bot_id, game.id)
    assert found.errors.startswith(b"no such file\nThe bot did not start")
    assert (found.output, found.peak_memory, found.cpu_ms) == (b"", None, None)


@on_sqlite
def test_hosted_bots_wait_for_a_lane_and_hold_up_no_others(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatch, "_CANDIDATES", 1)
    host(session, lanes=1)
    ana, bela = (
        open_to_people(session, active_upload(session, author(session, name), name).bot_id)
        for name in ("ana", "bela")
    )
    house = house_bot(session)
    session.execute(update(Version).values(slots=1))
    workers.beat(session, "tester", places=100)
    tables = (ana,), (house, bela), (house,), (house,)
    first, second, third, fourth = (friends(session, 1, bots=bots).id for bots in tables)
    due = partial(dispatch.due, session, KINDS, playing.ANSWER, message_age=0.0)
    assert due(limit=9) == [first, third, fourth], "there is one lane; the house has no bounds"
    session.commit()
    claim = attempts.claim(session, ANSWERS, first, "tester", lease=LEASE)
    assert claim is not None
    session.commit()
    session.execute(update(Job).values(sent_at=None))
    assert due(limit=1) == [third]
    assert attempts.claim(session, ANSWERS, second, "tester", lease=LEASE) is None
    ANSWERS.give_back(session, claim)
    session.commit()
    assert due(limit=1) == [first]


@on_sqlite
def test_slow_bots_in_casual_games_leave_matches_their_lanes(session: Session) -> None:
    """Their people may choose at once, so that each of these games always waits for its bot."""
    host(session, lanes=2)
    bots = [
        open_to_people(session, active_upload(session, author(session, name), name).bot_id)
        for name in ("ana", "bela")
    ]
    games = [friends(session, 1, bots=(bot,)).id for bot in bots]
    claims = [attempts.claim(session, ANSWERS, game, "tester", lease=LEASE) for game in games]
    session.commit()
    assert [claim is None for claim in claims] == [False, True]
    held = set(session.scalars(select(Holding.party).where(Holding.party < 1)))
    assert held == {lanes.ANSWERS}


@on_sqlite
def test_the_game_that_waits_longest_is_answered_first(session: Session) -> None:
    house = house_bot(session)
    workers.beat(session, "tester", places=100)
    old, new = (friends(session, 1, bots=(house,)) for _ in range(2))
    old.asked_at = now(session) + timedelta(seconds=1)  # its person has chosen just now
    session.commit()
    due = partial(dispatch.due, session, KINDS, playing.ANSWER, message_age=0.0)
    assert due(limit=1) == [new.id]


class Broken:
    """The hosts, all of which break off."""

    def least_busy(self, _: set[str]) -> NoReturn:
        raise HostLost("ping timeout")


@on_sqlite
@pytest.mark.parametrize(("hosts", "number"), [(NO_HOSTS, 0), (cast(Hosts, Broken()), 1)])
def test_what_fails_at_the_hosts_is_no_fault_of_a_bot(
    session: Session, hosts: Hosts, number: int
) -> None:
    host(session)
    bot_id = open_to_people(session, active_upload(session, author(session)).bot_id)
    game = friends(session, 1, bots=(bot_id,))
    for _ in range(2 * CALLS):
        asyncio.run(answered(session, game, hosts))
        job = session.scalars(select(Job), execution_options={"populate_existing": True}).one()
        assert job.not_before is not None
        assert job.not_before > now(session)
        session.execute(update(Job).values(not_before=None))
        session.commit()
    assert job.number == number * 2 * CALLS
    assert (game.state, game.table[1].fault) == (CasualState.PLAYING, None)


@on_sqlite
def test_a_gateway_that_is_away_is_no_fault_of_a_bot(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(GATEWAY, f"unix:{tmp_path}/gateway")
    monkeypatch.setenv(GATEWAY_KEY, KEY)
    with served(HouseBot, f"unix:{tmp_path}/bot") as bot:
        bots = house_bot(session, "far", "gateway:ana"), house_bot(session, "near", bot)
        game = friends(session, 1, bots=bots)
        game.start_up_ms = 1000
        for _ in range(CALLS + 1):
            session.execute(update(Job).values(not_before=None))
            session.commit()
            asyncio.run(answered(session, game))
    session.expire_all()
    assert (game.state, game.table[1].fault) == (CasualState.PLAYING, None)
    assert [seat.nonce is None for seat in game.table] == [False, True, False]


def test_so_much_is_kept_and_no_more(session: Session) -> None:
    ana = author(session)
    host(session)
    bot_id = open_to_people(session, active_upload(session, ana).bot_id)
    games = [friends(session, 1, bots=(bot_id,)) for _ in range(3)]
    for number in range(3):
        outputs.keep(session, games[0], [Written(1, b"%d" % number * outputs.MOST, b"", 7, 400)])
    session.commit()
    found = outputs.of_game(session, ana, bot_id, games[0].id)
    begins, left_out, ends = found.output.partition(b"\n[... some bytes left out ...]\n")
    assert left_out
    assert (set(begins), set(ends)) == (set(b"0"), set(b"2"))
    assert outputs.MOST - 2 < len(found.output) <= outputs.MOST
    assert (found.peak_memory, found.cpu_ms) == (7, 1), "runs of less than a millisecond add up"
    for game in games[1:]:
        outputs.keep(session, game, [Written(1, b"")])
    assert [one.wrote for one in outputs.of_bot(session, ana, bot_id)] == [0, 0, len(found.output)]


def test_the_oldest_games_are_forgotten(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "GAMES", 2)
    ana = author(session)
    host(session)
    bot_id = open_to_people(session, active_upload(session, ana).bot_id)
    games = [friends(session, 1, bots=(bot_id,)) for _ in range(4)]
    for game in games:
        outputs.keep(session, game, [Written(1, b"x")])
    session.add(CasualAnalysis(game_id=games[3].id))
    kept = [one.game_id for one in outputs.of_bot(session, ana, bot_id)]
    assert kept == [games[3].id, games[2].id]
    playing.leave(session, games[3], games[3].table[0])
    write(session)
    games[3].ended_at = now(session) - 2 * history.WITHOUT_RESULT
    session.commit()
    assert history.forget(session, history.WITHOUT_RESULT) == 1
    session.commit()
    assert session.scalars(select(CasualOutput.game_id)).all() == [games[2].id]
    assert session.scalars(select(CasualAnalysis.game_id)).all() == []


@on_sqlite
def test_a_bot_behind_the_gateway_plays_with_people(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = f"unix:{tmp_path}/gateway"
    monkeypatch.setenv(GATEWAY, at)
    monkeypatch.setenv(GATEWAY_KEY, KEY)
    game = friends(session, 1, bots=(house_bot(session, "drawing", "gateway:ana"),))

    async def play(bot: str) -> None:
        async with gateway(at), guest(bot, at):
            await play_runs(session, game, NO_HOSTS, runs=1000)

    with served(HouseBot, f"unix:{tmp_path}/bot") as bot:
        asyncio.run(play(bot))
    assert game.replay is not None
    found = replay.read(game.replay)
    replay.verify(found)
    assert not any(entry.HasField("fault") for entry in found.entries)
    assert session.scalars(select(Version.address)).all() == ["gateway:ana"]
