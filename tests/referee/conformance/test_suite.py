"""The conformance suite: good bots pass it, each hostile one fails the check that names its sin."""

import threading
from collections.abc import Callable, Iterator

import grpc
import pytest

from referee.bot import Decision
from referee.clock import Clock
from referee.conformance.check import Candidate, Check, CheckResult, CheckState, Failure, Why
from referee.conformance.suite import checks, examine, first_call
from referee.errors import InvalidBot
from referee.rules import Move
from referee.ways import GATEWAY, GATEWAY_KEY, Ways
from tests import hostile_bots as hostile
from tests.hostile_bots import Context, HostileBot, Request, Spoil
from tests.referee.games import PATIENT, DrawingBot, served
from tests.referee.gateway.wires import KEY, gateway, guest
from tests.referee.test_faults import FAULTS

NewAddress = Callable[[], str]
PAUSE = 0.02
FIRST = 9  # checks up to that of the first decisions
HASTY = Clock(move_limit=1.0, bank=60.0, increment=1.0)

SINS: dict[Spoil, tuple[str, Why]] = {
    hostile.index_too_large: ("legal-index", Why.ILLEGAL_INDEX),
    hostile.index_far_off: ("legal-index", Why.ILLEGAL_INDEX),
    hostile.next_decision: ("decision-id", Why.WRONG_DECISION),
    hostile.two_answers: ("one-answer", Why.SECOND_ANSWER),
    hostile.flood: ("one-answer", Why.SECOND_ANSWER),
    hostile.silent: ("in-time", Why.TIMEOUT),
    hostile.deaf: ("in-time", Why.TIMEOUT),
    hostile.closes: ("stays", Why.CLOSED),
    hostile.crashes: ("stays", Why.CLOSED),
    hostile.complains_at_length: ("stays", Why.CLOSED),
    hostile.drops_the_line: ("stays", Why.LINE_LOST),
    hostile.garbage: ("message", Why.PROTOCOL),
    hostile.accepts_again: ("message", Why.PROTOCOL),
    hostile.unknown_message: ("message", Why.PROTOCOL),
    hostile.nothing: ("message", Why.PROTOCOL),
    hostile.oversize: ("message-size", Why.TOO_LONG),
    hostile.swells: ("message-size", Why.TOO_LONG),
}
"""The check that each bot fails which spoils its third decision, and the reason."""
SINS_AT_THE_START: dict[Spoil, Why] = {
    hostile.chooses: Why.PROTOCOL,
    hostile.long_nonce: Why.PROTOCOL,
    hostile.closes: Why.CLOSED,
    hostile.garbage: Why.PROTOCOL,
    hostile.two_answers: Why.SECOND_ANSWER,
    hostile.oversize: Why.TOO_LONG,
}


def always(_: int) -> bool:
    return True


def clock_for(spoil: Spoil) -> Clock:
    return HASTY if SINS[spoil][1] is Why.TIMEOUT else PATIENT


def failed(results: list[CheckResult]) -> list[tuple[str, Why | None]]:
    return [(result.name, result.why) for result in results if result.state is CheckState.FAILED]


async def examined(bot: HostileBot | str, clock: Clock = PATIENT) -> list[CheckResult]:
    address = bot if isinstance(bot, str) else bot.address
    return await examine(Candidate(address, clock, PAUSE))


def test_names_are_unique_and_sentences_are_sentences() -> None:
    suite = checks()
    assert len({check.name for check in suite}) == len(suite)
    assert all(check.sentence.endswith(".") for check in suite)


def test_every_fault_of_the_matches_is_among_the_sins() -> None:
    assert FAULTS.keys() <= SINS.keys()
    for spoil in FAULTS:
        of_matches, ours = FAULTS[spoil].word, SINS[spoil][1]
        assert ours in (of_matches, Why.SECOND_ANSWER, Why.TOO_LONG)


async def test_bots_of_the_kit_pass(good_bot: str) -> None:
    results = await examined(good_bot)
    assert {result.state for result in results} == {CheckState.PASSED}, failed(results)
    assert [result.name for result in results] == [check.name for check in checks()]


async def test_an_honest_bot_passes(new_address: NewAddress) -> None:
    with HostileBot(new_address()) as bot:
        results = await examined(bot)
        assert bot.left_alone()
    assert {result.state for result in results} == {CheckState.PASSED}, failed(results)


