"""The observations of many games at once: PARTS, computed by NumPy for whole columns.

`observation.py` says what each number means; here they are computed for the seat that decides in
each game. What never changes during a game (its layout) is looked up once, when the game begins.
"""

from typing import Final, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from referee.rl import observation
from referee.rules import Layout, cells as at, pieces

Floats: TypeAlias = NDArray[np.float32]
Ints: TypeAlias = NDArray[np.int32]

_STOPS: Final = pieces.STOPS
_BUILDINGS: Final = len(pieces.BUILDINGS)
_WHO: Final = 1 + len(pieces.CITIZENS)
_WIDTH: Final = _WHO + pieces.NO_FLOWER + 1
_BLOCK: Final = at.STRIDE
_UNITS: Final = np.array(
    [
        observation.PESOS_UNIT,
        observation.VP_UNIT,
        *[pieces.UNITS_OF_EACH_GOOD] * len(pieces.GOODS),
        at.OWNERSHIP_MARKERS,
    ],
    dtype=np.float32,
)
_HELD_CELLS: Final = (at.PESOS, at.VP, *range(at.HELD, at.HELD + len(pieces.GOODS)), at.MARKERS)


def _one_hots(size: int) -> Floats:
    """Return by index a row with a 1 there; the last row (index -1) has no 1."""
    return np.eye(size + 1, size, dtype=np.float32)


_FLOWER: Final = _one_hots(pieces.NO_FLOWER)
_AT_STOP: Final = _one_hots(_WHO)
_AHEAD: Final = (np.arange(_STOPS)[:, None] + np.arange(1, _STOPS + 1)) % _STOPS
"""The stops after 1 to 10 steps, by the car's stop."""


def _starts() -> dict[str, int]:
    """Return by part where its numbers begin."""
    sizes = [part.size for part in observation.PARTS]
    return {part.name: sum(sizes[:n]) for n, part in enumerate(observation.PARTS)}


_FROM: Final = _starts()


