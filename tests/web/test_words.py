from referee.rules.pieces import BUILDINGS, CITIZENS, FLOWERS, GOODS
from web.tiles import ICONS
from web.words import ENGLISH


def test_all_things_of_the_game_have_a_name() -> None:
    assert {*GOODS, *CITIZENS, *BUILDINGS, *FLOWERS} <= ENGLISH.names.keys()


def test_all_tiles_say_what_they_give() -> None:
    assert {*CITIZENS, *BUILDINGS} == ENGLISH.gifts.keys() == ICONS.keys()


def test_amounts_count() -> None:
    assert ENGLISH.amount(1, "pesos") == "1 peso"
    assert ENGLISH.amount(2, "pesos") == "2 pesos"
    assert ENGLISH.amount(1, "cigars") == "1 cigar"
    assert ENGLISH.amount(3, "tobacco") == "3 tobacco"


def test_listings() -> None:
    assert ENGLISH.listing([]) == ""
    assert ENGLISH.listing(["a"]) == "a"
    assert ENGLISH.listing(["a", "b", "c"]) == "a, b and c"
