"""Hostile bots that have dialled in: the gateway hands on what they do, and bears it as well."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

import pytest

from referee.gateway.server import Calls, start_gateway
from tests.hostile_bots import stable
from tests.hostile_bots.family import FAMILY, Kind, batches, names
from tests.hostile_bots.trial import tried
from tests.referee.gateway.wires import KEY, guest, through
from tests.referee.test_faults import nothing_runs_on

NewAddress = Callable[[], str]
TOKENS = {f"token-of-{name}": name for name in FAMILY}
# Who does not say who he is cannot join.
JOINING = [
    kept
    for kinds in batches(12)
    if (kept := tuple(kind for kind in kinds if kind.sin is None or kind.sin[0] != "describe"))
]


@pytest.fixture(scope="module")
def good(new_address: NewAddress) -> Iterator[str]:
    """The address of a good bot in another process."""
    address = new_address()
    with stable.good_bot(address):
        yield address


@pytest.mark.parametrize("kinds", JOINING, ids=names)
async def test_the_others_game_is_finished_and_rightly_ranked(
    kinds: tuple[Kind, ...], new_address: NewAddress, good: str
) -> None:
    at = new_address()

    @asynccontextmanager
    async def joined(kind: Kind, address: str) -> AsyncIterator[str]:
        async with guest(address, at, kind.name):
            yield f"gateway:{kind.name}"

    gateway = await start_gateway(at, Calls(TOKENS.get, KEY))
    matches = (tried(kind, 3, good, new_address, through(at), joined) for kind in kinds)
    records = await asyncio.gather(*matches)
    await gateway.stop(None)
    assert not [record for record in records if record.wrong]
    await nothing_runs_on()
