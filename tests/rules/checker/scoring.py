"""The final scores and ranks (E1, E2)."""

from typing import Any

from .names import Player, Table

GOODS_FOR_A_VP = 3


def scores(table: Table) -> list[dict[str, Any]]:
    """The scores of the result line, in the order of seats."""
    return [score(table, seat) for seat in range(len(table["players"]))]


def score(table: Table, seat: int) -> dict[str, Any]:
    """What one player reaches; the rank is one more than the number of players ahead."""
    reached = standing(table["players"][seat])
    ahead = sum(standing(other) > reached for other in table["players"])
    vp, leftover, pesos = reached
    return {"seat": seat, "vp": vp, "leftover": leftover, "pesos": pesos, "rank": ahead + 1}


def standing(player: Player) -> tuple[int, int, int]:
    """VP with the goods turned in, goods left over, pesos: compared in this order."""
    goods = sum(player["goods"].values())
    return player["vp"] + goods // GOODS_FOR_A_VP, goods % GOODS_FOR_A_VP, player["pesos"]
