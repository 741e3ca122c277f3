"""Whatever text is given to the rules: an answer or an error of the family, nothing else."""

import re
from collections.abc import Callable
from random import Random

from hypothesis import given, settings, strategies as st

from referee.rules import (
    InvalidMove,
    InvalidPosition,
    Layout,
    Position,
    move_text,
    parse_move,
    play_out,
    roll_dice,
)
from referee.rules.moves import VERB_BITS
from referee.rules.pieces import BUILDINGS, CITIZENS, FLOWERS, GOODS
from tests.rules.table import legal

bounded: Callable[..., object] = settings(max_examples=150)

NAMES = (*GOODS, *CITIZENS, *BUILDINGS, *FLOWERS, "none", "lawyer", "peso", "vp")
VERBS = ("drive", "take", "own", "give", "visit", "swap", "sell", "serve", "deliver", "pass", "as")


def positions_on_the_way() -> list[str]:
    """Texts of positions of all kinds, from some random games."""
    texts = []
    for players in (2, 3, 4):
        luck = Random(players)
        position = Position.start(Layout.shuffled(luck), players)
        while not position.is_over:
            texts.append(str(position))
            if position.legal_moves:
                position.step(luck.choice(position.legal_moves))
            else:
                position.roll(roll_dice(luck))
        texts.append(str(position))
    return texts


def values(texts: list[str]) -> dict[str, list[str]]:
    """What stands after each key in some text."""
    found: dict[str, set[str]] = {}
    for part in " ".join(texts).split():
        key, _, value = part.partition("=")
        found.setdefault(key, set()).add(value)
    return {key: sorted(some) for key, some in found.items()}


TEXTS = positions_on_the_way()
VALUES = values(TEXTS)
words = st.sampled_from(NAMES) | st.sampled_from(VERBS) | st.integers(-1, 99999).map(str)


def read_move(text: str) -> None:
    try:
        move = parse_move(text)
    except InvalidMove:
        return
    assert move_text(move) == text


def read_position(text: str) -> None:
    """What is read can be written, read again and played on to an end."""
    try:
        position = Position.parse(text)
    except InvalidPosition:
        return
    again = Position.parse(str(position))
    assert again == position
    assert again.legal_moves == position.legal_moves
    assert bool(legal(position)) == (position.kind not in ("roll", "over"))
    play_out(position, Random(0))
    assert position.outcome() is not None
    assert Position.parse(str(position)) == position


@bounded
@given(st.text())
def test_any_text_as_a_move(text: str) -> None:
    read_move(text)


@bounded
@given(st.lists(words, max_size=5).map(" ".join))
def test_words_of_the_notation_in_any_order_as_a_move(text: str) -> None:
    read_move(text)


@bounded
@given(st.integers(-(2**70), 2**70))
def test_any_number_as_a_move(number: int) -> None:
    try:
        text = move_text(number)
    except InvalidMove:
        return
    assert parse_move(text) == number
    assert number >> VERB_BITS < 10**9


@bounded
@given(st.text())
def test_any_text_as_a_position(text: str) -> None:
    read_position(text)


@bounded
@given(st.sampled_from(TEXTS), st.data())
def test_a_position_with_pieces_replaced(text: str, data: st.DataObject) -> None:
    """Names by names and numbers by numbers, so that many are nearly right."""
    for _ in range(data.draw(st.integers(1, 3))):
        separators = [place.start() for place in re.finditer("[=,:/ ]", text)]
        at = data.draw(st.integers(0, len(separators) - 2))
        start, end = separators[at] + 1, separators[at + 1]
        if text[start:end].isdigit():
            piece = data.draw(st.integers(0, 12) | st.sampled_from((300, 99999, 10**9)))
            text = f"{text[:start]}{piece}{text[end:]}"
        elif text[end] != "=":
            text = text[:start] + data.draw(st.sampled_from(NAMES)) + text[end:]
    read_position(text)


@bounded
@given(st.sampled_from(TEXTS), st.data())
def test_a_position_with_characters_lost_doubled_or_changed(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(len(text) // 2, len(text) - 1))
        put = data.draw(st.sampled_from(["", text[at] * 2, " ", "=", ",", "0", "9", "é", "\0"]))
        text = text[:at] + put + text[at + 1 :]
    read_position(text)


@bounded
@given(st.sampled_from(TEXTS), st.data())
def test_parts_of_different_positions_put_together(text: str, data: st.DataObject) -> None:
    parts = dict(part.split("=") for part in text.split())
    for key in data.draw(st.sets(st.sampled_from(sorted(VALUES)), max_size=4)):
        parts[key] = data.draw(st.sampled_from(VALUES[key]))
    read_position(" ".join(f"{key}={value}" for key, value in parts.items()))
