"""The functions of the twelve buildings (B4 to B11)."""

from .names import CITIZEN_FLOWERS, LOWEST_VALUE, PLAIN_GOODS, Player, Rule, Table, ask
from .ships import lower_demand, raise_value

PESOS_FOR_A_VP = 3


def use(table: Table, seat: int, building: str) -> Rule[None]:
    """Give what the building gives unasked, then let the player use or decline the rest."""
    player = table["players"][seat]
    give(player, building)
    move = yield from ask(seat, "function", [*offers(table, player, building), "pass"])
    if move != "pass":
        carry_out(table, player, building, move.split())


def gives_something(table: Table, seat: int, building: str) -> bool:
    """Whether Alonso may offer the use of this building."""
    unasked = building in ("bank", "church", "newspaper")
    return unasked or bool(offers(table, table["players"][seat], building))


def give(player: Player, building: str) -> None:
    """What a building gives without a choice (C2)."""
    if building == "bank":
        player["pesos"] += 2
    elif building == "church":
        player["vp"] += 1
    elif building == "newspaper":
        player["pesos"] += 1


def offers(table: Table, player: Player, building: str) -> list[str]:
    """The moves that a building offers beside declining; empty for bank and church."""
    match building:
        case "distillery":
            return conversions(table, player, "sugar", "rum")
        case "cigar-factory":
            return conversions(table, player, "tobacco", "cigars")
        case "black-market":
            return swaps(table, player)
        case "sawmill":
            return ["sell wood"] if player["goods"]["wood"] else []
        case "cafe":
            return servings(player)
        case "customs":
            return [f"clear {good}" for good in demanded(table)]
        case "casino":
            most_bought = player["pesos"] // PESOS_FOR_A_VP
            buys = [f"buy {number}" for number in range(1, most_bought + 1)]
            return buys + [f"sell {number}" for number in range(1, player["vp"] + 1)]
        case "harbour-office":
            return ["raise", "lower"] if table["value"] > LOWEST_VALUE else ["raise"]
        case "trading-office":
            return [f"ship {good}" for good in demanded(table) if player["goods"][good]]
        case "newspaper":
            return [f"silence {who}" for who in CITIZEN_FLOWERS if who not in table["silenced"]]
    return []


def conversions(table: Table, player: Player, raw: str, product: str) -> list[str]:
    """Any number of the raw good, as far as the supply has the product (B4)."""
    most = min(player["goods"][raw], table["supply"][product])
    return [f"convert {number}" for number in range(1, most + 1)]


def swaps(table: Table, player: Player) -> list[str]:
    """One plain good for one other that the supply has (B5)."""
    return [
        f"swap {given} {got}"
        for given in PLAIN_GOODS
        for got in PLAIN_GOODS
        if given != got and player["goods"][given] and table["supply"][got]
    ]


def servings(player: Player) -> list[str]:
    """One rum, one cigars or one of both (B6)."""
    served = [good for good in ("rum", "cigars") if player["goods"][good]]
    both = ["serve rum cigars"] if len(served) == 2 else []
    return [f"serve {good}" for good in served] + both


def demanded(table: Table) -> list[str]:
    """The goods whose dice do not show 0; none before the demand is rolled (H4)."""
    return [good for good, left in table["demand"].items() if left]


def carry_out(table: Table, player: Player, building: str, words: list[str]) -> None:
    """Do what was chosen; the words are those of the move."""
    match building, *words:
        case "distillery", "convert", number:
            exchange(table, player, "sugar", "rum", int(number))
        case "cigar-factory", "convert", number:
            exchange(table, player, "tobacco", "cigars", int(number))
        case "black-market", "swap", given, got:
            exchange(table, player, given, got, 1)
        case "sawmill", "sell", "wood":
            hand_back(table, player, "wood", 1)
            player["vp"] += 1
            player["pesos"] += 1
        case "cafe", "serve", *goods:
            for good in goods:
                hand_back(table, player, good, 1)
                player["vp"] += 2
        case "customs", "clear", good:
            lower_demand(table, good, table["demand"][good])
        case "casino", "buy", number:
            player["pesos"] -= PESOS_FOR_A_VP * int(number)
            player["vp"] += int(number)
        case "casino", "sell", number:
            player["vp"] -= int(number)
            player["pesos"] += PESOS_FOR_A_VP * int(number)
        case "harbour-office", "raise":
            raise_value(table)
        case "harbour-office", "lower":
            table["value"] -= 1
        case "trading-office", "ship", good:
            hand_back(table, player, good, 1)
            player["vp"] += 2
            lower_demand(table, good, 1)
        case "newspaper", "silence", citizen:
            table["silenced"].append(citizen)
        case _:
            raise ValueError(f"{building} knows no move {' '.join(words)!r}")


def exchange(table: Table, player: Player, given: str, got: str, number: int) -> None:
    """Hand in some of one good for as many of another."""
    hand_back(table, player, given, number)
    table["supply"][got] -= number
    player["goods"][got] += number


def hand_back(table: Table, player: Player, good: str, number: int) -> None:
    """Put goods of a player back into the supply."""
    player["goods"][good] -= number
    table["supply"][good] += number
