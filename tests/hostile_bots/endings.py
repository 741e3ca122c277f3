"""Streams, lines and processes that end before the game does."""

import os
import signal
from collections.abc import Iterator

import grpc

from referee.rules.cells import PHASES
from tests.hostile_bots.server import CloseStreamError
from tests.hostile_bots.speech import Context, Request, Spoil, honest


def closes(request: Request, context: Context) -> Iterator[bytes]:
    raise CloseStreamError


def crashes(request: Request, context: Context) -> Iterator[bytes]:
    raise ArithmeticError("no idea")


def complains_at_length(request: Request, context: Context) -> Iterator[bytes]:
    context.abort(grpc.StatusCode.ABORTED, "\x1b[2J" + "x" * 5000)


def complains_without_end(request: Request, context: Context) -> Iterator[bytes]:
    """Its status is longer than gRPC takes."""
    context.abort(grpc.StatusCode.ABORTED, "x" * 1_000_000)


def pleads_exhaustion(request: Request, context: Context) -> Iterator[bytes]:
    """The status that gRPC itself has for too long messages."""
    context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "no more memory")


def drops_the_line(request: Request, context: Context) -> Iterator[bytes]:
    context.abort(grpc.StatusCode.UNAVAILABLE, "gone for a moment")


def dies_at(kind: str) -> Spoil:
    """Its process ends without a word where it is asked for that kind of decision."""

    number = PHASES.index(kind) + 1  # the wire counts from 1

    def play(request: Request, context: Context) -> Iterator[bytes]:
        if request.decision.kind == number:
            os._exit(1)
        yield from honest(request, context)

    return play


def is_killed(request: Request, context: Context) -> Iterator[bytes]:
    os.kill(os.getpid(), signal.SIGKILL)
    yield from ()
