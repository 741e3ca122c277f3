"""What bots are told before the end does not depend on the dice to come."""

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from itertools import count

import pytest

from referee import match
from referee.game import Luck
from referee.match import Match
from referee.seats import remote
from tests.hostile_bots import HostileBot, Request
from tests.referee.games import match_of, play

NewAddress = Callable[[], str]


@pytest.fixture(autouse=True)
def _stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """No time passes: what is left on the clocks is the same in each game."""
    for module in (remote, match):
        monkeypatch.setattr(module, "monotonic", lambda: 0.0)


def same_first_roll(seed: bytes) -> bytes:
    """Another seed, with the same first roll but not the same second one."""
    first, second = rolls(seed)
    candidates = (sha256(b"%d" % n).digest() for n in count())
    return next(s for s in candidates if (two := rolls(s))[0] == first and two[1] != second)


def rolls(seed: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    luck = Luck(seed, 1, [b"", b""])
    return luck.roll(), luck.roll()


async def told(match: Match, bots: list[HostileBot]) -> list[list[Request]]:
    """All that the bots were told in a match, by seat."""
    for bot in bots:
        bot.streams.clear()
    await play(match)
    return [bot.told for bot in bots]


def rolled(requests: list[Request]) -> list[int]:
    """At which messages a seat learnt of a roll."""
    return [
        at
        for at, request in enumerate(requests)
        for event in request.events
        if event.HasField("roll")
    ]


async def test_the_same_history_is_told_in_the_same_bytes(new_address: NewAddress) -> None:
    with HostileBot(new_address()) as one, HostileBot(new_address()) as other:
        match = match_of([one.address, other.address])
        changed = replace(match, dice_seed=same_first_roll(match.dice_seed))
        here = await told(match, [one, other])
        there = await told(changed, [one, other])
    for mine, yours in zip(here, there, strict=True):
        second_roll = rolled(mine)[1]
        assert second_roll > 5
        assert mine[0].start.dice_commitment != yours[0].start.dice_commitment
        mine[0].start.dice_commitment = yours[0].start.dice_commitment
        for a, b in zip(mine[:second_roll], yours[:second_roll], strict=True):
            assert a.SerializeToString() == b.SerializeToString()
        assert mine[second_roll] != yours[second_roll]


async def test_the_same_match_is_told_in_the_same_bytes(new_address: NewAddress) -> None:
    with HostileBot(new_address()) as one, HostileBot(new_address()) as other:
        match = match_of([one.address, other.address])
        assert await told(match, [one, other]) == await told(match, [one, other])


async def test_seed_and_nonces_are_told_at_the_end_and_not_before(new_address: NewAddress) -> None:
    with HostileBot(new_address()) as one, HostileBot(new_address()) as other:
        match = match_of([one.address, other.address])
        for requests in await told(match, [one, other]):
            assert requests[-1].end.dice_seed == match.dice_seed
            before = b"".join(request.SerializeToString() for request in requests[:-1])
            assert match.dice_seed not in before
            assert sha256(match.dice_seed).digest() in before
