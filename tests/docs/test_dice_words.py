"""What is said about the dice is what holds: an operator with a bot at the table can cheat."""

import hmac
import re

import pytest

from referee.replay import frames
from referee.rules import parse_move
from tests.docs.pages import DOCS
from tests.referee.games import DrawingBot, local_game

ROOT = DOCS.parent
SAYS_IT = (
    "docs/dice.md",
    "docs/fairness.md",
    "proto/santiago/v1/bot.proto",
    "referee/game.py",
    "web/templates/replays/panels.html",
)
TOO_MUCH = re.compile(
    r"(dice|luck) that nobody can choose|nobody (could|can) have chosen"
    r"|nobody else can choose the dice"
    r"|neither (a |the )?bots? nor (an? |the )?operators? can choose",
    re.I,
)


def words(path: str) -> str:
    return re.sub(r"[\s/]+", " ", (ROOT / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", SAYS_IT)
def test_an_operator_without_a_bot_at_the_table_cannot_choose(path: str) -> None:
    said = words(path)
    assert re.search(r"[Nn]o bot can choose (the|it|them)", said)
    assert re.search(r"nor can an operator (who has no|without a) bot at the table", said)


@pytest.mark.parametrize("path", SAYS_IT[:-1])
def test_one_who_shares_the_seed_lets_a_bot_choose_by_its_nonce(path: str) -> None:
    assert re.search(r"(shares|tells|learns).{0,60} the seed.{0,120} nonce", words(path))


def test_how_the_caretakers_moves_are_counted() -> None:
    said = words("docs/dice.md")
    assert (
        "All seats that have faulted share the count; forced moves are not drawn, and not" in said
    )
    record = local_game([DrawingBot, None, None, DrawingBot])
    nonces = b"".join(bytes([len(seat.nonce)]) + seat.nonce for seat in record.seats)
    salt = record.attempt.to_bytes(4, "big") + nonces
    moves = [frame for frame in frames(record)["frames"] if frame.get("by") == "caretaker"]
    assert {frame["seat"] for frame in moves} == {1, 2}
    for k, frame in enumerate(moves):
        message = salt + b"caretaker" + k.to_bytes(4, "big")
        number = int.from_bytes(hmac.digest(record.dice_seed, message, "sha256")[:8], "big")
        legal = sorted(frame["legal"], key=parse_move)
        assert len(legal) > 1
        assert legal[number % len(legal)] == frame["move"]


def test_nowhere_stands_more() -> None:
    pages = [*DOCS.glob("*.md"), ROOT / "README.md", ROOT / "referee/bot.py"]
    pages += (ROOT / "proto").rglob("*.proto")
    for page in pages:
        assert not TOO_MUCH.search(words(str(page.relative_to(ROOT)))), page.name
