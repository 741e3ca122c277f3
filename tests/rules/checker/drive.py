"""The car's drive along the street (D1 to D3)."""

from .names import STOPS, Rule, Setup, Table, ask
from .ships import raise_value


def drive(table: Table, setup: Setup) -> Rule[None]:
    """Ask how far, take the whole fare, and move the car stop by stop."""
    driver = table["players"][table["active"]]
    legal = [f"drive {distance}" for distance in range(1, driver["pesos"] + 2)]
    move = yield from ask(table["active"], "drive", legal)
    distance = int(move.split()[1])
    driver["pesos"] -= distance - 1
    for steps_left in reversed(range(distance)):
        wake_citizen_left_behind(table, setup)
        table["car"] = (table["car"] + 1) % STOPS
        if table["car"] == 0 and steps_left > 0:
            raise_value(table)


def wake_citizen_left_behind(table: Table, setup: Setup) -> None:
    """The citizen at the stop that the car leaves or passes is awake from now on (D3)."""
    if table["car"] != 0:
        citizen = citizen_at_car(table, setup)
        if citizen in table["silenced"]:
            table["silenced"].remove(citizen)


def citizen_at_car(table: Table, setup: Setup) -> str:
    """The citizen at whose stop the car is; the car must not be at the harbour."""
    return setup["citizens"][table["car"] - 1]
