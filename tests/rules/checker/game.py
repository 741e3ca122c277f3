"""The course of a game: the setup's roll, then turn after turn to the end."""

from .buildings import use
from .citizens import meet
from .drive import citizen_at_car, drive
from .harbour import delivery_round
from .names import LAST_TURN, Rule, Setup, Table, ask
from .ships import GameOver, roll_demand


def play(table: Table, setup: Setup) -> Rule[str]:
    """Play a whole game on the table and return the reason why it ended."""
    try:
        yield from roll_demand(table, seat=setup["players"] - 1)
        while True:
            begin_turn(table)
            yield from turn(table, setup)
    except GameOver as over:
        return over.reason


def begin_turn(table: Table) -> None:
    """The next seat becomes active; seat 0 has the first turn."""
    if table["turn"] > 0:
        table["active"] = (table["active"] + 1) % len(table["players"])
    table["turn"] += 1


def turn(table: Table, setup: Setup) -> Rule[None]:
    """One turn of the active player, to the roll for a new ship if one came."""
    yield from drive(table, setup)
    if table["car"] == 0:
        yield from delivery_round(table)
    elif citizen_at_car(table, setup) not in table["silenced"]:
        yield from meet_and_visit(table, setup)
    pay_owner(table)
    if table["turn"] == LAST_TURN:
        raise GameOver("turns")
    yield from roll_demand(table, seat=table["active"])


def meet_and_visit(table: Table, setup: Setup) -> Rule[None]:
    """The citizen's function, the pawn's move, and the function of the building (B1, B2)."""
    citizen = citizen_at_car(table, setup)
    yield from meet(table, citizen)
    seat = table["active"]
    player = table["players"][seat]
    open_buildings = reachable(table, setup, setup["citizen_flowers"][citizen])
    if open_buildings:
        move = yield from ask(seat, "visit", [f"visit {name}" for name in open_buildings])
        player["pawn"] = move.split()[1]
    if player["pawn"] is not None:
        yield from use(table, seat, player["pawn"])


def reachable(table: Table, setup: Setup, flower: str | None) -> list[str]:
    """The buildings under a flower where no pawn stands, the player's own included.

    El Zorro has no flower, so nothing is reachable from him.
    """
    taken = [player["pawn"] for player in table["players"]]
    spaces = zip(setup["buildings"], setup["space_flowers"], strict=True)
    return [name for name, above in spaces if above == flower and name not in taken]


def pay_owner(table: Table) -> None:
    """The owner of the building where another's pawn ends its turn gets 1 VP (B12)."""
    pawn = table["players"][table["active"]]["pawn"]
    owner = table["owners"].get(pawn) if pawn else None
    if owner is not None and owner != table["active"]:
        table["players"][owner]["vp"] += 1
