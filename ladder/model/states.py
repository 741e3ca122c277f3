"""The states of matches, versions, bots, tournaments and entries, and the moves between them.

One function moves each: `ladder.matches.states.move_match` (since a match that ends loses its
job), `move_version`, `move_conduct`, `move_bot`, `move_tournament`, `move_entry`, `move_casual`.

Match:
    queued ──claim──> running ──finish──> finished
      ^  │ │             │ │ └─ given up ─> failed
      │  │ └─ cancel ──> │ └──── cancel ──> cancelled
      │  └─── forfeit ───────────────────> finished
      └─ given back, interrupted, out of reach

An interruption is no failure: the match goes back into the queue. A forfeit ends a match of a
tournament whose bot stayed away; a match of the ladder that a bot refused too often is finished,
too (see `ladder.matches.debts`). An admin may put a failed match back into the queue.

Version:
    submitted ──> checking ──> trial ──> active <──> superseded
      │ ^ │ ^─ given back ┘ │      │
      │ │ └─────────────────┴──────┴─> rejected
      v └── built, given back            ^
    building ────────────────────────────┘

An uploaded version is built before it is checked. What the operator registers becomes active
without a check, and an older version of it may become active again. At most one version of a bot
is active.

Conduct of a version:
    good <──resume── suspended     from the ladder alone, by the referee with a reason
      └───suspend───────^

Bot:
    active <──resume── paused      paused by its author, or by an admin with a reason
       └─────pause────────^
       └──────┬───────────┘
              └─retire──> retired  for good

Tournament:
    created ──start──> running ──last round over──> finished
       │               ^  │
       │          resume  pause
       │               │  v
       │              paused
       └──cancel──> cancelled <──cancel── (running, paused)

While a tournament is paused, none of its matches begins; those under way are played to their end.
It does not finish meanwhile, even if these were the last.

Entry of a tournament:
    entered ──withdraw──> withdrawn  for good: what is left of its matches is void

Casual game:
    gathering ──all have accepted──> playing ──over──> finished
        └──────────closed <──all people have left──┘
"""

from collections.abc import Collection
from enum import StrEnum
from typing import Final, TypeVar

_State = TypeVar("_State", bound=StrEnum)


