"""Every hostile bot, each in a process of its own, at tables of 2, 3 and 4 with good bots."""

import asyncio
import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.hostile_bots.family import Kind, batches, names
from tests.hostile_bots.memory import MOST_GROWTH, WARM_UP, peaks
from tests.hostile_bots.stable import good_bot
from tests.hostile_bots.trial import TABLES, tried
from tests.referee.test_faults import nothing_runs_on

NewAddress = Callable[[], str]


@pytest.fixture(scope="module")
def good(new_address: NewAddress) -> Iterator[str]:
    """The address of a good bot in another process."""
    address = new_address()
    with good_bot(address):
        yield address


@pytest.mark.parametrize("kinds", list(batches()), ids=names)
async def test_the_others_game_is_finished_and_rightly_ranked(
    kinds: tuple[Kind, ...], new_address: NewAddress, good: str
) -> None:
    unheard: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unheard.append(context))
    matches = (tried(kind, seats, good, new_address) for kind in kinds for seats in TABLES)
    records = await asyncio.gather(*matches)
    await nothing_runs_on()
    assert not [record for record in records if record.wrong]
    assert all(record.sentence.isprintable() and len(record.received) <= 200 for record in records)
    gc.collect()  # a task whose exception nobody has asked for tells of it when it goes
    assert not unheard


def test_the_memory_of_the_referee_is_flat() -> None:
    *_, warm, _, _, last = peaks(WARM_UP + 3)
    assert 0 <= last - warm <= MOST_GROWTH
