"""The legal moves of each kind of decision: ready tuples, looked up by a count or a bit mask.

The tuples are shared by all positions. Building them once is what makes legal moves cheap.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from referee.rules import cells as at, moves as verbs, pieces
from referee.rules.cells import CAR, DEMAND, HELD, OCCUPIED, OWNER, SUPPLY, GameState, Layout
from referee.rules.moves import Move, make_move
from referee.rules.pieces import BLACK_MARKET, CAFE, CIGAR_FACTORY, DISTILLERY, SAWMILL, WOOD

Moves = tuple[Move, ...]

ONLY_PASS: Final[Moves] = (make_move(verbs.PASS),)
TABLED: Final = 128  # counts up to here are looked up, larger ones are built
_BASE: Final = 5  # a load has 0 to 4 units, the most that a die demands


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def _counted(verb: int, most: int) -> Moves:
    return tuple(make_move(verb, count) for count in range(1, most + 1))


def _combined(choices: Iterable[Sequence[Moves]]) -> tuple[Moves, ...]:
    """Combine one of each choice's alternatives in every way, the first choice varying fastest.

    Each tuple is a shorter one with more at its end, so that a process starts quickly.
    """
    table: list[Moves] = [()]
    for alternatives in choices:
        table = [moves + more for more in alternatives for moves in table]
    return tuple(table)


def _masked(verb: int, width: int, tail: Moves = ()) -> tuple[Moves, ...]:
    """Return, by bit mask over `width` pieces, a move for each piece in the mask, then the tail."""
    choices: list[Sequence[Moves]] = [((), (make_move(verb, piece),)) for piece in range(width)]
    return _combined([*choices, (tail,)])


def _swaps(give: int) -> tuple[Moves, ...]:
    """Return, by mask of the goods supplied, the swaps of one good for another."""
    return _combined(
        ((), (make_move(verbs.SWAPS, 8 * give + get),) if get != give else ())
        for get in range(WOOD)
    )


def _loads(verb: int) -> tuple[Moves, ...]:
    """Return the loads by the most units of each plain good, the digits of a number to _BASE."""
    return _combined(
        [
            tuple(make_move(verb, 8 * units + good) for units in range(1, most + 1))
            for most in range(_BASE)
        ]
        for good in range(WOOD)
    )


_ALL_DRIVES: Final = _counted(verbs.DRIVES, TABLED)
DRIVES_BY_PESOS: Final = tuple(_ALL_DRIVES[: pesos + 1] for pesos in range(TABLED))
_CASINO_MOVES: Final[list[list[Moves]]] = [[()] * TABLED for _ in range(TABLED)]  # filled on demand
_BUILDINGS: Final = tuple(range(len(pieces.BUILDINGS)))
_ALWAYS_GIVING: Final[tuple[int, ...]] = (pieces.BANK, pieces.CHURCH, pieces.NEWSPAPER)
_OWNS_BY_OWNED: Final = _masked(verbs.OWNS, len(pieces.BUILDINGS))[::-1]
_USES: Final = tuple((make_move(verbs.USES, building),) for building in _BUILDINGS)
_TAKES_BY_SUPPLY: Final = _masked(verbs.TAKES, WOOD)
_GIVES_BY_HELD: Final = _masked(verbs.GIVES, WOOD + 2)
_CONVERTS_BY_UNITS: Final = tuple(
    _counted(verbs.CONVERTS, units) + ONLY_PASS for units in range(pieces.UNITS_OF_EACH_GOOD + 1)
)
_SWAPS_BY_GOOD: Final = tuple(_swaps(give) for give in range(WOOD))
_SWAPS_BY_MASKS: Final = tuple(
    tuple(
        sum((_SWAPS_BY_GOOD[give][supplied] for give in _bits(held)), ()) + ONLY_PASS
        for supplied in range(1 << WOOD)
    )
    for held in range(1 << WOOD)
)
_SELL_WOOD: Final[Moves] = (make_move(verbs.SELLS_WOOD), *ONLY_PASS)
_SERVES_BY_HELD: Final = tuple(
    tuple(make_move(verbs.SERVES, served) for served in (1, 2, 3) if served & held == served)
    + ONLY_PASS
    for held in range(4)
)
_CLEARS_BY_DEMAND: Final = _masked(verbs.CLEARS, WOOD, ONLY_PASS)
_RAISE: Final[Moves] = (make_move(verbs.RAISES), *ONLY_PASS)
_RAISE_OR_LOWER: Final[Moves] = (make_move(verbs.RAISES), make_move(verbs.LOWERS), *ONLY_PASS)
_SHIPS_BY_MASK: Final = _masked(verbs.SHIPS_ONE, WOOD, ONLY_PASS)
_SILENCES_BY_SILENCED: Final = _masked(verbs.SILENCES, len(pieces.CITIZENS), ONLY_PASS)[::-1]
_PLAIN: Final = tuple(range(WOOD))
_LOADS: Final = _loads(verbs.DELIVERS)
_LOADS_OR_PASS: Final = tuple(loads + ONLY_PASS for loads in _LOADS)
_WOOD_LOADS: Final = _loads(verbs.DELIVERS_WOOD)

EXCLUDE_MOVES: Final = tuple(make_move(verbs.EXCLUDES, good) for good in range(WOOD))


def _mask_of_five(cells: list[int], start: int) -> int:
    """Return a mask in which bit g is set if the cell of plain good g is not 0."""
    return (
        (1 if cells[start] else 0)
        | (2 if cells[start + 1] else 0)
        | (4 if cells[start + 2] else 0)
        | (8 if cells[start + 3] else 0)
        | (16 if cells[start + 4] else 0)
    )


def legal_moves(state: GameState) -> Moves:
    """Work out the legal moves from the cells, for a position that was read from text."""
    cells = state.cells
    phase, seat = cells[at.PHASE], cells[at.SEAT]
    base = at.PLAYER[seat]
    if phase == at.DRIVE:
        return drive_moves(cells[base + at.PESOS])
    if phase == at.VISIT:
        return visit_moves(state.layout, cells)
    if phase == at.FUNCTION:
        return function_moves(cells, base, building_in_use(cells))
    if phase == at.DELIVER:
        return delivery_moves(cells, base)
    if phase == at.PICK:
        return pick_moves(cells)
    if phase == at.LAWYER_CHOICE:
        return lawyer_moves(cells, base, seat)
    if phase == at.TRIBUTE:
        return tribute_moves(cells, base)
    return EXCLUDE_MOVES if phase == at.DEMAND_CHOICE else ()


def drive_moves(pesos: int) -> Moves:
    """Return the drives (D1): one step is free, each further step costs a peso."""
    return DRIVES_BY_PESOS[pesos] if pesos < TABLED else _counted(verbs.DRIVES, pesos + 1)


def pick_moves(cells: list[int]) -> Moves:
    """Return Pablo's goods (C3): any plain good that the supply still has."""
    return _TAKES_BY_SUPPLY[_mask_of_five(cells, SUPPLY)]


