import asyncio
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from ladder.live.game import Watch
from ladder.live.stream import Frame
from ladder.matches import reading, results
from ladder.matches.job import MatchClaim
from ladder.playing import referee
from referee.bot import Bot, Decision
from referee.errors import Unreachable
from referee.replay import read, tributes, verify
from referee.rules import Move
from tests.ladder.league import NO_HOSTS, claimed, first_match
from tests.referee.games import served


class Wanderer(Bot):
    """Plays anything."""

    def choose(self, decision: Decision) -> Move:
        return random.choice(decision.moves)


class Cheat(Wanderer):
    """Plays what is not legal."""

    def choose(self, decision: Decision) -> Move:
        return max(decision.moves) + 1_000_000


@pytest.fixture
def addresses(tmp_path: Path) -> Iterator[dict[type[Bot], str]]:
    """Where bots of each class listen."""
    with (
        served(Wanderer, f"unix:{tmp_path}/wanderer") as wanderer,
        served(Cheat, f"unix:{tmp_path}/cheat") as cheat,
    ):
        yield {Wanderer: wanderer, Cheat: cheat}


@pytest.fixture
def claim(session: Session) -> MatchClaim:
    return claimed(session, first_match(session, seats=3, count=3))


def at(claim: MatchClaim, *addresses: str) -> MatchClaim:
    """The same match with its players at these addresses."""
    players = zip(claim.players, addresses, strict=True)
    return replace(claim, players=tuple(replace(one, address=where) for one, where in players))


def kept_in(frames: list[Frame]) -> Watch:
    """Puts all that is told there."""
    return lambda frame, *_: frames.append(frame)


def test_a_claimed_match_is_played_by_the_referee(
    claim: MatchClaim, addresses: dict[type[Bot], str], session: Session
) -> None:
    frames: list[Frame] = []
    result = asyncio.run(
        referee(at(claim, *[addresses[Wanderer]] * 3), kept_in(frames), hosts=NO_HOSTS)
    )
    replay = read(result.replay)
    verify(replay)
    assert (replay.match_id, replay.attempt) == (str(claim.match_id), claim.attempt)
    assert [seat.name for seat in replay.seats] == [player.name for player in claim.players]
    assert result.reason in ("ships", "turns")
    assert [seat.rank for seat in result.seats] == list(replay.result.ranks)
    assert [seat.vp for seat in result.seats] == [score.vp for score in replay.result.scores]
    assert {frame["type"] for frame in frames} == {"roll", "move"}
    results.finish(session, claim, result)
    assert reading.replay(session, claim.match_id) == result.replay


def test_every_match_of_a_deal_has_the_layout_and_each_attempt_dice_of_its_own(
    claim: MatchClaim, addresses: dict[type[Bot], str]
) -> None:
    table = at(claim, *[addresses[Wanderer]] * 3)
    one, other = (
        read(asyncio.run(referee(table, lambda *_: None, hosts=NO_HOSTS)).replay) for _ in range(2)
    )
    assert one.setup == other.setup
    assert one.dice_seed != other.dice_seed
    assert len(one.dice_seed) == 32


def test_a_fault_stands_in_the_result(claim: MatchClaim, addresses: dict[type[Bot], str]) -> None:
    table = at(claim, addresses[Wanderer], addresses[Cheat], addresses[Cheat])
    frames: list[Frame] = []
    result = asyncio.run(referee(table, kept_in(frames), hosts=NO_HOSTS))
    assert result.reason == "forfeit"
    assert [seat.vp for seat in result.seats] == [None, None, None]
    assert [seat.fault is None for seat in result.seats] == [True, False, False]
    assert result.seats[0].rank == 1
    faults = [frame["fault"]["code"] for frame in frames if frame["type"] == "fault"]
    assert sorted(faults) == sorted(str(seat.fault) for seat in result.seats[1:])


def test_tributes_are_counted_as_the_replay_has_them(
    claim: MatchClaim, addresses: dict[type[Bot], str]
) -> None:
    table = at(claim, addresses[Wanderer], addresses[Wanderer], addresses[Cheat])
    results = [asyncio.run(referee(table, lambda *_: None, hosts=NO_HOSTS)) for _ in range(4)]
    assert all(result.tributes == tributes(read(result.replay)) for result in results)
    assert any(result.tributes for result in results)


def test_nobody_at_an_address(claim: MatchClaim, addresses: dict[type[Bot], str]) -> None:
    table = at(claim, "unix:/nowhere/bot", addresses[Wanderer], addresses[Wanderer])
    table = replace(table, clock=replace(table.clock, start_up=0.3))
    with pytest.raises(Unreachable) as raised:
        asyncio.run(referee(table, lambda *_: None, hosts=NO_HOSTS))
    assert raised.value.seat == 0


def test_a_secret_that_the_worker_cannot_open_is_no_fault_of_the_bot(
    claim: MatchClaim,
    addresses: dict[type[Bot], str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.delenv("SANTIAGO_SECRET_KEY", raising=False)
    table = at(claim, *3 * [addresses[Wanderer]])
    first, *others = table.players
    table = replace(table, players=(replace(first, secret=b"sealed"), *others))
    with pytest.raises(Unreachable) as raised:
        asyncio.run(referee(table, lambda *_: None, hosts=NO_HOSTS))
    assert (raised.value.seat, raised.value.ours) == (0, True)
    assert "SANTIAGO_SECRET_KEY is not set" in caplog.text
