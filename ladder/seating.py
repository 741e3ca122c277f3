"""The players of a claimed match or casual game: dialled, behind the gateway, or at a host.

All hosted bots of a table play at one host; what they wrote there is kept for their authors.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from ladder.bots.addresses import OutOfBounds, ways_to
from ladder.bots.hosts import Hosts
from ladder.errors import SettingsError
from ladder.matches.job import MatchClaim
from ladder.matches.results import Written
from ladder.matches.tables import Player, is_hosted
from referee.errors import Interrupted, Unreachable
from referee.hosting.client import RemoteHost
from referee.hosting.hosted_seat import HostedSeat
from referee.seats.player import SeatPlayer
from referee.seats.remote import RemoteSeat
from referee.ways import Ways

_log = logging.getLogger(__name__)
Players: TypeAlias = list[SeatPlayer | None]
"""The players by seat; None stands for a bot that is absent from the start."""


class NotPlayed(Exception):
    """A table with hosted bots that came to nothing: why, and what the bots wrote."""

    def __init__(self, why: Unreachable | Interrupted, written: Sequence[Written]) -> None:
        super().__init__(str(why))
        self.why = why
        self.written = written


@asynccontextmanager
async def players(claim: MatchClaim, hosts: Hosts) -> AsyncIterator[Players]:
    """Yield the players, at addresses checked for this match; a host counts it as its own.

    Raises Unreachable, and NoHost if a hosted bot is at the table and no host takes it.
    """
    present = {
        seat: player for seat, player in enumerate(claim.players) if seat not in claim.absent
    }
    async with place(present.values(), hosts) as host_place:
        ways = Ways.from_environment()
        called = await asyncio.gather(
            *(player_of(seat, player, ways, host_place) for seat, player in present.items())
        )
        by_seat = dict(zip(present, called, strict=True))
        yield [by_seat.get(seat) for seat in range(len(claim.players))]


@dataclass(frozen=True, slots=True)
class TableHost:
    """The host that was chosen for the hosted bots of a table, among all hosts."""

    hosts: Hosts
    host: RemoteHost


@asynccontextmanager
async def place(table: Iterable[Player], hosts: Hosts) -> AsyncIterator[TableHost | None]:
    """Yield the place for the hosted bots at a table, None if there are none. Raises NoHost."""
    hosted = [player for player in table if is_hosted(player.address)]
    if not hosted:
        yield None
    else:
        async with hosts.least_busy({one.runtime for one in hosted if one.runtime}) as host:
            yield TableHost(hosts, host)


async def player_of(seat: int, player: Player, ways: Ways, place: TableHost | None) -> SeatPlayer:
    """Return who plays a seat, not yet called.

    Raises Unreachable if its address is forbidden, or if this worker can't open its secret.
    """
    if place is not None and player.bundle is not None:
        return _hosted(player, player.bundle, place)
    try:
        own = await ways_to(player.address, player.secret, ways, house=player.house)
    except OutOfBounds as error:
        raise Unreachable(seat, f"{error}.") from None
    except SettingsError as error:
        _log.error("%s can't be called: %s", player.name, error)
        raise Unreachable(seat, "its secret could not be opened.", ours=True) from None
    return RemoteSeat(player.address, own, player.version)


def written(players: Sequence[SeatPlayer | None]) -> tuple[Written, ...]:
    """Return what hosted bots wrote; of one that did not start, also why, after its stderr."""
    outputs = (
        _written(seat, player)
        for seat, player in enumerate(players)
        if isinstance(player, HostedSeat)
    )
    return tuple(one for one in outputs if one is not None)


def _written(seat: int, player: HostedSeat) -> Written | None:
    if (failed := player.not_started) is not None:
        errors = b"\n".join(part for part in (failed.errors.rstrip(), failed.why.encode()) if part)
        return Written(seat, failed.output, errors)
    if (closed := player.closed) is None:
        return None
    return Written(seat, closed.output, closed.errors, closed.peak_memory, closed.cpu_us)


def _hosted(player: Player, bundle: str, place: TableHost) -> SeatPlayer:
    return HostedSeat(
        place.host,
        bytes.fromhex(bundle),
        str(player.bot_id),
        str(player.version_id),
        partial(place.hosts.bring_bundle, place.host, bundle),
    )
