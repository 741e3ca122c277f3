"""The numbers on the wire are those of the rules plus one, since 0 means "not set" there."""

from collections.abc import Sequence

import pytest
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

from referee.rules import cells, moves, pieces
from referee.wire import game_pb2


def words(enum: EnumTypeWrapper, prefix: str) -> list[str]:
    """The names of an enum's values from 1 on, as the notation writes them."""
    names = {number: name for name, number in enum.items()}
    assert sorted(names) == list(range(len(names)))
    return [
        names[number].removeprefix(prefix).lower().replace("_", "-")
        for number in range(1, len(names))
    ]


@pytest.mark.parametrize(
    ("enum", "prefix", "names"),
    [
        (game_pb2.Good, "GOOD_", pieces.GOODS),
        (game_pb2.Citizen, "CITIZEN_", pieces.CITIZENS),
        (game_pb2.Building, "BUILDING_", pieces.BUILDINGS),
        (game_pb2.Flower, "FLOWER_", pieces.FLOWERS),
        (game_pb2.DecisionKind, "DECISION_KIND_", cells.PHASES[: cells.ROLL]),
        (game_pb2.Gift, "GIFT_", moves.GIFTS[len(pieces.PLAIN_GOODS) :]),
    ],
    ids=lambda value: value.DESCRIPTOR.name if isinstance(value, EnumTypeWrapper) else "",
)
def test_a_piece_has_its_number_and_its_name(
    enum: EnumTypeWrapper, prefix: str, names: Sequence[str]
) -> None:
    assert words(enum, prefix) == list(names)


def test_a_verb_has_its_number() -> None:
    verbs = {
        "DRIVE": moves.DRIVES,
        "TAKE": moves.TAKES,
        "OWN": moves.OWNS,
        "USE": moves.USES,
        "GIVE": moves.GIVES,
        "VISIT": moves.VISITS,
        "CONVERT": moves.CONVERTS,
        "SWAP": moves.SWAPS,
        "SELL_WOOD": moves.SELLS_WOOD,
        "SERVE": moves.SERVES,
        "CLEAR": moves.CLEARS,
        "BUY": moves.BUYS,
        "SELL": moves.SELLS,
        "RAISE": moves.RAISES,
        "LOWER": moves.LOWERS,
        "SHIP": moves.SHIPS_ONE,
        "SILENCE": moves.SILENCES,
        "DELIVER": moves.DELIVERS,
        "DELIVER_WOOD": moves.DELIVERS_WOOD,
        "EXCLUDE": moves.EXCLUDES,
        "UNSPECIFIED": moves.PASS,
    }
    assert dict(game_pb2.Verb.items()) == {f"VERB_{name}": verb for name, verb in verbs.items()}
