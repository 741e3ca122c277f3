"""Choices that are none: a wrong index, a wrong decision, too many, too early."""

from collections.abc import Iterator

from tests.hostile_bots.speech import ACCEPT, Context, Request, choice, honest


def index_too_large(request: Request, context: Context) -> Iterator[bytes]:
    yield choice(request.decision.id, len(request.decision.legal))


def index_far_off(request: Request, context: Context) -> Iterator[bytes]:
    yield choice(request.decision.id, 2**32 - 1)


def next_decision(request: Request, context: Context) -> Iterator[bytes]:
    yield choice(request.decision.id + 1, 0)


def another_seats_decision(request: Request, context: Context) -> Iterator[bytes]:
    """In a game of honest bots each decision before this one was another seat's, or is over."""
    yield choice(request.decision.id - 1, 0)


def older_choice(request: Request, context: Context) -> Iterator[bytes]:
    """The answer to the game's first decision, once more."""
    yield choice(1, 1)


def another_matchs_decision(request: Request, context: Context) -> Iterator[bytes]:
    """The id would be right in a longer game."""
    yield choice(2**31, 0)


def two_answers(request: Request, context: Context) -> Iterator[bytes]:
    yield from honest(request, context)
    yield from honest(request, context)


def flood(request: Request, context: Context) -> Iterator[bytes]:
    while context.is_active():
        yield from honest(request, context)


def answers_unasked(request: Request, context: Context) -> Iterator[bytes]:
    """With the acceptance it sends choices for decisions that it may never be asked for."""
    yield from honest(request, context)
    if request.HasField("start"):
        yield choice(2**32 - 1, 0)
        yield choice(2**32 - 1, 0)


def chooses(request: Request, context: Context) -> Iterator[bytes]:
    """A choice, whatever is due."""
    yield choice(0, 0)


def accepts_for_ever(request: Request, context: Context) -> Iterator[bytes]:
    while context.is_active():
        yield ACCEPT
