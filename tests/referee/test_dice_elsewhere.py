"""The dice of a real game, checked in another language by docs/dice.md alone."""

import asyncio
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from referee.match import play_table
from referee.messages import dice_of
from referee.seats.player import Invitation, LocalSeat
from tests.conftest import missing
from tests.referee.games import DrawingBot, match_of

CHECKER = Path(__file__).with_name("check_dice.mjs")


class Careful(LocalSeat):
    async def accept(self, invitation: Invitation) -> bytes:
        return b"mine %d" % invitation.seat


def played() -> dict[str, Any]:
    seats = [Careful(DrawingBot()) for _ in range(3)]
    replay = asyncio.run(play_table(match_of([""] * 3, seed=8), seats))
    rolls = [entry.roll for entry in replay.entries if entry.HasField("roll")]
    return {
        "seed": replay.dice_seed.hex(),
        "commitment": replay.dice_commitment.hex(),
        "attempt": replay.attempt,
        "nonces": [seat.nonce.hex() for seat in replay.seats],
        "rolls": [dice_of(roll.dice) for roll in rolls],
    }


def checked(game: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    node = shutil.which("node")
    if node is None:
        missing("node")
    command = [node, str(CHECKER)]
    return subprocess.run(
        command, input=json.dumps(game), capture_output=True, text=True, timeout=60, check=False
    )


def test_node_comes_to_the_same_dice() -> None:
    game = played()
    assert checked(game).stdout == f"{len(game['rolls'])} rolls are right\n"


def test_node_finds_a_changed_die_and_a_changed_seed() -> None:
    game = played()
    changed = [*game["rolls"][:-1], [1 - min(1, die) for die in game["rolls"][-1]]]
    assert f"roll {len(changed) - 1} should be" in checked(game | {"rolls": changed}).stderr
    assert "commitment" in checked(game | {"seed": "00" * 32}).stderr
