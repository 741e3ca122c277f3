from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from referee.rl import PARTS, observe
from referee.rl.observation import SIZE
from referee.rules import Layout, Position, roll_dice
from referee.rules.cells import LAWYER, PHASES, TURN
from referee.rules.pieces import BUILDINGS, CITIZENS, GOODS, PLAIN_GOODS, SPACE_FLOWERS
from referee.rules.trace import state_json
from tests.rules.table import player, table

DOCUMENT = Path(__file__).parents[2] / "docs" / "learning.md"
Parts = dict[str, NDArray[np.float32]]


def moments(players: int, seed: int) -> list[Position]:
    """Every decision and the end of a random game."""
    luck = Random(seed)
    position = Position.start(Layout.shuffled(luck), players)
    found = []
    while not position.is_over:
        if position.legal_moves:
            found.append(position.copy())
            position.apply(luck.choice(position.legal_moves))
        else:
            position.roll(roll_dice(luck))
    return [*found, position]


def parts_of(position: Position, seat: int) -> Parts:
    """The parts of an observation by name, each in its shape."""
    numbers, start = observe(position, seat), 0
    found: Parts = {}
    for part in PARTS:
        found[part.name] = numbers[start : start + part.size].reshape(part.shape)
        start += part.size
    assert start == SIZE == len(numbers)
    return found


def chosen(one_hot: NDArray[np.float32]) -> int | None:
    """The index of the only 1; None where all is 0."""
    (indices,) = one_hot.nonzero()
    assert len(indices) <= 1
    return int(indices[0]) if len(indices) else None


def units(numbers: NDArray[np.float32], names: tuple[str, ...], scale: int) -> dict[str, int]:
    return {name: round(float(n) * scale) for name, n in zip(names, numbers, strict=True)}


def state_seen(seen: Parts, players: int, seat: int) -> dict[str, Any]:
    """STATE of the notation, from nothing but the observation."""

    def seat_of(one_hot: NDArray[np.float32]) -> int | None:
        place = chosen(one_hot)
        return None if place is None else (place + seat) % players

    steps_to = {chosen(stop[:10]): steps for steps, stop in enumerate(seen["street"], 1)}
    unwanted = chosen(seen["unwanted"])
    demand = units(seen["demand"], PLAIN_GOODS, 4)
    rows = {(place + seat) % players: seen["players"][place] for place in range(players)}
    pawns = {seat_of(row[8:]): BUILDINGS[n] for n, row in enumerate(seen["buildings"])}
    return {
        "ship": round(float(seen["clocks"][1]) * 7),
        "value": 2 + (chosen(seen["value"]) or 0),
        "demand": {good: n for g, (good, n) in enumerate(demand.items()) if g != unwanted}
        if unwanted is not None
        else {},
        "car": (10 - steps_to[0]) % 10,
        "silenced": {CITIZENS[(chosen(stop[:10]) or 0) - 1] for stop in seen["street"] if stop[14]},
        "supply": units(seen["supply"], GOODS, 8),
        "owners": {
            BUILDINGS[n]: owner
            for n, row in enumerate(seen["buildings"])
            if (owner := seat_of(row[4:8])) is not None
        },
        "active": seat_of(seen["active"]) or 0,
        "turn": round(float(seen["clocks"][0]) * 300),
        "players": [
            {
                "pesos": round(float(rows[n][1]) * 32),
                "vp": round(float(rows[n][2]) * 64),
                "goods": units(rows[n][3:9], GOODS, 8),
                "pawn": pawns.get(n),
                "markers": round(float(rows[n][9]) * 3),
            }
            for n in range(players)
        ],
    }


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_whole_state_can_be_read_back(players: int) -> None:
    for position in moments(players, seed=players):
        for seat in range(players):
            seen = state_seen(parts_of(position, seat), players, seat)
            state = state_json(position)
            assert seen == state | {"silenced": set(state["silenced"])}


def test_the_decision_can_be_read_back() -> None:
    for position in moments(3, seed=11):
        seen = parts_of(position, 1)
        asked = chosen(seen["asked"])
        assert (PHASES[asked] if asked is not None else "over") == position.kind
        assert chosen(seen["decides"]) == (position.seat - 1) % 3
        assert chosen(seen["in use"][:-1]) == position.building
        assert tuple(units(seen["dice"], PLAIN_GOODS, 4).values()) == (position.dice or (0,) * 5)


def test_the_layout_can_be_read_back() -> None:
    position = moments(2, seed=5)[40]
    seen, layout = parts_of(position, 0), position.layout
    for steps, stop in enumerate(seen["street"], 1):
        there = (position.car + steps) % 10
        assert (chosen(stop[:10]) or 0) - 1 == layout.citizen_at[there]
        flower = chosen(stop[10:14])
        assert (4 if flower is None else flower) == layout.flower_at[there]
    flowers = [chosen(row[:4]) for row in seen["buildings"]]
    assert [flowers[building] for building in layout.buildings] == list(SPACE_FLOWERS)


def test_the_delivery_round_and_the_lawyers_use_are_seen() -> None:
    stock = player(sugar=2)
    position = table(stock, stock, stock, phase="deliver", seat=2, active=1, round="0,2")
    assert parts_of(position, 2)["round"].tolist() == [1, 1, 0, 0]
    rich = player(pesos=9)
    lawyer = table(
        rich, rich, car="alonso", phase="function", function="casino:lawyer", owners="casino:0"
    )
    assert lawyer.cells[LAWYER]
    assert parts_of(lawyer, 0)["in use"][-1] == 1


def test_neighbours_who_swap_seats_see_the_same() -> None:
    """Seat 0 at its decision sees what seat 1 would see if it sat there with the same things."""
    one, other = player(pesos=7, rum=1, on="cafe"), player(vp=5, wood=2, on="bank")
    left = table(one, other, owners="casino:0,church:1", car="jose", turn=19)
    left.cells[TURN] += 1
    right = table(other, one, owners="casino:1,church:0", car="jose", turn=20, active=1)
    assert (observe(left, 0) == observe(right, 1)).all()
    assert (observe(left, 1) == observe(right, 0)).all()


def test_the_document_has_the_parts_in_order() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    start, rows = 0, []
    for part in PARTS:
        shape = " × ".join(map(str, part.shape))
        rows.append(f"| {start} | {part.name} | {shape} | {part.meaning} |")
        start += part.size
    assert "\n".join(rows) in text
    assert f"{SIZE} numbers" in text
