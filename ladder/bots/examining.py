"""Makes the check of a submitted version: the conformance suite, on the worker's event loop."""

from __future__ import annotations

import asyncio
from typing import Final

from ladder.bots.addresses import OutOfBounds
from ladder.bots.checking import LONGEST, Check
from ladder.bots.dialling import ways_to
from ladder.bots.reports import Report, report
from referee.conformance.check import Candidate, Result, State, Why
from referee.conformance.suite import checks, examine, first_call
from referee.ways import Ways

PAUSE: Final = 2.0
"""Seconds for which the checks of patience let a bot wait."""


async def run_check(check: Check, *, pause: float = PAUSE) -> Report:
    """Makes all checks; nothing is raised on the bot's account.

    Raises SettingsError and InvalidSetting where this worker lacks a setting.
    """
    results: list[Result] = []
    try:
        async with asyncio.timeout(LONGEST):
            ways = await ways_to(check.address, check.secret, Ways.from_environment())
            candidate = Candidate(check.address, pause=pause, slots=check.slots, ways=ways)
            await examine(candidate, (first_call(check.version), *checks()), results.append)
    except OutOfBounds as error:
        results.append(_failed("address", "Its host may be dialled.", Why.LINE_LOST, f"{error}."))
    except TimeoutError:
        told = f"They were not over after {LONGEST / 60:g} minutes."
        results.append(_failed("time", "All checks end in time.", Why.TIMEOUT, told))
    return report(results)


def _failed(name: str, sentence: str, why: Why, told: str) -> Result:
    return Result(name, sentence, State.FAILED, why, told)
