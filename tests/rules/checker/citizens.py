"""The functions of the nine citizens (C1 to C5)."""

from .buildings import gives_something, use
from .names import BUILDINGS, PLAIN_GOODS, Player, Rule, Table, ask, clockwise


def meet(table: Table, citizen: str) -> Rule[None]:
    """Carry out the function of an awake citizen for the active player."""
    player = table["players"][table["active"]]
    match citizen:
        case "pedro":
            take(table, player, "tobacco", 2)
        case "jose":
            take(table, player, "sugar", 2)
        case "conchita":
            take(table, player, "citrus", 2)
        case "miguel":
            take(table, player, "wood", 2)
        case "maria":
            player["vp"] += 2
        case "martinez":
            player["pesos"] += 3
        case "pablo":
            yield from fence(table, player)
        case "el-zorro":
            yield from pickpocket(table, player)
        case "alonso":
            yield from lawyer(table, player)


def take(table: Table, player: Player, good: str, number: int) -> None:
    """Take goods from the supply, or as many as are left (C1)."""
    taken = min(number, table["supply"][good])
    table["supply"][good] -= taken
    player["goods"][good] += taken


def fence(table: Table, player: Player) -> Rule[None]:
    """Pablo: one plain good that the supply still has, no declining (C3)."""
    legal = [f"take {good}" for good in PLAIN_GOODS if table["supply"][good]]
    if legal:
        move = yield from ask(table["active"], "pick", legal)
        take(table, player, move.split()[1], 1)


def pickpocket(table: Table, thief: Player) -> Rule[None]:
    """El Zorro: every other player gives one thing of what they have (C4)."""
    for seat in clockwise(table["active"], len(table["players"]))[1:]:
        victim = table["players"][seat]
        legal = gifts(victim)
        if legal:
            move = yield from ask(seat, "tribute", legal)
            hand_over(victim, thief, move.split()[1])


def gifts(victim: Player) -> list[str]:
    """What a victim can give: a peso, a VP, or a plain good."""
    things = ["peso"] if victim["pesos"] else []
    things += ["vp"] if victim["vp"] else []
    things += [good for good in PLAIN_GOODS if victim["goods"][good]]
    return [f"give {thing}" for thing in things]


def hand_over(victim: Player, thief: Player, thing: str) -> None:
    """One thing goes from the victim to the thief."""
    if thing == "peso":
        victim["pesos"] -= 1
        thief["pesos"] += 1
    elif thing == "vp":
        victim["vp"] -= 1
        thief["vp"] += 1
    else:
        victim["goods"][thing] -= 1
        thief["goods"][thing] += 1


def lawyer(table: Table, player: Player) -> Rule[None]:
    """Alonso: own a building that nobody owns, or use one's own, or neither (C5)."""
    seat = table["active"]
    free = [name for name in BUILDINGS if name not in table["owners"]] if player["markers"] else []
    useful = [
        name
        for name, owner in table["owners"].items()
        if owner == seat and gives_something(table, seat, name)
    ]
    legal = [f"own {name}" for name in free] + [f"use {name}" for name in useful] + ["pass"]
    move = yield from ask(seat, "lawyer", legal)
    match move.split():
        case ["own", building]:
            player["markers"] -= 1
            table["owners"][building] = seat
        case ["use", building]:
            yield from use(table, seat, building)