class Observer:
    """Computes observations of a fixed number of games for the same number of players.

    `begin` has to be told of each layout before the game on it is observed.
    """

    def __init__(self, games: int, players: int) -> None:
        seats = np.arange(players)
        others = (seats[:, None] + seats) % players  # [seat][place]: who sits there
        self._players = players
        self._others = others
        self._places = (seats - seats[:, None]) % players  # [seat][other]: how far clockwise
        blocks = at.PLAYERS + _BLOCK * others[:, :, None] + np.array(_HELD_CELLS)
        self._held = blocks.reshape(players, -1)
        self._pawns = at.PLAYERS + _BLOCK * others + at.PAWN
        self._layout_seen = np.zeros((games, observation.SIZE), dtype=np.float32)
        self._rounds = np.zeros((games, 2 * _STOPS * _WIDTH), dtype=np.float32)
        self._citizen_bits = np.zeros((games, _STOPS), dtype=np.int32)
        self._games = np.arange(games)  # last: the arrays above say at once if memory is short

    def begin(self, game: int, layout: Layout) -> None:
        """Note the layout on which a game is played from now on."""
        street = self._rounds[game].reshape(2, _STOPS, _WIDTH)
        citizens = np.array(layout.citizen_at)
        street[:, :, :_WHO] = _AT_STOP[1 + citizens]
        street[:, :, _WHO:-1] = _FLOWER[list(layout.flower_at)]
        self._citizen_bits[game] = np.where(citizens < 0, 0, 1 << np.maximum(citizens, 0))
        buildings = _buildings(self._layout_seen[game : game + 1])[0]
        buildings[list(layout.buildings), : pieces.NO_FLOWER] = _FLOWER[list(pieces.SPACE_FLOWERS)]

    def observe(self, cells: Ints) -> Floats:
        """Return what the seat that decides sees in each game.

        Args:
            cells: The cells of the positions, shape (games, cells); in each a seat has to decide.

        Returns:
            An array of shape (games, SIZE); each row equals `observe(position, position.seat)`.
        """
        seen = self._layout_seen.copy()
        self._see_turn(cells, seen)
        self._see_harbour(cells, seen)
        self._see_use(cells, seen)
        self._see_street(cells, seen)
        self._see_buildings(cells, seen)
        self._see_players(cells, seen)
        return seen

    def _see_turn(self, cells: Ints, seen: Floats) -> None:
        seat, active, turn = cells[:, at.SEAT], cells[:, at.ACTIVE], cells[:, at.TURN]
        seen[self._games, _FROM["asked"] + cells[:, at.PHASE]] = 1
        seen[:, _FROM["decides"]] = 1  # the seat itself
        start = _FROM["active"]
        seen[self._games, start + self._places[seat, active]] = turn > 0
        seen[:, _FROM["clocks"]] = turn / np.float32(pieces.LAST_TURN)
        seen[:, _FROM["clocks"] + 1] = cells[:, at.SHIP] / np.float32(pieces.SHIPS)

    def _see_harbour(self, cells: Ints, seen: Floats) -> None:
        phase, unwanted = cells[:, at.PHASE], cells[:, at.EXCLUDED]
        seen[self._games, _FROM["value"] + cells[:, at.VALUE] - pieces.LOWEST_VALUE] = 1
        rolled = cells[:, at.DEMAND : at.DEMAND + pieces.WOOD] / np.float32(observation.LARGEST_DIE)
        known = unwanted != at.NO_DEMAND
        for name, shown in (("demand", known), ("dice", phase == at.DEMAND_CHOICE)):
            seen[:, _FROM[name] : _FROM[name] + pieces.WOOD] = rolled * shown[:, None]
        seen[self._games[known], _FROM["unwanted"] + unwanted[known]] = 1
        supply = cells[:, at.SUPPLY : at.SUPPLY + len(pieces.GOODS)]
        start = _FROM["supply"]
        seen[:, start : start + len(pieces.GOODS)] = supply / np.float32(pieces.UNITS_OF_EACH_GOOD)
        delivering = (phase == at.DELIVER)[:, None]
        start = _FROM["round"]
        inside = cells[:, at.ROUND, None] >> self._others[cells[:, at.SEAT]] & 1
        seen[:, start : start + self._players] = inside * delivering

    def _see_use(self, cells: Ints, seen: Floats) -> None:
        """Do what `building_in_use` does, for the games in which a building is used."""
        (games,) = np.nonzero(cells[:, at.PHASE] == at.FUNCTION)
        used = cells[games]
        by_lawyer = used[:, at.LAWYER]
        pawn = used[np.arange(len(games)), at.PLAYERS + _BLOCK * used[:, at.ACTIVE] + at.PAWN]
        start = _FROM["in use"]
        seen[games, start + np.where(by_lawyer > 0, by_lawyer - 1, pawn)] = 1
        seen[games, start + _BUILDINGS] = by_lawyer > 0

    def _see_street(self, cells: Ints, seen: Floats) -> None:
        start, car = _FROM["street"], cells[:, at.CAR]
        end = start + _STOPS * _WIDTH
        streets = sliding_window_view(self._rounds, _STOPS * _WIDTH, axis=1)[:, ::_WIDTH]
        seen[:, start:end] = streets[self._games, car + 1]
        silenced = cells[:, at.SILENCED]
        (games,) = np.nonzero(silenced)
        bits = self._citizen_bits[games[:, None], _AHEAD[car[games]]] & silenced[games, None]
        seen[games, start + _WIDTH - 1 : end : _WIDTH] = bits > 0

    def _see_buildings(self, cells: Ints, seen: Floats) -> None:
        shown, seats = _buildings(seen), cells[:, at.SEAT]
        owners = cells[:, at.OWNER : at.OWNER + _BUILDINGS]
        games, owned = np.nonzero(owners != at.NOBODY)
        places = self._places[seats[games], owners[games, owned]]
        shown[games, owned, pieces.NO_FLOWER + places] = 1
        pawns = cells[self._games[:, None], self._pawns[seats]]
        games, places = np.nonzero(pawns != at.OFF_BOARD)
        shown[games, pawns[games, places], pieces.NO_FLOWER + observation.SEATS + places] = 1

    def _see_players(self, cells: Ints, seen: Floats) -> None:
        held = cells[self._games[:, None], self._held[cells[:, at.SEAT]]]
        shares = held.reshape(len(cells), self._players, -1) / _UNITS
        width = 1 + len(_HELD_CELLS)
        start = _FROM["players"]
        shown = seen[:, start : start + self._players * width].reshape(-1, self._players, width)
        shown[:, :, 0] = 1
        shown[:, :, 1:] = shares


def _buildings(seen: Floats) -> Floats:
    """Return the view of the part `buildings`, shape (games, buildings, numbers)."""
    start, width = _FROM["buildings"], pieces.NO_FLOWER + 2 * observation.SEATS
    return seen[:, start : start + _BUILDINGS * width].reshape(-1, _BUILDINGS, width)
