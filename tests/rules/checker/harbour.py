"""The delivery round at the harbour (H1 to H3)."""

from .buildings import demanded, hand_back
from .names import Player, Rule, Table, ask, clockwise
from .ships import demand_is_met, leave, raise_value


def delivery_round(table: Table) -> Rule[None]:
    """Go round until the demand is met or all have passed."""
    taking_part = clockwise(table["active"], len(table["players"]))
    while taking_part:
        for seat in list(taking_part):
            player = table["players"][seat]
            move = yield from ask(seat, "deliver", deliveries(table, player))
            if move == "pass":
                taking_part.remove(seat)
                continue
            deliver(table, player, move.split())
            if demand_is_met(table):
                leave(table)
                return
    raise_value(table)


def deliveries(table: Table, player: Player) -> list[str]:
    """All legal moves of one go: plain goods, wood in place of a good, and passing."""
    moves = []
    for good in demanded(table):
        left = table["demand"][good]
        held, wood = player["goods"][good], player["goods"]["wood"]
        moves += [f"deliver {good} {n}" for n in range(1, min(held, left) + 1)]
        moves += [f"deliver wood {n} as {good}" for n in range(1, min(wood, left) + 1)]
    return [*moves, "pass"]


def deliver(table: Table, player: Player, words: list[str]) -> None:
    """Hand the goods over and turn the die (H2); the words are those of the move."""
    match words:
        case ["deliver", "wood", number, "as", good]:
            hand_back(table, player, "wood", int(number))
            player["vp"] += int(number)
        case ["deliver", good, number]:
            hand_back(table, player, good, int(number))
            player["vp"] += table["value"] * int(number)
    table["demand"][good] -= int(number)
