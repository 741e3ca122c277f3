"""The players of a claimed match: dialled, behind the gateway, or at a host.

All hosted bots of a match play at one host, and what they wrote there is kept with the match.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeAlias

from ladder.bots.addresses import OutOfBounds, ways_to
from ladder.bots.hosts import Hosts, NoHost
from ladder.matches.job import MatchClaim
from ladder.matches.results import Written
from ladder.matches.tables import Player, is_hosted
from referee.errors import Unreachable
from referee.hosting.client import Host
from referee.hosting.hosted_seat import HostedSeat
from referee.seats.player import SeatPlayer
from referee.seats.remote import RemoteSeat
from referee.ways import Ways

Players: TypeAlias = list[SeatPlayer | None]
"""The players by seat; None stands for a bot that is absent from the start."""


@asynccontextmanager
async def players(claim: MatchClaim, hosts: Hosts | None) -> AsyncIterator[Players]:
    """Yield the players, at addresses checked for this match; a host counts it as its own.

    Raises Unreachable, and NoHost if a hosted bot is at the table and no host takes it.
    """
    if not any(is_hosted(player.address) for player in _present(claim).values()):
        yield await _players(claim)
    elif hosts is None:
        raise NoHost("this worker knows no host")
    else:
        runtimes = {player.runtime for player in _present(claim).values() if player.runtime}
        async with hosts.least_busy(runtimes) as host:
            yield await _players(claim, hosts, host)


def written(players: Sequence[SeatPlayer | None]) -> tuple[Written, ...]:
    """Return what hosted bots wrote; of one that did not start, also why, after its stderr."""
    found = (
        _written(seat, player)
        for seat, player in enumerate(players)
        if isinstance(player, HostedSeat)
    )
    return tuple(one for one in found if one is not None)


def _written(seat: int, player: HostedSeat) -> Written | None:
    if (failed := player.not_started) is not None:
        told = b"\n".join(part for part in (failed.errors.rstrip(), str(failed).encode()) if part)
        return Written(seat, failed.output, told)
    if (closed := player.closed) is None:
        return None
    return Written(seat, closed.output, closed.errors, closed.peak_memory, closed.cpu_us // 1000)


async def _players(
    claim: MatchClaim, hosts: Hosts | None = None, host: Host | None = None
) -> Players:
    ways = Ways.from_environment()
    present = _present(claim)
    found = await asyncio.gather(
        *(
            _player(seat, player, ways)
            if hosts is None or host is None or player.bundle is None
            else _hosted(player, player.bundle, hosts, host)
            for seat, player in present.items()
        )
    )
    by_seat = dict(zip(present, found, strict=True))
    return [by_seat.get(seat) for seat in range(len(claim.players))]


async def _player(seat: int, player: Player, ways: Ways) -> SeatPlayer:
    try:
        own = await ways_to(player.address, player.secret, ways, house=player.house)
    except OutOfBounds as error:
        raise Unreachable(seat, f"{error}.") from None
    return RemoteSeat(player.address, own, player.version)


async def _hosted(player: Player, bundle: str, hosts: Hosts, host: Host) -> SeatPlayer:
    return HostedSeat(
        host,
        bytes.fromhex(bundle),
        str(player.bot_id),
        str(player.version_id),
        partial(hosts.bring_bundle, host, bundle),
    )


def _present(claim: MatchClaim) -> dict[int, Player]:
    """Return the players by seat, without the absent ones."""
    return {seat: player for seat, player in enumerate(claim.players) if seat not in claim.absent}
