"""Count rated results: meetings of bots, wins by seat, and wins by the bot that moved before.

Each result adds its table once, an annulment subtracts it again. Rows are found by their keys, so
the cost does not grow with the number of results.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from sqlalchemy import Delete, bindparam, delete, select
from sqlalchemy.orm import DeclarativeBase, Session

from ladder.model import MeetingTally, NeighbourTally, SeatTally, Upsert, execute
from ladder.ratings import elo
from ladder.ratings.elo import TABLE_SIZES

TWELFTHS: Final = 12
"""A win in twelfths: shared by two, three or four bots it is still a whole number."""

SUMS: Final[dict[type[DeclarativeBase], tuple[str, ...]]] = {
    MeetingTally: ("games", "half_points", "expected_milli", "tributes", "faults"),
    SeatTally: ("games", "win_twelfths"),
    NeighbourTally: ("games", "win_twelfths"),
}
"""The columns of each tally that grow with a result; the others are its key."""


def _drop_empty(tally: type[DeclarativeBase]) -> Delete:
    """Make the statement that deletes a row, given by its key, if it counts no games."""
    table = tally.__table__
    own = [column == bindparam(column.name) for column in table.primary_key]
    return delete(tally).where(*own, table.c.games == 0)


_ADD: Final = {tally: Upsert(tally, add=sums) for tally, sums in SUMS.items()}
_DROP_EMPTY: Final = {tally: _drop_empty(tally) for tally in SUMS}
_WINS: Final = (
    select(
        SeatTally.seats, SeatTally.bot_id, SeatTally.seat, SeatTally.games, SeatTally.win_twelfths
    )
    .where(
        SeatTally.seats.in_(bindparam("ladders", expanding=True)),
        SeatTally.seat.in_(range(4)),  # so that the whole key is known
        SeatTally.bot_id.in_(bindparam("bots", expanding=True)),
    )
    .order_by(SeatTally.seats, SeatTally.bot_id, SeatTally.seat)
)


@dataclass(frozen=True, slots=True)
class Ranked:
    """One bot's result at a table, as far as the ladder counts it.

    `tributes` is how many things its visits to El Zorro took from each seat; empty for none.
    """

    bot_id: int
    version_id: int
    rank: int
    faulted: bool
    tributes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SeatWins:
    """A bot's games and wins in one seat; a shared win counts as a part of one."""

    seat: int
    games: int
    wins: float


def count(
    session: Session, table: Sequence[Ranked], pairs: Sequence[elo.Pair], sign: int = 1
) -> None:
    """Add a table (by seat) with the `pairs` of its ratings; subtract it if `sign` is -1."""
    wins = _games_and_wins(table, sign)
    rows = {
        MeetingTally: _meetings(table, pairs, sign),
        SeatTally: [{**own, "seat": seat} for seat, own in enumerate(wins)],
        NeighbourTally: [
            {**own, "before_id": table[seat - 1].bot_id} for seat, own in enumerate(wins)
        ],
    }
    for tally, counted in rows.items():
        if sign < 0:
            correct(session, tally, counted)
        else:
            _ADD[tally].put(session, counted)


def correct(
    session: Session, tally: type[DeclarativeBase], rows: Sequence[Mapping[str, int]]
) -> None:
    """Add what is given to the sums of rows, by key. The ledger must be locked."""
    _ADD[tally].put(session, rows)
    execute(session, _DROP_EMPTY[tally], rows)  # a rebuild makes no rows without games


def wins_by_seat(
    session: Session, seats: int, bot_ids: Collection[int]
) -> Mapping[int, tuple[SeatWins, ...]]:
    """Read the wins of these bots on one ladder, in the order of the seats they have played in."""
    found: defaultdict[int, tuple[SeatWins, ...]] = defaultdict(tuple)
    for (_, bot_id), wins in _wins(session, (seats,), bot_ids).items():
        found[bot_id] = tuple(wins)
    return found


def wins_on_ladders(session: Session, bot_id: int) -> Mapping[int, tuple[SeatWins, ...]]:
    """Read the wins of a bot by table size, in the order of the seats it has played in."""
    found: defaultdict[int, tuple[SeatWins, ...]] = defaultdict(tuple)
    for (seats, _), wins in _wins(session, TABLE_SIZES, (bot_id,)).items():
        found[seats] = tuple(wins)
    return found


def half_points(rank: int, opponent: int) -> int:
    """Return 2 for the better rank, 1 for a shared one, else 0."""
    return 2 * (rank < opponent) + (rank == opponent)


def expected_milli(pairs: Sequence[elo.Pair]) -> dict[tuple[int, int], int]:
    """Return the expected score of each seat against each other one, in thousandths."""
    found = {}
    for strong, weak, expectation in pairs:
        found[strong, weak] = round(1000 * expectation)
        found[weak, strong] = 1000 - found[strong, weak]
    return found


def win_twelfths(ranks: Sequence[int]) -> list[int]:
    """Return each seat's share of the win in twelfths; seats that share rank 1 share the win."""
    share = TWELFTHS // max(1, ranks.count(1))
    return [share if rank == 1 else 0 for rank in ranks]


def _meetings(
    table: Sequence[Ranked], pairs: Sequence[elo.Pair], sign: int
) -> list[dict[str, int]]:
    expectations = expected_milli(pairs)
    return [
        {
            "seats": len(table),
            "bot_id": one.bot_id,
            "opponent_id": other.bot_id,
            "games": sign,
            "half_points": sign * half_points(one.rank, other.rank),
            "expected_milli": sign * expectations[seat, opponent],
            "tributes": sign * (one.tributes[opponent] if one.tributes else 0),
            "faults": sign * one.faulted,
        }
        for (seat, one), (opponent, other) in permutations(enumerate(table), 2)
    ]


def _games_and_wins(table: Sequence[Ranked], sign: int) -> list[dict[str, int]]:
    """Return what is the same in the rows of `SeatTally` and `NeighbourTally`, by seat."""
    wins = win_twelfths([ranked.rank for ranked in table])
    return [
        {"seats": len(table), "bot_id": one.bot_id, "games": sign, "win_twelfths": sign * win}
        for one, win in zip(table, wins, strict=True)
    ]


def _wins(
    session: Session, ladders: Collection[int], bot_ids: Collection[int]
) -> Mapping[tuple[int, int], list[SeatWins]]:
    found: defaultdict[tuple[int, int], list[SeatWins]] = defaultdict(list)
    wanted = {"ladders": list(ladders), "bots": list(bot_ids)}
    for seats, bot_id, seat, games, twelfths in session.execute(_WINS, wanted).all():
        found[seats, bot_id].append(SeatWins(seat, games, twelfths / TWELFTHS))
    return found