class MatchState(StrEnum):
    """The states of a match; `move_match` changes them."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


class MatchKind(StrEnum):
    """The kinds of matches, in order of priority: each is a queue, the first goes before all."""

    VALIDATION = "validation"
    CHALLENGE = "challenge"
    TOURNAMENT = "tournament"
    LADDER = "ladder"


MATCH_UNDER_WAY: Final = (MatchState.QUEUED, MatchState.RUNNING)
"""The states of a match that is not over."""

MATCH_OVER: Final = frozenset({MatchState.FINISHED, MatchState.FAILED, MatchState.CANCELLED})
"""The states of a match that is over, unless an admin puts it back into the queue."""

MATCH_MOVES: Final = frozenset(
    {
        (MatchState.QUEUED, MatchState.RUNNING),
        (MatchState.QUEUED, MatchState.CANCELLED),
        (MatchState.QUEUED, MatchState.FINISHED),
        (MatchState.RUNNING, MatchState.QUEUED),
        (MatchState.RUNNING, MatchState.FINISHED),
        (MatchState.RUNNING, MatchState.FAILED),
        (MatchState.RUNNING, MatchState.CANCELLED),
        (MatchState.FAILED, MatchState.QUEUED),
    }
)


class VersionState(StrEnum):
    """The states of a version; `move_version` changes them."""

    SUBMITTED = "submitted"
    BUILDING = "building"
    CHECKING = "checking"
    TRIAL = "trial"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    REJECTED = "rejected"


UNDER_VALIDATION: Final = (
    VersionState.SUBMITTED,
    VersionState.BUILDING,
    VersionState.CHECKING,
    VersionState.TRIAL,
)
"""The states of a version that may still become active, or be rejected."""

VERSION_MOVES: Final = frozenset(
    {
        (VersionState.SUBMITTED, VersionState.BUILDING),
        (VersionState.SUBMITTED, VersionState.CHECKING),
        (VersionState.SUBMITTED, VersionState.ACTIVE),
        (VersionState.SUBMITTED, VersionState.REJECTED),
        (VersionState.BUILDING, VersionState.SUBMITTED),
        (VersionState.BUILDING, VersionState.REJECTED),
        (VersionState.CHECKING, VersionState.SUBMITTED),
        (VersionState.CHECKING, VersionState.TRIAL),
        (VersionState.CHECKING, VersionState.REJECTED),
        (VersionState.TRIAL, VersionState.ACTIVE),
        (VersionState.TRIAL, VersionState.REJECTED),
        (VersionState.ACTIVE, VersionState.SUPERSEDED),
        (VersionState.SUPERSEDED, VersionState.ACTIVE),
    }
)


class Conduct(StrEnum):
    """The states of a version's conduct on the ladder; `move_conduct` changes them.

    In tournaments that it has entered, a suspended version plays on.
    """

    GOOD = "good"
    SUSPENDED = "suspended"


class BotState(StrEnum):
    """The states of a bot; `move_bot` changes them."""

    ACTIVE = "active"
    PAUSED = "paused"
    RETIRED = "retired"


BOT_MOVES: Final = frozenset(
    {
        (BotState.ACTIVE, BotState.PAUSED),
        (BotState.ACTIVE, BotState.RETIRED),
        (BotState.PAUSED, BotState.ACTIVE),
        (BotState.PAUSED, BotState.RETIRED),
    }
)


class TournamentState(StrEnum):
    """The states of a tournament; `move_tournament` changes them."""

    CREATED = "created"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class TournamentStep(StrEnum):
    """The steps of a tournament; each value is the word of the sentence that refuses the step."""

    START = "started"
    PAUSE = "paused"
    RESUME = "resumed"
    FINISH = "finished"
    CANCEL = "cancelled"


TOURNAMENT_OVER: Final = frozenset({TournamentState.FINISHED, TournamentState.CANCELLED})
"""The states of a tournament in which nothing more is played."""

TOURNAMENT_UNDER_WAY: Final = frozenset({TournamentState.RUNNING, TournamentState.PAUSED})
"""The states of a tournament that has started and is not over."""

TOURNAMENT_STEPS: Final[
    dict[TournamentStep, tuple[frozenset[TournamentState], TournamentState]]
] = {
    TournamentStep.START: (frozenset({TournamentState.CREATED}), TournamentState.RUNNING),
    TournamentStep.PAUSE: (frozenset({TournamentState.RUNNING}), TournamentState.PAUSED),
    TournamentStep.RESUME: (frozenset({TournamentState.PAUSED}), TournamentState.RUNNING),
    TournamentStep.FINISH: (frozenset({TournamentState.RUNNING}), TournamentState.FINISHED),
    TournamentStep.CANCEL: (
        TOURNAMENT_UNDER_WAY | {TournamentState.CREATED},
        TournamentState.CANCELLED,
    ),
}
"""Each step: the states that it starts from, and the one that it leads to."""


class EntryState(StrEnum):
    """The states of a bot's entry in a tournament; `move_entry` changes them."""

    ENTERED = "entered"
    WITHDRAWN = "withdrawn"


class CasualState(StrEnum):
    """The states of a casual game; `move_casual` changes them."""

    GATHERING = "gathering"
    PLAYING = "playing"
    FINISHED = "finished"
    CLOSED = "closed"


CASUAL_UNDER_WAY: Final = (CasualState.GATHERING, CasualState.PLAYING)
"""The states of a casual game that is not over."""

CASUAL_MOVES: Final = frozenset(
    {
        (CasualState.GATHERING, CasualState.PLAYING),
        (CasualState.GATHERING, CasualState.CLOSED),
        (CasualState.PLAYING, CasualState.FINISHED),
        (CasualState.PLAYING, CasualState.CLOSED),
    }
)


class CasualPace(StrEnum):
    """The clocks of casual games: none, a relaxed one, that of the ladder."""

    NONE = "none"
    RELAXED = "relaxed"
    LADDER = "ladder"


def possible_steps(state: TournamentState) -> tuple[TournamentStep, ...]:
    """Return the steps that an organiser may take from this state."""
    return tuple(
        step
        for step, (starts, _) in TOURNAMENT_STEPS.items()
        if state in starts and step != TournamentStep.FINISH
    )


def check_move(
    kind: str, moves: Collection[tuple[_State, _State]], start: _State, to: _State
) -> None:
    """Raise ValueError if a `kind` may not move from `start` to `to`."""
    if (start, to) not in moves:
        raise ValueError(f"a {kind} does not go from {start} to {to}")
