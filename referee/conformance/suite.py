"""Runs the conformance suite: all checks in their order.

The first checks are here: the greeting, the first answers, and the one call to a stranger's bot.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic
from typing import Final

from referee.conformance import games
from referee.conformance.check import (
    Candidate,
    Check,
    CheckResult,
    CheckState,
    Failure,
    NotReached,
    StreamEnded,
    Why,
)
from referee.conformance.meeting import CheckGame
from referee.errors import Interrupted, InvalidBot
from referee.seats.description import NotDescribed, describe, stated_version
from referee.ways import bot_behind_gateway

_DECISIONS: Final = 8
_SIDES: Final = (
    ("in-time", (Why.TIMEOUT,), "It answers each decision within its time."),
    ("message", (Why.PROTOCOL,), "It sends messages of the protocol, in the right order."),
    ("message-size", (Why.TOO_LONG,), "It sends no message larger than 64 KB."),
    ("decision-id", (Why.WRONG_DECISION,), "Its choice repeats the id of the decision."),
    ("legal-index", (Why.ILLEGAL_INDEX,), "Its choice is the index of a legal move."),
    ("one-answer", (Why.SECOND_ANSWER,), "It answers once and sends nothing without a request."),
    (
        "stays",
        (Why.CLOSED, Why.LINE_LOST, Why.LIMIT),
        "It keeps the stream open until the game is over.",
    ),
)
_NOBODY: Final = (
    "Nobody listens there. Start the bot, wait until it says that it is waiting for games, "
    "and then try again."
)

DESCRIBE_WITHIN: Final = 10.0
_LONG_WAIT: Final = 1.0  # seconds for a processor, after which it is asked once more
_QUIET: Final = 0.2
_MOST_TIMEOUTS: Final = 3
"""A bot that hung in so many checks hangs in more: each would take the whole time of a decision."""


async def _describes(candidate: Candidate) -> None:
    while True:
        before = await candidate.waited()
        try:
            await asyncio.to_thread(describe, candidate.address, DESCRIBE_WITHIN, candidate.ways)
            return
        except InvalidBot as error:
            if await candidate.waited() - before < _LONG_WAIT:
                raise Failure(Why.NO_DESCRIPTION, str(error)) from None


async def _accepts(candidate: Candidate) -> None:
    async with CheckGame(candidate) as meeting:
        await meeting.places[0].keep_quiet(_QUIET)


_GREETING: Final = (
    Check(
        "describe", "It describes itself and speaks this version of the protocol.", _describes, True
    ),
    Check("accept", "It accepts a game, then waits for a request.", _accepts, True),
)
_LAST_WORD: Final = (
    Check("still-there", "After all of this, it still describes itself.", _describes),
)


async def _rehearse(candidate: Candidate) -> Failure | None:
    """Play with the candidate at the seat that rolls first: it decides from the setup on."""
    try:
        async with CheckGame(candidate, seats=(1,), number=2) as meeting:
            await meeting.play(_DECISIONS)
            await meeting.places[1].keep_quiet(_QUIET)
    except Failure as failure:
        return failure
    return None


def answers() -> tuple[Check, ...]:
    """Return the checks of the first answers. They share one game: make them anew for each bot."""
    played: list[Failure | None] = []

    async def judge(faults: tuple[Why, ...], candidate: Candidate) -> None:
        """Raise the failure if it is one of `faults`; for any other failure raise NotReached."""
        if not played:
            played.append(await _rehearse(candidate))
        if (failure := played[0]) is None:
            return
        if failure.why in faults:
            raise failure
        raise NotReached(f"The game broke off before: {failure.sentence}")

    return tuple(
        Check(name, sentence, partial(judge, faults), essential=name == "in-time")
        for name, faults, sentence in _SIDES
    )


async def _answers(version: str, candidate: Candidate) -> None:
    """Let the bot accept a game, which takes its proof; only then ask for its version."""
    await _accepts_once(candidate)
    try:
        stated = await stated_version(candidate.address, candidate.ways)
    except NotDescribed as error:
        if error.ours:
            raise Interrupted(str(error)) from None
        raise Failure(Why.NO_DESCRIPTION, str(error)) from None
    if stated != version:
        sentence = (
            f"It says that it is version {stated}; version {version} was submitted. "
            f"Submit it as version {stated}, or start the one that says {version}."
        )
        raise Failure(Why.OTHER_VERSION, sentence)


async def _accepts_once(candidate: Candidate) -> None:
    try:
        async with CheckGame(candidate, number=3):
            pass
    except StreamEnded as ended:
        if ended.refused:
            raise Failure(Why.NOBODY_LISTENS, f"{_NOBODY} {ended.sentence}") from None
        if ended.why is Why.LINE_LOST and bot_behind_gateway(candidate.address) is None:
            hint = candidate.ways.hint(candidate.address)
            raise Failure(ended.why, f"{ended.sentence} At {candidate.address}: {hint}") from None
        raise


def first_call(version: str) -> Check:
    """Return the check to make before all others. If it fails, nothing is dialled again."""
    return Check(
        "first-call",
        "Called once, it accepts a game, proves that it knows its secret, and is the "
        "submitted version.",
        partial(_answers, version),
        essential=True,
    )


def proof_check() -> Check:
    """Return the check of the shared secret, as `first_call` makes it, for a bot of any version."""
    sentence = "It proves that it knows the secret that it shares with the ladder."
    return Check("secret", sentence, _accepts_once, essential=True)


def checks() -> tuple[Check, ...]:
    """Return the whole suite, for one candidate."""
    return (
        *_GREETING,
        *answers(),
        *games.DECISIONS,
        *games.GAMES,
        *games.PATIENCE,
        *games.TOLERANCE,
        *games.ENDINGS,
        *games.LINES,
        *_LAST_WORD,
    )


async def examine(
    candidate: Candidate,
    suite: Sequence[Check] | None = None,
    watcher: Callable[[CheckResult], None] | None = None,
    gone: Callable[[CheckResult], bool] = lambda _: False,
) -> list[CheckResult]:
    """Make the checks one after another, and return their results.

    The bot conforms if all results have passed. `watcher` is called with each result as soon as it
    is there. If `gone` returns True for a check that failed, the bot has ended, and no later check
    is tried. No bot can cause an error here; raises Interrupted if the line to its host breaks.
    """
    results = []
    blocker: Check | None = None
    hung: list[Check] = []
    for check in checks() if suite is None else suite:
        result = await _result(check, candidate, blocker)
        if result.state is CheckState.FAILED and (check.essential or gone(result)):
            blocker = check
        if result.why is Why.TIMEOUT:
            hung.append(check)
            if len(hung) == _MOST_TIMEOUTS:
                blocker = hung[0]
        results.append(result)
        if watcher is not None:
            watcher(result)
    return results


async def _result(check: Check, candidate: Candidate, blocker: Check | None) -> CheckResult:
    ended = partial(CheckResult, check.name, check.sentence)
    if blocker is not None:
        return ended(CheckState.NOT_TRIED, explanation=f"First mend {blocker.name}.")
    started = monotonic()
    try:
        await check.run(candidate)
    except Failure as failure:
        seconds = monotonic() - started
        return ended(CheckState.FAILED, failure.why, failure.sentence, seconds)
    except NotReached as reason:
        return ended(CheckState.NOT_TRIED, explanation=str(reason))
    return ended(CheckState.PASSED, seconds=monotonic() - started)
