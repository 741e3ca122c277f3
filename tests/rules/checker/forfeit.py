"""The forfeit line, which ends a game that all seats but one, or all, had left by faults."""

from typing import Any

from .comparison import differ, same, same_keys
from .reader import Divergence, Line


def check_forfeit(line: Line, players: int) -> None:
    """At most one seat without a fault; it is first, and ranks count from 1, ties shared."""
    same_keys("the forfeit line", ["type", "ranks"], line)
    ranks = line["ranks"]
    if not isinstance(ranks, list):
        differ("ranks", "a list", ranks)
    same("the length of ranks", players, len(ranks))
    for seat, row in enumerate(ranks):
        check_row(f"ranks[{seat}]", seat, row)
    faultless = [row for row in ranks if row["fault"] is None]
    if len(faultless) > 1:
        raise Divergence(
            "a game should be forfeited only when at most one seat has no fault "
            f"but {len(faultless)} have none."
        )
    for row in ranks:
        same(f"ranks[{row['seat']}].rank", rank_among(row, ranks), row["rank"])
    for row in faultless:
        same(f"ranks[{row['seat']}].rank of the only seat without a fault", 1, row["rank"])
        if sum(other["rank"] == 1 for other in ranks) > 1:
            raise Divergence("the only seat without a fault should have rank 1 alone.")


def check_row(field: str, seat: int, row: Any) -> None:
    """One seat's row: its number, a rank, and the fault's code or null."""
    if not isinstance(row, dict):
        differ(field, "an object", row)
    same_keys(field, ["seat", "rank", "fault"], row)
    same(f"{field}.seat", seat, row["seat"])
    if type(row["rank"]) is not int:
        differ(f"{field}.rank", "a whole number", row["rank"])
    if row["fault"] is not None and (not isinstance(row["fault"], str) or not row["fault"]):
        differ(f"{field}.fault", "a fault's code or null", row["fault"])


def rank_among(row: Line, ranks: list[Line]) -> int:
    """The rank that a seat must have: one more than the number of seats ahead of it."""
    return 1 + sum(int(other["rank"] < row["rank"]) for other in ranks)
