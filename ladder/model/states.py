"""The states of versions, bots and tournaments, and the functions that change them.

Those of matches are in `ladder.matches.states`, since a match that ends loses its job.

Version:
    submitted ──> checking ──> trial ──> active <──> superseded
        │  ^─ given back ┘ │      │
        └──────────────────┴──────┴─> rejected

What the operator registers becomes active without a check, and an older version of it may become
active again. At most one version of a bot is active.

Bot:
    active <──resume── paused      paused by its author, or by referee or admin with a reason
       └─────pause────────^
       └──────┬───────────┘
              └─retire──> retired  for good

Tournament:
    created ──start──> running ──last match over──> finished
       │               ^  │  │                         ^
       │          resume  pause                        │
       │               │  v  │                         │
       │              paused ──the matches under way were the last
       └──cancel──> cancelled <──cancel── (running, paused)

While a tournament is paused, none of its matches begins; those under way are played to their end.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Any, Final, TypeVar

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder.errors import NotFound, Phrase, Refused
from ladder.model.bots import Bot, BotState, Version, VersionState
from ladder.model.engine import execute
from ladder.model.tournaments import Tournament, TournamentState

_State = TypeVar("_State", bound=StrEnum)

VERSION_MOVES: Final = frozenset(
    {
        (VersionState.SUBMITTED, VersionState.CHECKING),
        (VersionState.SUBMITTED, VersionState.ACTIVE),
        (VersionState.SUBMITTED, VersionState.REJECTED),
        (VersionState.CHECKING, VersionState.SUBMITTED),
        (VersionState.CHECKING, VersionState.TRIAL),
        (VersionState.CHECKING, VersionState.REJECTED),
        (VersionState.TRIAL, VersionState.ACTIVE),
        (VersionState.TRIAL, VersionState.REJECTED),
        (VersionState.ACTIVE, VersionState.SUPERSEDED),
        (VersionState.SUPERSEDED, VersionState.ACTIVE),
    }
)
BOT_MOVES: Final = frozenset(
    {
        (BotState.ACTIVE, BotState.PAUSED),
        (BotState.ACTIVE, BotState.RETIRED),
        (BotState.PAUSED, BotState.ACTIVE),
        (BotState.PAUSED, BotState.RETIRED),
    }
)


def move_version(version: Version, to: VersionState, reason: str | None = None) -> None:
    """Move a version, and tell its author the reason if one is given (a sentence).

    Raises ValueError if it may not move so.
    """
    _check_move("version", VERSION_MOVES, version.state, to)
    version.state = to
    version.reason = reason or version.reason


def move_bot(bot: Bot, to: BotState, reason: str | None = None) -> None:
    """Move a bot; do nothing but note the reason if it is in that state already.

    `reason`: why it is paused, if the referee or an admin pauses it. Raises ValueError if the bot
    is retired.
    """
    if bot.state is not to:
        _check_move("bot", BOT_MOVES, bot.state, to)
        bot.state = to
    bot.pause_reason = reason


class TournamentStep(StrEnum):
    """What happens to a tournament; the words of the sentence that refuses it."""

    START = "started"
    PAUSE = "paused"
    RESUME = "resumed"
    FINISH = "finished"
    CANCEL = "cancelled"


_UNDER_WAY: Final = frozenset({TournamentState.RUNNING, TournamentState.PAUSED})
_STEPS: Final[dict[TournamentStep, tuple[frozenset[TournamentState], TournamentState]]] = {
    TournamentStep.START: (frozenset({TournamentState.CREATED}), TournamentState.RUNNING),
    TournamentStep.PAUSE: (frozenset({TournamentState.RUNNING}), TournamentState.PAUSED),
    TournamentStep.RESUME: (frozenset({TournamentState.PAUSED}), TournamentState.RUNNING),
    TournamentStep.FINISH: (_UNDER_WAY, TournamentState.FINISHED),
    TournamentStep.CANCEL: (_UNDER_WAY | {TournamentState.CREATED}, TournamentState.CANCELLED),
}
"""Each step: the states that it starts from, and the one that it leads to."""


def possible_steps(state: TournamentState) -> tuple[TournamentStep, ...]:
    """Return the steps that an organiser may take from this state."""
    return tuple(
        step
        for step, (starts, _) in _STEPS.items()
        if state in starts and step != TournamentStep.FINISH
    )


def move_tournament(
    session: Session, tournament_id: int, step: TournamentStep, **values: Any
) -> None:
    """Take a step; `values` are further columns to set. Raises NotFound and Refused.

    The test and the change are one statement, so of two that try the same only one succeeds.
    """
    starts, to = _STEPS[step]
    this = Tournament.id == tournament_id
    taking = update(Tournament).where(this, Tournament.state.in_(starts)).values(state=to, **values)
    if execute(session, taking).rowcount:
        return
    state = session.scalar(select(Tournament.state).where(this))
    if state is None:
        raise NotFound("there is no tournament %(tournament)s", tournament=tournament_id)
    raise Refused(
        "tournament %(tournament)s is %(state)s: it can't be %(step)s now",
        tournament=tournament_id,
        state=Phrase(state),
        step=Phrase(step),
    )


def _check_move(
    kind: str, moves: Collection[tuple[_State, _State]], start: _State, to: _State
) -> None:
    if (start, to) not in moves:
        raise ValueError(f"a {kind} does not go from {start} to {to}")
