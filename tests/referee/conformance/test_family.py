"""`santiago bot check` names the sin of each hostile bot; those that are only rude pass."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from referee.clock import Clock
from referee.conformance.check import Candidate, CheckResult, CheckState, Why
from referee.conformance.suite import checks, examine
from referee.rules.cells import PHASES
from tests.hostile_bots.family import Kind, batches, names
from tests.hostile_bots.stable import hostile_bot

NewAddress = Callable[[], str]
NAMES = [check.name for check in checks()]
FIRST = NAMES[: NAMES.index("stays") + 1]
DECISIONS = PHASES[: PHASES.index("roll")]


async def first_failure(kind: Kind, address: str, clock: Clock) -> CheckResult | None:
    """The first of the checks for a bot that it fails; none is made after that."""
    wanted = checks_for(kind)
    with hostile_bot(kind.name, address):
        for check in checks():
            if check.name in wanted:
                (result,) = await examine(Candidate(address, clock), [check])
                if result.state is CheckState.FAILED:
                    return result
    return None


def sin_of(kind: Kind, failure: CheckResult | None) -> tuple[str, Why | None] | None:
    """An end in the moment in which the check has something to say looks like a broken line."""
    if failure is None:
        return None
    if failure.why is Why.LINE_LOST and kind.sin == (failure.name, Why.CLOSED):
        return kind.sin
    return failure.name, failure.why


def checks_for(kind: Kind) -> list[str]:
    """The first ones and the end of a game; or those of the decision at which its process dies."""
    if kind.sin is not None and kind.sin[0] in DECISIONS:
        return ["describe", "accept", kind.sin[0]]
    return [*FIRST, "game-end"]


@pytest.mark.parametrize("kinds", batches(8), ids=names)
async def test_the_first_check_that_fails_is_that_of_its_sin(
    kinds: tuple[Kind, ...], new_address: NewAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In haste; what a busy machine may have been too slow for is looked at again with patience."""
    with monkeypatch.context() as haste:
        for limit in ("suite.DESCRIBE_WITHIN", "meeting.SEND_WITHIN", "meeting.END_WITHIN"):
            haste.setattr(f"referee.conformance.{limit}", 1.0)
        hasty = await sins_of({kind: kind.clock for kind in kinds}, new_address)
    again = {
        kind: replace(kind.clock, move_limit=30.0, start_up=30.0)
        for kind in kinds
        if hasty[kind] != kind.sin
    }
    found = hasty | await sins_of(again, new_address)
    assert found == {kind: kind.sin for kind in kinds}


async def sins_of(
    clocks: dict[Kind, Clock], new_address: NewAddress
) -> dict[Kind, tuple[str, Why | None] | None]:
    """What each kind fails, in games on its clock."""
    failures = await asyncio.gather(
        *(first_failure(kind, new_address(), clock) for kind, clock in clocks.items())
    )
    assert all(failure is None or failure.explanation.isprintable() for failure in failures)
    return {kind: sin_of(kind, failure) for kind, failure in zip(clocks, failures, strict=True)}