@pytest.mark.parametrize("spoil", SINS, ids=lambda spoil: spoil.__name__)
async def test_who_sins_once_fails_the_check_of_that_name(
    spoil: Spoil, new_address: NewAddress
) -> None:
    """The first request is the GameStart of `accept`, the second that of the first decisions."""
    with HostileBot(new_address(), spoil, when=(4).__eq__) as bot:
        results = await examine(Candidate(bot.address, clock_for(spoil)), checks()[:FIRST])
    assert failed(results) == [SINS[spoil]]
    (found,) = (result for result in results if result.state is CheckState.FAILED)
    assert "It had been asked for a " in found.explanation or found.why is Why.SECOND_ANSWER
    assert found.explanation.isprintable()


@pytest.mark.parametrize("spoil", SINS, ids=lambda spoil: spoil.__name__)
async def test_who_always_sins_fails_that_check_first(
    spoil: Spoil, new_address: NewAddress
) -> None:
    def sin(request: Request, context: Context) -> Iterator[bytes]:
        return (spoil if request.HasField("decision") else hostile.honest)(request, context)

    game = next(check for check in checks() if check.name.startswith("game-of-"))
    with HostileBot(new_address(), sin, always) as bot:
        candidate = Candidate(bot.address, clock_for(spoil), PAUSE)
        *results, played = await examine(candidate, [*checks()[:FIRST], game])
    assert failed(results)[0] == SINS[spoil]
    assert played.state is not CheckState.PASSED


@pytest.mark.parametrize("spoil", [hostile.closes, hostile.two_answers])
async def test_who_always_sins_passes_no_check_of_a_game(
    spoil: Spoil, new_address: NewAddress
) -> None:
    def sin(request: Request, context: Context) -> Iterator[bytes]:
        return (spoil if request.HasField("decision") else hostile.honest)(request, context)

    with HostileBot(new_address(), sin, always) as bot:
        results = await examined(bot)
    games = [one for one in results if one.name.startswith(("game-", "several-", "line-back"))]
    assert CheckState.PASSED not in {one.state for one in games}


@pytest.mark.parametrize("spoil", SINS_AT_THE_START, ids=lambda spoil: spoil.__name__)
async def test_who_does_not_accept_is_asked_nothing_more(
    spoil: Spoil, new_address: NewAddress
) -> None:
    with HostileBot(new_address(), spoil, when=(0).__eq__) as bot:
        results = await examined(bot)
    assert failed(results) == [("accept", SINS_AT_THE_START[spoil])]
    assert {result.explanation for result in results[2:]} == {"First mend accept."}


async def test_who_runs_out_of_time_in_three_checks_is_asked_nothing_more() -> None:
    async def hang(_: Candidate) -> None:
        raise Failure(Why.TIMEOUT, "It did not answer within 10 s.")

    async def sin(_: Candidate) -> None:
        raise Failure(Why.ILLEGAL_INDEX, "Its choice has the index 99.")

    runs = {
        "visit": sin,
        "drive": hang,
        "deliver": hang,
        "pick": sin,
        "lawyer": hang,
        "demand": sin,
    }
    suite = [Check(name, "It decides.", run) for name, run in runs.items()]
    results = await examine(Candidate("127.0.0.1:9"), suite)
    assert [one.name for one in results if one.state is CheckState.FAILED] == list(runs)[:-1]
    assert (results[-1].state, results[-1].explanation) == (
        CheckState.NOT_TRIED,
        "First mend drive.",
    )


async def test_the_first_call_says_how_a_bot_ended_it(new_address: NewAddress) -> None:
    with HostileBot(new_address(), hostile.crashes, when=(0).__eq__) as bot:
        (result,) = await examine(Candidate(bot.address, PATIENT, PAUSE), [first_call("1")])
    assert (result.state, result.why) == (CheckState.FAILED, Why.CLOSED)
    assert result.explanation.startswith("It ended the stream with an error (")


