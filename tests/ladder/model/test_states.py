"""Each state machine moves along its arrows, and nowhere else."""

from itertools import product

import pytest

from ladder.matches.states import match_move
from ladder.model import (
    Bot,
    BotState,
    MatchState,
    Version,
    VersionState,
    move_bot,
    move_version,
    states,
)


@pytest.mark.parametrize(("start", "to"), list(product(MatchState, MatchState)))
def test_matches_move_along_their_arrows_only(start: MatchState, to: MatchState) -> None:
    if (start, to) in states.MATCH_MOVES:
        assert "UPDATE matches" in str(match_move(start, to))
        return
    with pytest.raises(ValueError, match=f"a match does not go from {start} to {to}"):
        match_move(start, to)


@pytest.mark.parametrize(("start", "to"), list(product(VersionState, VersionState)))
def test_versions_move_along_their_arrows_only(start: VersionState, to: VersionState) -> None:
    version = Version(state=start, reason="It waits.")
    if (start, to) in states.VERSION_MOVES:
        move_version(version, to)
        assert (version.state, version.reason) == (to, "It waits.")
        return
    with pytest.raises(ValueError, match=f"a version does not go from {start} to {to}"):
        move_version(version, to)
    assert version.state is start


@pytest.mark.parametrize(("start", "to"), list(product(BotState, BotState)))
def test_bots_move_along_their_arrows_or_stay(start: BotState, to: BotState) -> None:
    bot = Bot(state=start, pause_reason="It faulted.")
    if start is to or (start, to) in states.BOT_MOVES:
        move_bot(bot, to)
        assert (bot.state, bot.pause_reason) == (to, None)
        return
    with pytest.raises(ValueError, match=f"a bot does not go from {start} to {to}"):
        move_bot(bot, to)
    assert bot.state is start


def test_a_rejected_version_keeps_its_reason() -> None:
    version = Version(state=VersionState.TRIAL)
    move_version(version, VersionState.REJECTED, "It faulted in its trial.")
    assert version.reason == "It faulted in its trial."


def test_who_is_retired_stays_so() -> None:
    assert not any(start is BotState.RETIRED for start, _ in states.BOT_MOVES)
    assert not any(start is VersionState.REJECTED for start, _ in states.VERSION_MOVES)