def visit_moves(layout: Layout, cells: list[int]) -> Moves:
    """Return the visits (B1): buildings under the citizen's flower where no pawn stands."""
    flower = layout.flower_at[cells[CAR]]
    return layout.visits[flower][cells[OCCUPIED] >> 3 * flower & 7]


def tribute_moves(cells: list[int], base: int) -> Moves:
    """Return the gifts (C4): a plain good, a peso or a VP, of those that the player has."""
    mask = _mask_of_five(cells, base + HELD)
    if cells[base + at.PESOS]:
        mask |= 1 << verbs.GIFT_PESO
    if cells[base + at.VP]:
        mask |= 1 << verbs.GIFT_VP
    return _GIVES_BY_HELD[mask]


def lawyer_moves(cells: list[int], base: int, seat: int) -> Moves:
    """Return Alonso's offers (C5): own a free building, use one's own if that gives something."""
    moves = _OWNS_BY_OWNED[cells[at.OWNED]] if cells[base + at.MARKERS] else ()
    if cells[base + at.MARKERS] < at.OWNERSHIP_MARKERS:
        for building in _BUILDINGS:
            if cells[OWNER + building] == seat and (
                building in _ALWAYS_GIVING or len(function_moves(cells, base, building)) > 1
            ):
                moves += _USES[building]
    return moves + ONLY_PASS


