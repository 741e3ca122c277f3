"""The board in the terminal: everything that lies on the table can be read there."""

import io
from random import Random

import pytest
from rich.console import Console

from referee.board import draw
from referee.rules import Layout, Position, roll_dice
from tests.rules.table import player, rolled, table

BOARD = """\
Turn 14: p1 ann   Ship 3 of 7   Value 2 [3] 4 leaves
╭─ 0 ────────╮  ╭─ 1 ────────╮  ╭─ 2 ────────╮  ╭─ 3 ────────╮  ╭─ 4 ────────╮
│ harbour    │  │ pedro      │  │ maria      │  │ jose       │  │ martinez   │
│ deliver    │> │ 2 tobacco  │> │ 2 VP       │> │ 2 sugar    │> │ silenced   │
│            │  │ * white    │  │ * red      │  │ * yellow   │  │ * blue     │
╰────────────╯  ╰────────────╯  ╰────────────╯  ╰────────────╯  ╰────────────╯
      ^                                                               v
╭─ 9 ────────╮  ╭─ 8 ────────╮  ┏━ 7 ━━━━━━━━┓  ╭─ 6 ────────╮  ╭─ 5 ────────╮
│ alonso     │  │ pablo      │  ┃ miguel     ┃  │ el-zorro   │  │ conchita   │
│ own or use │< │ 1 good     │< ┃ 2 wood     ┃< │ a tribute  │< │ 2 citrus   │
│ * white    │  │ * red      │  ┃ * blue     ┃  │ no flower  │  │ * yellow   │
╰────────────╯  ╰────────────╯  ┗━━  CAR  ━━━┛  ╰────────────╯  ╰────────────╯
╭──────────────────┬──────────────────┬──────────────────┬──────────────────╮
│ * yellow         │ * blue           │ * red            │ * white          │
├──────────────────┼──────────────────┼──────────────────┼──────────────────┤
│ distillery       │ bank             │ church           │ harbour-office   │
│ sugar > rum      │ 2 pesos          │ 1 VP             │ value up or down │
├──────────────────┼──────────────────┼──────────────────┼──────────────────┤
│ sawmill          │ cigar-factory    │ cafe             │ trading-office   │
│ wood > VP + peso │ tobacco > cigars │ rum, cigars > VP │ 1 good > 2 VP    │
│                  │                  │ owner p0 pawn p1 │ owner p0         │
├──────────────────┼──────────────────┼──────────────────┼──────────────────┤
│ customs          │ black-market     │ casino           │ newspaper        │
│ a die to 0       │ 1 good > another │ 3 pesos = 1 VP   │ peso, silence    │
│                  │                  │                  │ pawn p0          │
╰──────────────────┴──────────────────┴──────────────────┴──────────────────╯
                pesos  VP  sugar  citrus  tobacco  rum  cigars  wood  markers
ship wants                     2       4        -    .       1
supply                         5       8        8    8       8     7
p0                  .   2      .       .        .    .       .     .        1
p1 ann              2   9      3       .        .    .       .     1        3
p1 ann drives on from stop 7:
  drive 1 (pablo), drive 2 (alonso), drive 3 (harbour)
"""
NARROW = """\
Turn 14: p1 ann   Ship 3 of 7   Value 2
[3] 4 leaves
    0 harbour  deliver
    1 pedro    2 tobacco  * white
    2 maria    2 VP       * red
    3 jose     2 sugar    * yellow
    4 martinez silenced   * blue
    5 conchita 2 citrus   * yellow
    6 el-zorro a tribute  no flower
CAR 7 miguel   2 wood     * blue
    8 pablo    1 good     * red
    9 alonso   own or use * white
* yellow distillery     sugar > rum
* yellow sawmill        wood > VP + peso
* yellow customs        a die to 0
* blue   bank           2 pesos
* blue   cigar-factory  tobacco > cigars
* blue   black-market   1 good > another
* red    church         1 VP
* red    cafe           rum, cigars > VP
                        owner p0 pawn p1
* red    casino         3 pesos = 1 VP
* white  harbour-office value up or down
* white  trading-office 1 good > 2 VP
                        owner p0
* white  newspaper      peso, silence
                        pawn p0
p0 eve, p1 ann
         ship wants  supply  p0  p1
pesos                         .   2
VP                            2   9
sugar             2       5   .   3
citrus            4       8   .   .
tobacco           -       8   .   .
rum               .       8   .   .
cigars            1       8   .   .
wood                      7   .   1
markers                       1   3
p1 ann drives on from stop 7:
  drive 1 (pablo), drive 2 (alonso),
  drive 3 (harbour)
"""