async def test_nobody_is_there(new_address: NewAddress, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.conformance.suite.DESCRIBE_WITHIN", 0.2)
    results = await examined(new_address())
    assert failed(results) == [("describe", Why.NO_DESCRIPTION)]
    assert results[0].explanation.startswith("No bot answers at unix:")
    assert {result.state for result in results[1:]} == {CheckState.NOT_TRIED}


async def test_who_waited_for_a_processor_is_asked_once_more_to_describe_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its host gave the processor to others' bots, for longer than a description may take."""
    readings, calls = iter([0.0, 10.0]), 0

    async def waited() -> float:
        return next(readings, 10.0)

    def describe(*_: object) -> None:
        nonlocal calls
        calls += 1
        raise InvalidBot("No bot answers.")

    monkeypatch.setattr("referee.conformance.suite.describe", describe)
    candidate = Candidate("hosted:seat", PATIENT, PAUSE, waited=waited)
    results = await examine(candidate, checks()[:1])
    assert failed(results) == [("describe", Why.NO_DESCRIPTION)]
    assert calls == 2


@pytest.mark.parametrize(
    ("known", "sins"),
    [
        ("a secret that only two know", []),
        ("another secret than that", [("accept", Why.NOT_PROVEN)]),
        ("", [("accept", Why.CLOSED)]),
    ],
)
async def test_a_bot_with_a_secret(
    known: str, sins: list[tuple[str, Why]], new_address: NewAddress
) -> None:
    with served(DrawingBot, new_address(), secret="a secret that only two know") as address:
        ways = Ways(secrets={address: known})
        results = await examine(Candidate(address, PATIENT, PAUSE, ways=ways))
    assert failed(results) == sins
    helped = [one for one in results if "/docs/write-a-bot-anywhere of the" in one.explanation]
    assert [(one.name, one.why) for one in helped] == sins[: known.startswith("another")]


async def test_a_bot_behind_the_gateway(
    new_address: NewAddress, good_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with gateway(new_address()) as at, guest(good_bot, at):
        monkeypatch.setenv(GATEWAY, at)
        monkeypatch.setenv(GATEWAY_KEY, KEY)
        results = await examined("gateway:ana")
    assert {result.state for result in results} == {CheckState.PASSED}, failed(results)


# Bots that sin in one situation only.


@pytest.mark.parametrize(
    "kind", ["drive", "visit", "function", "deliver", "pick", "lawyer", "tribute", "demand"]
)
async def test_who_crashes_at_a_kind_of_decision_fails_the_check_of_that_kind(
    kind: str, new_address: NewAddress
) -> None:
    class Crashing(DrawingBot):
        def choose(self, decision: Decision) -> Move:
            if decision.position.kind == kind:
                raise ArithmeticError("no idea")
            return super().choose(decision)

    kinds = {"drive", "visit", "function", "deliver", "pick", "lawyer", "tribute", "demand"}
    others = {"describe", "accept", "line-back-mid-decision"}
    suite = [check for check in checks() if check.name in kinds | others]
    with served(Crashing, new_address()) as address:
        results = await examine(Candidate(address, PATIENT, PAUSE), suite)
    assert kinds & {name for name, _ in failed(results)} == {kind}


async def test_one_game_after_the_other(new_address: NewAddress) -> None:
    """The bot holds a lock from the first to the last message of a game."""
    lock = threading.Lock()

    def takes_turns(request: Request, context: Context) -> Iterator[bytes]:
        if request.HasField("start"):
            # In steps: a machine that stands still for a moment is no other game.
            if not any(lock.acquire(timeout=0.05) for _ in range(60)):
                context.abort(grpc.StatusCode.FAILED_PRECONDITION, "busy with another game")
            context.add_callback(lock.release)
        yield from hostile.honest(request, context)

    with HostileBot(new_address(), takes_turns, always) as bot:
        results = await examined(bot)
    assert [name for name, _ in failed(results)] == ["several-games", "against-itself"]


async def test_who_does_not_know_what_is_resumed(new_address: NewAddress) -> None:
    def forgets(request: Request, context: Context) -> Iterator[bytes]:
        if request.start.resumed:
            context.abort(grpc.StatusCode.NOT_FOUND, "what game?")
        yield from hostile.honest(request, context)

    with HostileBot(new_address(), forgets, always) as bot:
        names = [name for name, _ in failed(await examined(bot))]
    assert {"line-back", "line-back-mid-decision"} <= set(names)
    assert not {name for name in names if name.startswith("game-")}


async def test_who_stumbles_over_what_is_new(new_address: NewAddress) -> None:
    def strict(request: Request, context: Context) -> Iterator[bytes]:
        known = Request.FromString(request.SerializeToString())
        known.DiscardUnknownFields()
        if known != request or request.WhichOneof("message") is None:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "what is that?")
        yield from hostile.honest(request, context)

    with HostileBot(new_address(), strict, always) as bot:
        results = await examined(bot)
    assert failed(results) == [("unknown-fields", Why.CLOSED), ("unknown-message", Why.CLOSED)]


async def test_results_are_told_one_by_one(good_bot: str) -> None:
    heard: list[CheckResult] = []
    suite = checks()[:3]
    assert await examine(Candidate(good_bot, PATIENT), suite, heard.append) == heard
    assert [result.name for result in heard] == ["describe", "accept", "in-time"]
