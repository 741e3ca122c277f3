"""What holds at every moment of every game, whatever is chosen and however the dice fall."""

from random import Random
from typing import Final

from referee.rules import Position, Score, move_text, parse_move
from referee.rules.pieces import GOODS, PLAIN_GOODS
from referee.rules.trace import Line, state_json

HIGHEST_FACE: Final = dict.fromkeys(PLAIN_GOODS, 3) | {"citrus": 4}


def check_moment(position: Position) -> None:
    """What is on the table, and what is asked."""
    state = state_json(position)
    check_goods(state)
    check_players(state)
    check_board(state)
    check_choice(position)


def check_goods(state: Line) -> None:
    """Eight units of each good exist, at the players' and in the supply."""
    for good in GOODS:
        held = [one["goods"][good] for one in state["players"]]
        assert min(held) >= 0, good
        assert state["supply"][good] >= 0, good
        assert state["supply"][good] + sum(held) == 8, good


def check_players(state: Line) -> None:
    """Nobody owes anything, three markers each, no two pawns on one building."""
    owners = list(state["owners"].values())
    for seat, one in enumerate(state["players"]):
        assert one["pesos"] >= 0, seat
        assert one["vp"] >= 0, seat
        assert one["markers"] >= 0, seat
        assert one["markers"] + owners.count(seat) == 3, seat
    pawns = [one["pawn"] for one in state["players"] if one["pawn"] is not None]
    assert len(set(pawns)) == len(pawns), pawns


def check_board(state: Line) -> None:
    """Harbour, street and turns are in their ranges."""
    assert 1 <= state["ship"] <= 7
    assert 2 <= state["value"] <= 4
    assert 0 <= state["car"] <= 9
    assert 0 <= state["turn"] <= 300
    assert 0 <= state["active"] < len(state["players"])
    assert len(state["demand"]) in (0, 4)
    assert all(0 <= left <= HIGHEST_FACE[good] for good, left in state["demand"].items())


def check_choice(position: Position) -> None:
    """Whoever decides has moves, no two the same; nobody has while dice are awaited or at the end.

    The game would have gone on by itself from a demand that is met (H4).
    """
    moves = position.legal_moves
    assert bool(moves) == (position.kind not in ("roll", "over"))
    assert len(set(moves)) == len(moves)
    if position.kind in ("drive", "deliver"):
        assert any(position.demand or ())


def check_text(position: Position) -> None:
    """Position and moves are what their texts say; reading works the legal moves out afresh."""
    again = Position.parse(str(position))
    assert again == position
    assert str(again) == str(position)
    assert again.legal_moves == position.legal_moves
    assert [parse_move(move_text(move)) for move in position.legal_moves] == list(
        position.legal_moves
    )


def check_copies(position: Position, luck: Random) -> None:
    """A copy goes its own way, and steps make up what `apply` does."""
    if not position.legal_moves:
        return
    before, legal = position.cells[:], position.legal_moves
    move = luck.choice(legal)
    whole, stepped = position.copy(), position.copy()
    whole.apply(move)
    stepped.step(move)
    while len(stepped.legal_moves) == 1:
        stepped.step(stepped.legal_moves[0])
    assert stepped == whole
    assert stepped.legal_moves == whole.legal_moves
    assert (position.cells, position.legal_moves) == (before, legal)


def check_end(position: Position) -> None:
    """H6 or H7 and nothing else ends a game, and the ranks are those of E1 and E2."""
    outcome = position.outcome()
    assert outcome is not None
    if outcome.reason.value == "ships":
        assert position.ship == 7
    else:
        assert (outcome.reason.value, position.turn) == ("turns", 300)
    totals = [total(position, seat) for seat in range(position.players)]
    assert outcome.scores == tuple(
        Score(seat, *own, rank=1 + sum(other > own for other in totals))
        for seat, own in enumerate(totals)
    )


def total(position: Position, seat: int) -> tuple[int, int, int]:
    """VP, leftover goods, pesos: three goods make a VP (E1)."""
    vp, leftover = divmod(3 * position.vp(seat) + sum(position.goods(seat)), 3)
    return vp, leftover, position.pesos(seat)
