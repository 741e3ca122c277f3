"""How a seat is invited to a game that the checks play."""

from referee.clock import Clock
from referee.dice import commitment
from referee.rules import Layout
from referee.seats import Invitation


def opening(
    match_id: str, seat: int, players: int, layout: Layout, seed: bytes, clock: Clock
) -> Invitation:
    """The invitation to a game whose dice come from `seed`."""
    return Invitation(
        match_id=match_id,
        attempt=1,
        seat=seat,
        players=players,
        layout=layout,
        clock=clock,
        dice_commitment=commitment(seed),
    )
