"""Which line leads to an address."""

from typing import TypeAlias

from referee.seats.line import Line, dial_far
from referee.seats.near_line import NearLine, dial_near
from referee.ways import Ways, is_on_this_machine

AnyLine: TypeAlias = Line | NearLine


async def dial(address: str, ways: Ways, seat: str) -> AnyLine:
    """A line to the bot at an address, for a seat that no other game has.

    It may turn out only when it is used that nobody is there. Raises LineLost and Interrupted.
    """
    if is_on_this_machine(address) and not ways.is_strange(address):
        return await dial_near(address)
    return await dial_far(address, ways, seat)
