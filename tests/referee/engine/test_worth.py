"""The quick look adds up the prices of what seats have, and says who is ahead."""

from collections.abc import Callable, Iterator

import pytest

from referee.engine import prices
from referee.engine.stored import pack
from referee.engine.worth import quick_shares, worths
from referee.rules import Position
from referee.rules.cells import CAR, HELD, MARKERS, PESOS, PHASE, PLAYER, ROUND, SHIP, VISIT, VP
from referee.rules.pieces import SUGAR, WOOD
from tests.referee.engine.tables import last_delivery, rich

Price = Callable[..., None]


@pytest.fixture
def price() -> Iterator[Price]:
    """Set a price of the tables, which are 0 elsewhere, for any number of players."""
    table = [0] * prices.PRICES

    def set_price(field: str, *numbers: int, vp: float) -> None:
        place = 0
        for size, number in zip(prices.FIELDS[field], numbers, strict=True):
            place = place * size + number
        table[prices.start(field) + place] = round(vp * prices.SCALE)
        prices.use(pack(table * prices.SIZES))

    for ship in range(prices.SHIPS):
        set_price("lead", ship, vp=4)
    yield set_price
    prices.forget()


def _vp(position: Position) -> list[float]:
    return [float(position.cells[block + VP]) for block in PLAYER[: position.players]]


def test_things_without_a_price_bring_only_the_vp_on_the_track(price: Price) -> None:
    position = rich()
    assert worths(position) == _vp(position)


def test_pesos_have_prices_by_their_number_and_further_ones_one_each(price: Price) -> None:
    position = rich()
    ship = position.cells[SHIP]
    price("pesos", ship, 15, vp=5)
    price("further pesos", ship, vp=0.5)
    position.cells[PLAYER[0] + PESOS] = 15
    assert worths(position)[0] - _vp(position)[0] == 5
    position.cells[PLAYER[0] + PESOS] = 18
    assert worths(position)[0] - _vp(position)[0] == 6.5


def test_markers_are_priced_by_how_many_are_left(price: Price) -> None:
    position = rich()
    position.cells[PLAYER[1] + MARKERS] = 2
    price("markers", position.cells[SHIP], 2, vp=1.25)
    assert worths(position)[1] - _vp(position)[1] == 1.25


def test_wood_has_a_price_for_each_and_one_for_the_first(price: Price) -> None:
    position = rich()
    position.cells[PLAYER[0] + HELD + WOOD] = 3
    price("wood", position.cells[SHIP], vp=0.5)
    price("first wood", position.cells[SHIP], vp=0.25)
    assert worths(position)[0] - _vp(position)[0] == 1.75


def test_a_wanted_good_is_priced_by_how_near_its_delivery_is(price: Price) -> None:
    position = last_delivery()
    cells = position.cells
    for near in range(prices.NEARS):
        price("wanted", 7, 4, near, vp=near + 1)
    found = [worths(position)[0] - cells[PLAYER[0] + VP]]
    cells[ROUND] = 0b10
    found.append(worths(position)[0] - cells[PLAYER[0] + VP])
    cells[PHASE] = VISIT
    for car in (0, 4, 5, 7, 8, 9):
        cells[CAR] = car
        found.append(worths(position)[0] - cells[PLAYER[0] + VP])
    assert found == [4, 5, 3, 3, 2, 2, 1, 1]


def test_the_next_stop_is_free_and_only_who_can_pay_gets_to_the_one_behind(price: Price) -> None:
    position = rich()
    for end in range(prices.ENDS):
        price("stop", position.cells[SHIP], end, vp=1)
        price("second stop", position.cells[SHIP], end, vp=0.5)
    assert worths(position)[0] - _vp(position)[0] == 1.5
    position.cells[PLAYER[0] + PESOS] = 0
    assert worths(position)[0] - _vp(position)[0] == 1


def test_seats_that_offer_more_than_is_wanted_share_its_price(price: Price) -> None:
    position = last_delivery()
    cells = position.cells
    cells[PLAYER[1] + HELD + SUGAR] = 1
    price("wanted", 7, 4, 3, vp=3)
    assert [w - vp for w, vp in zip(worths(position), _vp(position), strict=True)] == [1.5, 1.5]


def test_a_gain_counts_for_its_seat_and_a_lead_for_whoever_has_it(price: Price) -> None:
    position = rich()
    plain = quick_shares(position)
    more = quick_shares(position, 0, 3.0)
    assert more[0] > plain[0]
    assert sum(more) == pytest.approx(sum(plain))
