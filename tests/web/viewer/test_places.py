import pytest

from web.viewer.places import place

CITIZENS = [f"citizen-{stop}" for stop in range(1, 10)]


@pytest.mark.parametrize(
    ("move", "at"),
    [
        ("drive 2", "citizen:citizen-1"),
        ("drive 1", "pier"),
        ("visit bank", "building:bank"),
        ("silence pedro", "citizen:pedro"),
        ("exclude rum", "good:rum"),
        ("deliver rum 2", "good:rum"),
        ("deliver wood 1 as rum", "good:rum"),
        ("swap rum sugar", None),
        ("pass", None),
    ],
)
def test_a_move_has_its_place_on_the_board(move: str, at: str | None) -> None:
    assert place(move, 9, CITIZENS) == at
