"""docs/notation.md and the table of actions in docs/protocol.md say what the rules do."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from random import Random

from referee.replay import simulate, start, trace
from referee.rules import Layout, Position, parse_move
from referee.rules.moves import VERB_MASK
from referee.rules.pieces import BUILDINGS, CITIZENS, FLOWERS, GOODS
from referee.rules.trace import Line, decision_line, fault_line, state_json
from referee.wire import game_pb2, replay_pb2
from tests.docs.pages import DOCS, blocks
from tests.referee.games import DrawingBot, local_game, moments
from web.words import words_of

PAGE = "notation.md"
_ASKS_NOTHING = ("bank", "church")


@cache
def games() -> tuple[replay_pb2.Replay, ...]:
    """Some random games at 2 to 4 seats."""
    return tuple(local_game([DrawingBot] * (2 + game % 3), seed=game) for game in range(9))


def test_names_stand_in_the_order_of_their_numbers() -> None:
    text = " ".join((DOCS / PAGE).read_text().split())
    for names in (GOODS, CITIZENS, BUILDINGS, FLOWERS):
        assert f"`{' '.join(names)}`" in text


def test_the_parts_of_a_position() -> None:
    (example,) = (block.text for block in blocks(PAGE) if block.language == "text")
    assert str(Position.parse(example)).split() == example.split()
    page = (DOCS / PAGE).read_text().partition("\n## Positions\n")[2].partition("\n## ")[0]
    told = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", page, re.M))))
    written = {part.partition("=")[0] for position in moments(6) for part in str(position).split()}
    seats = {f"p{seat}" for seat in range(4)}
    assert told - seats - {"deliver", "function", "demand", "over"} == (
        written - seats - {"function", "demand"}
    )


def test_what_a_state_lacks_follows_from_the_lines_before() -> None:
    used = rounds = 0
    for record in games():
        lines = list(trace(record))
        decisions = [line for line in lines if line["type"] == "decision"]
        positions = choices_of(record)
        assert len(positions) == len(decisions)
        for before, line, position in zip([{}, *decisions], decisions, positions, strict=False):
            if line["kind"] == "function":
                used += 1
                assert position.building == BUILDINGS.index(building_of(before, line))
        for turn in rounds_of(decisions):
            for number in turn:
                rounds += 1
                position = positions[number]
                still_in = [s for s in range(position.players) if position.in_round(s)]
                assert still_in == in_round([decisions[n] for n in turn if n <= number])
    assert used > 100
    assert rounds > 100


def test_which_buildings_the_lawyer_lets_one_use() -> None:
    said = re.search(r"would give something: (\w+), (\w+) and (\w+) always do", told())
    assert said is not None
    offered = 0
    for position in (one for record in games() for one in choices_of(record)):
        if position.kind != "lawyer":
            continue
        for number, building in enumerate(BUILDINGS):
            mine = position.owner(number) == position.seat
            if f"use {building}" not in position.legal_texts():
                assert not mine or building not in said.groups()
                continue
            offered += 1
            assert mine
            after = position.copy()
            after.step(after.parse_move(f"use {building}"))
            if building not in _ASKS_NOTHING:
                assert after.kind == "function"
                assert after.building == number
                assert len(after.legal_moves) > 1
    assert offered > 10


def test_the_state_at_a_demand_decision_and_in_a_result() -> None:
    assert "`{}` until it is rolled and chosen, so also at a `demand` decision" in told()
    said = re.search(r"`value` (\d) if the marker went onto the chequered flag", told())
    assert said is not None
    position = Position.start(Layout.shuffled(Random(7)), players=2)
    position.roll((1, 4, 0, 2, 3))
    assert decision_line(position, position.legal_moves[0])["state"]["demand"] == {}
    position.play("exclude tobacco")
    behind = CITIZENS[position.layout.citizen_at[1]]
    line = str(position).replace("silenced=none", f"silenced={behind}")
    position = Position.parse(
        line.replace("ship=1", "ship=7").replace("value=2", "value=4").replace("car=0", "car=9")
    )
    demand = state_json(position)["demand"]
    position.play("drive 3")
    state = state_json(position)
    assert (state["ship"], state["value"], state["car"]) == (7, int(said[1]), 0)
    assert (state["demand"], state["silenced"]) == (demand, [behind])


def test_a_fault_of_a_seat_that_was_asked_nothing_has_no_decision() -> None:
    assert "null if none of its own was open" in told()
    position = Position.start(Layout.shuffled(Random(7)), players=2)
    position.roll((1, 4, 0, 2, 3))
    assert fault_line(position, 1, "closed")["kind"] == "demand"
    other = fault_line(position, 0, "closed")
    assert (other["kind"], other["legal"]) == (None, None)


def test_three_buildings_have_the_names_of_the_rulebook() -> None:
    page = " ".join((DOCS / "rulings.md").read_text().split())
    named = re.findall(r"`([a-z-]+)` \(\*([^*]+)\*, \*([^*]+)\*\)", page)
    german, spanish = words_of("de").names, words_of("es").names
    assert {name: (german[name], spanish[name]) for name, *_ in named} == {
        name: (in_german, in_spanish) for name, in_german, in_spanish in named
    }
    assert len(named) == 3


def told() -> str:
    """The page, without its line breaks."""
    return " ".join((DOCS / PAGE).read_text().split())


def choices_of(record: replay_pb2.Replay) -> list[Position]:
    """The positions at which somebody chose."""
    position = start(record)
    return [
        position.copy()
        for step in simulate(position, record)
        if step.move is not None and step.entry is not None
    ]


def building_of(before: Line, line: Line) -> str:
    """The building that a `function` decision is about, as the page says."""
    verb, _, building = before.get("chosen", "").partition(" ")
    if verb == "use" and building not in _ASKS_NOTHING:
        return str(building)
    state = line["state"]
    return str(state["players"][state["active"]]["pawn"])


def rounds_of(decisions: list[Line]) -> list[list[int]]:
    """The numbers of the `deliver` decisions, turn by turn."""
    turns: dict[int, list[int]] = {}
    for number, line in enumerate(decisions):
        if line["kind"] == "deliver":
            turns.setdefault(line["state"]["turn"], []).append(number)
    return list(turns.values())


def in_round(lines: list[Line]) -> list[int]:
    """Who is in the round at the last of these `deliver` decisions of a turn, as the page says."""
    state = lines[-1]["state"]
    players = len(state["players"])
    out = set(_between(state["active"], lines[0]["seat"], players))
    for one, other in pairwise(lines):
        out |= {one["seat"]} if one["chosen"] == "pass" else set()
        out |= set(_between((one["seat"] + 1) % players, other["seat"], players))
    return [seat for seat in range(players) if seat not in out]


def _between(first: int, end: int, players: int) -> Iterator[int]:
    while first != end:
        yield first
        first = (first + 1) % players


def test_the_table_of_actions() -> None:
    page = (DOCS / "protocol.md").read_text()
    rows = re.findall(r"^\| (\d+) \| ([a-z ]+) \| .+ \| `(.+)` \| (\d+) \|$", page, re.M)
    assert [int(verb) for verb, *_ in rows] == sorted(game_pb2.Verb.values())
    for verb, word, text, action in rows:
        assert parse_move(text) == int(action)
        assert int(action) & VERB_MASK == int(verb)
        assert text.startswith(word.split()[0])