def building_in_use(cells: list[int]) -> int:
    """Return the building of a `function` decision: the one used through Alonso or the pawn's."""
    return (
        cells[at.LAWYER] - 1 if cells[at.LAWYER] else cells[at.PLAYER[cells[at.ACTIVE]] + at.PAWN]
    )


def function_moves(cells: list[int], base: int, building: int) -> Moves:
    """Return the uses of a building that gives a choice (B4 to B11), `pass` last.

    `base` is where the player's block begins.
    """
    if building == DISTILLERY:
        return _CONVERTS_BY_UNITS[
            min(cells[base + HELD + pieces.SUGAR], cells[SUPPLY + pieces.RUM])
        ]
    if building == CIGAR_FACTORY:
        return _CONVERTS_BY_UNITS[
            min(cells[base + HELD + pieces.TOBACCO], cells[SUPPLY + pieces.CIGARS])
        ]
    if building == BLACK_MARKET:
        held = _mask_of_five(cells, base + HELD)
        return _SWAPS_BY_MASKS[held][_mask_of_five(cells, SUPPLY)]
    if building == SAWMILL:
        return _SELL_WOOD if cells[base + HELD + WOOD] else ONLY_PASS
    if building == CAFE:
        rum = verbs.SERVE_RUM if cells[base + HELD + pieces.RUM] else 0
        return _SERVES_BY_HELD[
            rum | (verbs.SERVE_CIGARS if cells[base + HELD + pieces.CIGARS] else 0)
        ]
    if building == pieces.CUSTOMS:
        return _CLEARS_BY_DEMAND[_mask_of_five(cells, DEMAND)]
    if building == pieces.CASINO:
        return _casino_moves(cells[base + at.PESOS] // 3, cells[base + at.VP])
    if building == pieces.HARBOUR_OFFICE:
        return _RAISE_OR_LOWER if cells[at.VALUE] > pieces.LOWEST_VALUE else _RAISE
    if building == pieces.TRADING_OFFICE:
        held = _mask_of_five(cells, base + HELD)
        return _SHIPS_BY_MASK[held & _mask_of_five(cells, DEMAND)]
    return _SILENCES_BY_SILENCED[cells[at.SILENCED]]


def _casino_moves(buyable: int, sellable: int) -> Moves:
    """Return the purchases, then the sales, at 3 pesos a VP (B8)."""
    if buyable >= TABLED or sellable >= TABLED:
        return _counted(verbs.BUYS, buyable) + _counted(verbs.SELLS, sellable) + ONLY_PASS
    row = _CASINO_MOVES[buyable]
    moves = row[sellable]
    if not moves:
        moves = row[sellable] = (
            _counted(verbs.BUYS, buyable) + _counted(verbs.SELLS, sellable) + ONLY_PASS
        )
    return moves


def delivery_moves(cells: list[int], base: int) -> Moves:
    """Return the deliveries (H1): units of one demanded good or wood in its place; then `pass`."""
    held = base + HELD
    wood = cells[held + WOOD]
    loads = wood_loads = 0
    power = 1
    for good in _PLAIN:
        demanded = cells[DEMAND + good]
        if demanded:
            units = cells[held + good]
            loads += power * (units if units < demanded else demanded)
            if wood:
                wood_loads += power * (wood if wood < demanded else demanded)
        power *= _BASE
    if wood_loads:
        return _LOADS[loads] + _WOOD_LOADS[wood_loads] + ONLY_PASS
    return _LOADS_OR_PASS[loads]
