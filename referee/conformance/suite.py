"""All checks in their order, and how they are made."""

from collections.abc import Callable, Sequence
from time import monotonic

from referee.conformance.answers import answers
from referee.conformance.candidate import Candidate
from referee.conformance.check import Check, Failure, NotReached, Result, State
from referee.conformance.decisions import DECISIONS
from referee.conformance.endings import ENDINGS
from referee.conformance.games import GAMES
from referee.conformance.greeting import GREETING, LAST_WORD
from referee.conformance.lines import LINES
from referee.conformance.patience import PATIENCE
from referee.conformance.tolerance import TOLERANCE


def checks() -> tuple[Check, ...]:
    """The whole suite, for one candidate."""
    return (
        *GREETING,
        *answers(),
        *DECISIONS,
        *GAMES,
        *PATIENCE,
        *TOLERANCE,
        *ENDINGS,
        *LINES,
        *LAST_WORD,
    )


async def examine(
    candidate: Candidate,
    suite: Sequence[Check] | None = None,
    watcher: Callable[[Result], None] | None = None,
) -> list[Result]:
    """Makes the checks one after another; `watcher` hears of each as soon as it is made.

    The bot conforms when all results have passed. Nothing is raised on a bot's account.
    """
    results = []
    blocker: Check | None = None
    for check in checks() if suite is None else suite:
        result = await _result(check, candidate, blocker)
        if check.essential and result.state is State.FAILED:
            blocker = blocker or check
        results.append(result)
        if watcher is not None:
            watcher(result)
    return results


async def _result(check: Check, candidate: Candidate, blocker: Check | None) -> Result:
    name, sentence = check.name, check.sentence
    if blocker is not None:
        return Result(name, sentence, State.NOT_TRIED, told=f"First mend {blocker.name}.")
    started = monotonic()
    try:
        await check.run(candidate)
    except Failure as failure:
        seconds = monotonic() - started
        return Result(name, sentence, State.FAILED, failure.why, failure.sentence, seconds)
    except NotReached as reason:
        return Result(name, sentence, State.NOT_TRIED, told=str(reason))
    return Result(name, sentence, State.PASSED, seconds=monotonic() - started)
