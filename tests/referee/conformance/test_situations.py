"""Each check of a situation finds the bot that fails in that situation."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any, TypeAlias

import grpc
import pytest

from referee.clock import Clock
from referee.conformance.check import Candidate, CheckState, Why
from referee.conformance.suite import checks, examine
from referee.service import SERVICE
from referee.wire import bot_pb2
from tests.hostile_bots import ACCEPT, DESCRIPTION, LONG, choice

Request: TypeAlias = bot_pb2.PlayRequest
Context: TypeAlias = grpc.ServicerContext
Play: TypeAlias = Callable[[Iterator[Request], Context], Iterator[bytes]]
Describe: TypeAlias = Callable[[bytes, Context], bytes]

CLOCK = Clock(bank=60.0, increment=1.0, start_up=2.0)
PAUSE = 60.0  # no check waits for longer than its bot does
THREADS = 8


class Stage:
    """What the bots of a test share; `over` is set at its end."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.sulks = False
        self.numbers = count()


def honest(request: Request) -> Iterator[bytes]:
    if request.HasField("start"):
        yield ACCEPT
    elif request.HasField("decision"):
        yield choice(request.decision.id, 0)


def answers_the_end(stage: Stage) -> Play:
    def play(requests: Iterator[Request], _: Context) -> Iterator[bytes]:
        for request in requests:
            yield from honest(request)
            if request.HasField("end"):
                yield choice(1, 0)

    return play


def never_closes(stage: Stage) -> Play:
    def play(requests: Iterator[Request], _: Context) -> Iterator[bytes]:
        for request in requests:
            yield from honest(request)
        stage.over.wait()

    return play


def crashes_at_the_end(stage: Stage) -> Play:
    def play(requests: Iterator[Request], context: Context) -> Iterator[bytes]:
        for request in requests:
            yield from honest(request)
            if request.HasField("end"):
                context.abort(grpc.StatusCode.UNKNOWN, "no idea")

    return play


def is_impatient(stage: Stage) -> Play:
    """Leaves when nothing was said for a while."""

    def play(requests: Iterator[Request], context: Context) -> Iterator[bytes]:
        while True:
            spoken = threading.Event()
            threading.Thread(target=leave_unless, args=(spoken, context)).start()
            request = next(requests, None)
            spoken.set()
            if request is None:
                return
            yield from honest(request)

    return play


def leave_unless(spoken: threading.Event, context: Context) -> None:
    """In steps: a machine that stands still for a moment is no silence."""
    if not any(spoken.wait(0.2) for _ in range(10)):
        context.cancel()


def takes_its_time(stage: Stage) -> Play:
    """More than a second, however little there is."""

    def play(requests: Iterator[Request], context: Context) -> Iterator[bytes]:
        gone = threading.Event()
        context.add_callback(gone.set)
        for request in requests:
            if request.HasField("decision") and request.decision.time_left_ms <= 1000:
                gone.wait(LONG)
            yield from honest(request)

    return play


def keeps_its_threads(stage: Stage) -> Play:
    """A thread whose game is broken off does not come back."""

    def play(requests: Iterator[Request], _: Context) -> Iterator[bytes]:
        with suppress(grpc.RpcError):
            for request in requests:
                yield from honest(request)
        stage.over.wait()

    return play


def sulks_after_a_fault(stage: Stage) -> Play:
    def play(requests: Iterator[Request], context: Context) -> Iterator[bytes]:
        for request in requests:
            stage.sulks |= request.HasField("fault")
            if stage.sulks:
                context.abort(grpc.StatusCode.ABORTED, "unfair!")
            yield from honest(request)

    return play


def knows_tables_but_of(players: int) -> Callable[[Stage], Play]:
    def refuses(stage: Stage) -> Play:
        def play(requests: Iterator[Request], context: Context) -> Iterator[bytes]:
            for request in requests:
                if request.start.players == players:
                    context.abort(grpc.StatusCode.UNIMPLEMENTED, "too many")
                yield from honest(request)

        return play

    return refuses


def has_room_for_few_moves(stage: Stage) -> Play:
    def play(requests: Iterator[Request], context: Context) -> Iterator[bytes]:
        for request in requests:
            if len(request.decision.legal) > 99:
                context.abort(grpc.StatusCode.UNKNOWN, "index out of range")
            yield from honest(request)

    return play


def is_described_once(stage: Stage, context: Context) -> bytes:
    if next(stage.numbers):
        context.abort(grpc.StatusCode.UNKNOWN, "I said so before")
    return DESCRIPTION


@contextmanager
def served(play: Play, describe: Describe, address: str, stage: Stage) -> Iterator[str]:
    methods: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        "Describe": grpc.unary_unary_rpc_method_handler(describe),
        "Play": grpc.stream_stream_rpc_method_handler(
            play, request_deserializer=Request.FromString
        ),
    }
    server = grpc.server(ThreadPoolExecutor(THREADS))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, methods),))
    server.add_insecure_port(address)
    server.start()
    try:
        yield address
    finally:
        stage.over.set()
        server.stop(None).wait()


async def failures(
    play: Callable[[Stage], Play], names: tuple[str, ...], address: str
) -> list[tuple[str, Why | None]]:
    """What a bot fails of the checks with these names."""
    stage = Stage()
    suite = [check for check in checks() if check.name in names]
    with served(play(stage), lambda _, __: DESCRIPTION, address, stage):
        results = await examine(Candidate(address, CLOCK, PAUSE), suite)
    return [(result.name, result.why) for result in results if result.state is CheckState.FAILED]


@pytest.mark.parametrize(
    ("play", "passed", "failed"),
    [
        (answers_the_end, ("fault",), {"game-end": Why.SECOND_ANSWER}),
        (never_closes, ("accept",), {"game-end": Why.NOT_CLOSED}),
        (crashes_at_the_end, ("fault",), {"game-end": Why.CLOSED}),
        (
            is_impatient,
            ("several-games",),
            {"late-start": Why.LINE_LOST, "slow-opponent": Why.LINE_LOST},
        ),
        (takes_its_time, ("fault",), {"short-time": Why.TIMEOUT}),
        (keeps_its_threads, ("accept",), {"hang-up": Why.TIMEOUT}),
        (sulks_after_a_fault, ("game-end",), {"fault": Why.CLOSED}),
        (knows_tables_but_of(2), ("game-of-3", "game-of-4"), {"game-of-2": Why.CLOSED}),
        (knows_tables_but_of(3), ("game-of-2", "game-of-4"), {"game-of-3": Why.CLOSED}),
        (knows_tables_but_of(4), ("game-of-2", "game-of-3"), {"game-of-4": Why.CLOSED}),
        (has_room_for_few_moves, ("game-end", "drive"), {"many-moves": Why.CLOSED}),
    ],
)
async def test_the_check_of_the_situation_fails(
    play: Callable[[Stage], Play],
    passed: tuple[str, ...],
    failed: dict[str, Why],
    new_address: Callable[[], str],
) -> None:
    found = await failures(play, (*passed, *failed), new_address())
    assert dict(found) == failed


async def test_who_is_gone_in_the_end(new_address: Callable[[], str]) -> None:
    stage, address = Stage(), new_address()
    suite = [check for check in checks() if check.name in ("describe", "accept", "still-there")]
    with served(
        takes_its_time(stage), lambda _, context: is_described_once(stage, context), address, stage
    ):
        results = await examine(Candidate(address, CLOCK, PAUSE), suite)
    assert [(result.name, result.state, result.why) for result in results][1:] == [
        ("accept", CheckState.PASSED, None),
        ("still-there", CheckState.FAILED, Why.NO_DESCRIPTION),
    ]
