"""Moves and their texts: the notation to the letter."""

import pytest

from referee.rules import InvalidMove, move_text, parse_move
from referee.rules.pieces import BUILDINGS, CITIZENS, PLAIN_GOODS

WITHOUT_A_CHOICE = ["pass", "sell wood", "raise", "lower"]
SERVED = ["serve rum", "serve cigars", "serve rum cigars"]
GIFTS = ["give peso", "give vp", *(f"give {good}" for good in PLAIN_GOODS)]
OF_A_GOOD = [
    f"{verb} {good}" for verb in ("take", "clear", "ship", "exclude") for good in PLAIN_GOODS
]
OF_A_BUILDING = [f"{verb} {name}" for verb in ("own", "use", "visit") for name in BUILDINGS]
SILENCED = [f"silence {citizen}" for citizen in CITIZENS]
SWAPS = [f"swap {give} {get}" for give in PLAIN_GOODS for get in PLAIN_GOODS if give != get]
UNITS = range(1, 9)
DELIVERIES = [f"deliver {good} {units}" for good in PLAIN_GOODS for units in UNITS]
WOOD = [f"deliver wood {units} as {good}" for good in PLAIN_GOODS for units in UNITS]
COUNTED = [
    f"{verb} {count}"
    for verb in ("drive", "convert", "buy", "sell")
    for count in (1, 2, 9, 10, 255, 256, 123456789)
]
ALL = [
    *WITHOUT_A_CHOICE,
    *SERVED,
    *GIFTS,
    *OF_A_GOOD,
    *OF_A_BUILDING,
    *SILENCED,
    *SWAPS,
    *DELIVERIES,
    *WOOD,
    *COUNTED,
]


def test_every_move_of_the_notation_has_a_number_of_its_own() -> None:
    assert len({parse_move(text) for text in ALL}) == len(ALL)


@pytest.mark.parametrize("text", ALL)
def test_text_to_move_to_text_is_the_identity(text: str) -> None:
    assert move_text(parse_move(text)) == text


def test_every_number_is_either_a_move_or_refused() -> None:
    moves = []
    for number in range(-100, 5000):
        try:
            moves.append((number, move_text(number)))
        except InvalidMove:
            continue
    assert all(parse_move(text) == number for number, text in moves)
    uncounted = len(ALL) - len(COUNTED)
    assert sum(text in ALL and text not in COUNTED for _, text in moves) == uncounted


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "PASS",
        "pass ",
        " pass",
        "pass\n",
        "drive",
        "drive 0",
        "drive -1",
        "drive 01",
        "drive 1.0",
        "drive  1",
        "drive ٣",
        "drive 1000000000",
        "drive one",
        "take wood",
        "give wood",
        "exclude wood",
        "clear wood",
        "ship wood",
        "visit harbour",
        "visit Bank",
        "own",
        "use bank bank",
        "silence bank",
        "swap rum rum",
        "swap rum",
        "swap wood rum",
        "sell",
        "sell rum",
        "serve cigars rum",
        "serve",
        "deliver sugar",
        "deliver sugar 0",
        "deliver sugar 9",
        "deliver wood 2",
        "deliver wood 2 as wood",
        "deliver sugar 2 as rum",
        "convert 0",
        "raise 1",
    ],
)
def test_a_text_that_is_not_a_move_is_refused(text: str) -> None:
    with pytest.raises(InvalidMove, match="is not a move; moves look like"):
        parse_move(text)


def test_a_long_text_is_not_repeated_whole() -> None:
    with pytest.raises(InvalidMove) as refused:
        parse_move("drive 1" * 10_000)
    assert len(str(refused.value)) < 200
