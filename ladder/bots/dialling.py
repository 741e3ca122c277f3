"""How a bot of the ladder is dialled: its address checked anew, and its secret at hand."""

from __future__ import annotations

from dataclasses import replace

from ladder.bots import addresses
from ladder.bots.addresses import OutOfBounds, Resolver
from ladder.errors import Invalid
from ladder.secrets import SecretBox
from referee.ways import Ways, bot_behind_gateway


async def ways_to(
    address: str,
    secret: bytes | None,
    ways: Ways,
    *,
    house: bool = False,
    resolver: Resolver = addresses.look_up,
) -> Ways:
    """The ways to one bot, for one match. `secret`: sealed; without one those of `ways` hold.

    A house bot is dialled wherever it is, and nobody but the operator registers a bot at `unix:`.
    Raises OutOfBounds where a host may not be dialled, SettingsError where the secret cannot be
    opened.
    """
    if secret is not None:
        ways = replace(ways, secrets={address: SecretBox.from_environment().open(secret)})
    if house or address.startswith("unix:") or bot_behind_gateway(address) is not None:
        return ways
    try:
        given = addresses.parse(address)
    except Invalid as error:
        raise OutOfBounds(str(error)) from None
    allowed = addresses.private_allowed()
    route = await addresses.route(given, allow_private=allowed, resolver=resolver)
    return replace(ways, routes={address: route})
