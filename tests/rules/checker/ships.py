"""Ships: the value marker, departures, and the demand of the next one (H3 to H6)."""

from .names import HIGHEST_VALUE, LAST_SHIP, PLAIN_GOODS, Roll, Rule, Table, ask


class GameOver(Exception):
    """The game ends this moment; nothing later in the turn happens."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def leave(table: Table) -> None:
    """The ship leaves and the next one comes at once, with no demand yet (H4, H6)."""
    if table["ship"] == LAST_SHIP:
        raise GameOver("ships")
    table["ship"] += 1
    table["value"] = 2
    table["demand"] = {}


def raise_value(table: Table) -> None:
    """Move the marker one flag right; from 4 that is the chequered flag."""
    if table["value"] == HIGHEST_VALUE:
        leave(table)
    else:
        table["value"] += 1


def lower_demand(table: Table, good: str, by: int) -> None:
    """Turn one die down; a ship whose dice are all 0 leaves at once (H4)."""
    table["demand"][good] -= by
    if demand_is_met(table):
        leave(table)


def demand_is_met(table: Table) -> bool:
    """Whether all four dice show 0. A ship whose demand is not rolled yet waits for it."""
    return bool(table["demand"]) and not any(table["demand"].values())


def roll_demand(table: Table, seat: int) -> Rule[None]:
    """Roll until a ship stays that demands something (H5)."""
    while not table["demand"]:
        dice: dict[str, int] = yield Roll(seat)
        move = yield from ask(seat, "demand", [f"exclude {good}" for good in PLAIN_GOODS])
        excluded = move.split()[1]
        table["demand"] = {good: dice[good] for good in PLAIN_GOODS if good != excluded}
        if demand_is_met(table):
            leave(table)
