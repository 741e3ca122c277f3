"""What is said about the dice is what holds: an operator with a bot at the table can cheat."""

import re

import pytest

from tests.docs.pages import DOCS

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


def test_nowhere_stands_more() -> None:
    pages = [*DOCS.glob("*.md"), ROOT / "README.md", ROOT / "referee/bot.py"]
    pages += (ROOT / "proto").rglob("*.proto")
    for page in pages:
        assert not TOO_MUCH.search(words(str(page.relative_to(ROOT)))), page.name
