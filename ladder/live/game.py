"""Report the events of a running game as frames, and follow it from them.

Frames are like those of `referee.replay.frames`. The referee sends them without the state: a reader
computes it by the rules, and most games have no reader. The database says which attempt counts.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Final, Protocol, Self

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ladder.errors import NotFound
from ladder.live.stream import Cells, Frame, LiveEvent, Note
from ladder.model import Deal, LadderPlace, Match, MatchState, Seat
from referee.faults import FaultCode
from referee.game import Game, Happened
from referee.messages import dice_of
from referee.notes import note_json
from referee.rules import PLAIN_GOODS, Layout, Position, RulesError, move_text
from referee.rules.cells import TRIBUTE
from referee.rules.legal_moves import legal_moves
from referee.rules.trace import changes, setup_line, state_json
from referee.wire import game_pb2

GAP: Final = "gap"
"""The type of a frame before which events are missing."""

_MADE_BY: Final = {
    game_pb2.MADE_BY_BOT: "bot",
    game_pb2.MADE_BY_REFEREE: "forced",
    game_pb2.MADE_BY_CARETAKER: "caretaker",
}

Tributes = tuple[tuple[int, int, int], ...]
"""The tributes of a game at El Zorro's, as `referee.replay.tributes` returns them."""


class Watch(Protocol):
    """Called after each event of a match, if it has begun with the cells of the game.

    `note`: what a bot said beside its choice, for its author alone.
    """

    def __call__(
        self, frame: Frame, cells: Cells | None = None, note: Note | None = None, /
    ) -> None: ...


class Reporter:
    """Reports each event of a game, and counts who gave to whom at El Zorro's.

    To find that in the replay takes playing the whole game once more.
    """

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._given: Counter[tuple[int, int]] = Counter()
        self._giving: tuple[int, int] | None = None  # the taker, and who gives next

    def __call__(self, game: Game) -> None:
        if self._giving is not None and isinstance(game.newest, tuple):
            self._given[self._giving] += 1
        position = game.position
        giving = position.phase == TRIBUTE
        self._giving = (position.active, position.seat) if giving else None
        note = None if game.note is None else note_json(game.note)
        self._watch(frame(game.newest), position.cells[:], note)

    @property
    def tributes(self) -> Tributes:
        """The tributes so far."""
        return tuple(
            (taker, giver, number) for (taker, giver), number in sorted(self._given.items())
        )


def frame(happened: Happened) -> Frame:
    """Describe an event: its `type` (roll, move or fault), its `seat`, and what happened."""
    if isinstance(happened, tuple):
        seat, move, by = happened
        return {"type": "move", "seat": seat, "move": move_text(move), "by": _MADE_BY[by]}
    if happened.HasField("roll"):
        dice = dict(zip(PLAIN_GOODS, dice_of(happened.roll.dice), strict=True))
        return {"type": "roll", "seat": happened.roll.seat, "dice": dice}
    code = FaultCode(happened.fault.code).word
    fault = {"code": code, "sentence": happened.fault.sentence}
    return {"type": "fault", "seat": happened.fault.seat, "fault": fault}


class GameSoFar:
    """One attempt at a match. `frames` are those of `referee.replay.frames`, without thinking time.

    It applies the rules to the events: each frame gets the state after it, each decision also its
    kind and legal moves. After a missing event the state is unknown until the next event that
    carries a position; a frame of the type GAP stands for everything up to there.
    """

    def __init__(self, layout: Layout, players: int, attempt: int) -> None:
        self.attempt = attempt
        self.setup = setup_line(layout, players)
        self._layout = layout
        self._players = players
        self._position: Position | None = Position.start(layout, players)
        self._sequence = 0
        state = state_json(self._position)
        self.frames: list[Frame] = [{"type": "start", "changes": [], "state": state}]

    def take(self, event: LiveEvent) -> None:
        """Add the next event; ignore events of other attempts and those already added."""
        if event.attempt != self.attempt or event.sequence <= self._sequence:
            return
        if event.sequence != self._sequence + 1:
            self._position = None
        self._sequence = event.sequence
        frame: Frame = {"type": GAP}
        if self._position is not None:
            try:
                frame = event.frame | _decided(self._position, event.frame)
            except RulesError:  # the worker has another version of the rules
                frame, self._position = event.frame, None
        if event.cells is not None and (
            self._position is None or self._position.cells != event.cells
        ):
            self._position = self._position_of(event.cells)
        if self._position is not None:
            before, after = self.frames[-1]["state"], state_json(self._position)
            self.frames.append(frame | {"changes": changes(before, after), "state": after})

    def _position_of(self, cells: Cells) -> Position:
        position = Position(self._layout, self._players, cells[:], ())
        position.legal_moves = legal_moves(position)
        return position


@dataclass(frozen=True, slots=True)
class AttemptStatus:
    """The state of a match, the number of its newest attempt, and its POSIX time of beginning."""

    state: MatchState
    attempt: int
    began: float = 0.0

    @classmethod
    def of(cls, state: MatchState, attempt: int, started_at: datetime | None) -> Self:
        """Return the status of a match by its row."""
        return cls(state, attempt, started_at.timestamp() if started_at else 0.0)

    def counts(self, event: LiveEvent) -> bool:
        """Return True if the event is of the attempt that runs or has finished the match."""
        at_play = self.state in (MatchState.RUNNING, MatchState.FINISHED)
        return at_play and (event.attempt, event.began) == (self.attempt, self.began)

    def knows(self, event: LiveEvent) -> bool:
        """Return False if the event may be from before an older copy of the database was restored.

        Its place in the stream then says nothing of what comes.
        """
        return event.attempt < self.attempt or event.began == self.began


def attempt_statuses(session: Session, match_ids: Collection[int]) -> dict[int, AttemptStatus]:
    """Read the current status of these matches, by match id."""
    columns = (Match.id, Match.state, Match.attempt, Match.started_at)
    query = select(*columns).where(Match.id.in_(match_ids))
    return {
        match_id: AttemptStatus.of(state, attempt, started_at)
        for match_id, state, attempt, started_at in session.execute(query)
    }


def mean_ratings(session: Session, match_ids: Collection[int]) -> dict[int, float]:
    """Return the mean rating (milli-Elo) of the rated versions in these matches, by match id."""
    query = (
        select(Seat.match_id, func.avg(LadderPlace.rating_milli))
        .join(Match, Match.id == Seat.match_id)
        .join(
            LadderPlace,
            (LadderPlace.version_id == Seat.version_id) & (LadderPlace.seats == Match.seats),
        )
        .where(Seat.match_id.in_(match_ids))
        .group_by(Seat.match_id)
    )
    return {match_id: float(rating) for match_id, rating in session.execute(query)}


def layout(session: Session, match_id: int) -> Layout:
    """Return the layout of a match. Raises NotFound unless the match has begun."""
    query = (
        select(Deal.layout_seed)
        .join(Match, Match.deal_id == Deal.id)
        .where(Match.id == match_id, Match.attempt > 0)
    )
    seed = session.scalar(query)
    if seed is None:
        raise NotFound("match %(match)s has not started", match=match_id)
    return Layout.shuffled(Random(seed))


def _decided(position: Position, frame: Frame) -> Frame:
    """Apply a roll or a move to the position; return a move's decision kind and legal moves."""
    if frame["type"] == "roll":
        position.roll(tuple(frame["dice"][good] for good in PLAIN_GOODS))
    if frame["type"] != "move":
        return {}
    fields: Frame = {"kind": position.kind, "legal": position.legal_texts()}
    position.step(position.parse_move(frame["move"]))
    return fields
