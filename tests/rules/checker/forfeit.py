"""Faults: a line for each, and the forfeit that ends a game that at most one seat has not left."""

from typing import Any

from .comparison import differ, same, same_keys, same_set
from .lines import check_state
from .names import Decision, Due, Table
from .reader import Divergence, Line


def check_fault(line: Line, due: Due, table: Table, faults: dict[int, str], *, begun: bool) -> None:
    """A seat that had not faulted does so now, at its own decision if one is open.

    Until the first roll bots are absent, and nothing else; later never.
    """
    same_keys("the fault line", ["type", "seat", "code", "kind", "legal", "state"], line)
    seat = line["seat"]
    if type(seat) is not int or not 0 <= seat < len(table["players"]):
        differ("seat", "a seat of the table", seat)
    if seat in faults:
        raise Divergence(f"seat {seat} should fault once but faulted before.")
    if not isinstance(line["code"], str) or not line["code"]:
        differ("code", "a fault's code", line["code"])
    if (line["code"] == "absent") == begun:
        raise Divergence("a bot should be absent before the first roll, and only there.")
    if isinstance(due, Decision) and due.seat == seat:
        same("kind", due.kind, line["kind"])
        same_set("legal", list(due.legal), line["legal"])
    else:
        same("kind", None, line["kind"])
        same("legal", None, line["legal"])
    check_state(table, line["state"])
    faults[seat] = line["code"]


def check_forfeit(line: Line, players: int, told: dict[int, str]) -> None:
    """At most one seat without a fault; it is first, and ranks count from 1, ties shared.

    Where lines told of faults the forfeit has the same ones.
    """
    same_keys("the forfeit line", ["type", "ranks"], line)
    ranks = line["ranks"]
    if not isinstance(ranks, list):
        differ("ranks", "a list", ranks)
    same("the length of ranks", players, len(ranks))
    for seat, row in enumerate(ranks):
        check_row(f"ranks[{seat}]", seat, row)
    for seat in range(players) if told else ():
        same(f"ranks[{seat}].fault", told.get(seat), ranks[seat]["fault"])
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