def printed(position: Position, *names: str, width: int = 80, **options: object) -> str:
    """The drawing as plain text without trailing spaces."""
    file = io.StringIO()
    Console(file=file, width=width, **options).print(draw(position, names))  # type: ignore[arg-type]
    return "\n".join(line.rstrip() for line in file.getvalue().split("\n"))


def last_lines(position: Position) -> list[str]:
    """What stands below the goods."""
    lines = printed(position, "kim", "ann").splitlines()
    player_rows = [n for n, line in enumerate(lines) if line.startswith("p1 ann  ")]
    return [line.strip() for line in lines[player_rows[0] + 1 :]]


def position_of_the_pictures() -> Position:
    return table(
        player(pesos=0, on="newspaper"),
        player(pesos=2, vp=9, on="cafe", sugar=3, wood=1),
        car="miguel",
        active=1,
        ship=3,
        value=3,
        demand="sugar:2,citrus:4,rum:0,cigars:1",
        owners="cafe:0,trading-office:0",
        silenced="martinez",
    )


def test_a_whole_board() -> None:
    assert printed(position_of_the_pictures(), "", "ann") == BOARD


def test_a_narrow_terminal_has_lists() -> None:
    assert printed(position_of_the_pictures(), "eve", "ann", width=40) == NARROW


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_position_fits_into_80_columns_and_40(players: int) -> None:
    luck = Random(players)
    position = Position.start(Layout.shuffled(luck), players)
    names = ["a-name-that-is-far-too-long"] * players
    while not position.is_over:
        if position.turn % 5 == 0 or not position.legal_moves:
            for width in (40, 80):
                lines = printed(position, *names, width=width).splitlines()
                assert max(map(len, lines)) <= width
                assert width == 80 or "…" not in "".join(lines), "nothing is cut"
        if position.legal_moves:
            position.apply(luck.choice(position.legal_moves))
        else:
            position.roll(roll_dice(luck))
    assert max(map(len, printed(position, *names).splitlines())) <= 80


def test_colours_only_repeat_what_the_words_say() -> None:
    position = table(player(), player())
    coloured = printed(position, force_terminal=True, color_system="standard", _environ={})
    assert "\x1b[31m* red" in coloured
    assert "\x1b[" not in printed(position)
    no_colour = {"NO_COLOR": "1"}
    plain = printed(position, force_terminal=True, color_system="standard", _environ=no_colour)
    assert "\x1b[31m" not in plain


def test_a_terminal_without_unicode_gets_plain_lines() -> None:
    position = table(player(), player())
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Console(file=file, width=80).print(draw(position))
    file.seek(0)
    drawn = file.read()
    assert "+- 1 --------+" in drawn
    assert "| pedro      |" in drawn


def test_what_is_to_be_decided() -> None:
    rich = player(pesos=20, sugar=1)
    assert last_lines(table(rich, player())) == ["p0 kim drives on from stop 0:", "drive 1 to 21"]
    assert last_lines(
        table(
            rich,
            rich,
            phase="deliver",
            seat=1,
            round="0,1",
            demand="sugar:2,rum:1,citrus:0,cigars:1",
        )
    ) == ["p1 ann delivers, or passes:", "deliver sugar 1", "pass"]
    assert last_lines(table(rich, rich, car="el-zorro", phase="tribute", seat=1)) == [
        "p1 ann gives El Zorro one thing:",
        "give sugar, give peso, give vp",
    ]
    use = table(player(on="cafe", rum=1), rich, car="maria", phase="function", function="cafe")
    assert last_lines(use) == ["p0 kim uses the cafe, or passes:", "serve rum", "pass"]


def test_dice_that_are_awaited_and_that_lie_there() -> None:
    position = table(player(), player(), phase="roll", demand="none")
    assert last_lines(position) == ["p0 kim rolls the dice for the ship."]
    rolled(position, sugar=1, citrus=4)
    assert last_lines(position) == [
        "p0 kim excludes a good. Dice: sugar 1, citrus 4, tobacco 0, rum 0, cigars 0.",
        "exclude sugar, exclude citrus, exclude tobacco, exclude rum, exclude cigars",
    ]


def test_how_it_ended() -> None:
    position = table(
        player(vp=3, rum=4), player(vp=9, pesos=1), phase="over", ship=7, reason="ships"
    )
    assert last_lines(position) == [
        "The game is over: the seventh ship has left.",
        "rank          VP  goods left over  pesos",
        "1  p1 ann   9                0      1",
        "2  p0 kim   4                1      3",
    ]
    played_out = table(player(), player(), phase="over", turn=300, active=1, reason="turns")
    assert last_lines(played_out)[0] == "The game is over: turn 300 has been played."
