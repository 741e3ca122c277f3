"""A small arena for the tests of the site: real games on a real database, through the ladder."""

import asyncio
import json
from collections.abc import Sequence
from itertools import islice
from random import Random

from sqlalchemy.orm import Session

import referee.analysis
from ladder import playing
from ladder.analyses import profiles
from ladder.contests.tournaments import creating, lifecycle
from ladder.jobs import attempts
from ladder.matches import reading, results
from ladder.matches.job import MATCHES, MatchClaim
from ladder.matches.listing import list_matches
from ladder.model import Analysis, Puzzle, PuzzleState, now
from referee.analysis import GameAnalysis, pack
from referee.analysis.puzzles import position_at
from referee.bot import Bot, Decision
from referee.clock import Clock
from referee.game import Watcher
from referee.match import Match, Seat, play_table
from referee.replay import frames, read
from referee.rules import Layout, Move
from referee.seats.player import LocalSeat
from referee.wire import replay_pb2
from tests.ladder.league import NewBot, add_bots
from web.viewer.scripted import ScriptedGame

LEASE = 60.0


class AnyMove(Bot):
    """Chooses by chance."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = Random(seed)

    def choose(self, decision: Decision) -> Move:
        return self._rng.choice(decision.position.legal_moves)


class GivesUp(AnyMove):
    """Chooses by chance, and fails after some decisions: a seat that faults."""

    def __init__(self, decisions: int) -> None:
        super().__init__()
        self._left = decisions

    def choose(self, decision: Decision) -> Move:
        self._left -= 1
        if self._left < 0:
            raise RuntimeError("no more ideas")
        return super().choose(decision)


class Talkative(AnyMove):
    """Chooses by chance, and says something beside each choice."""

    def __init__(self, seed: int, text: str) -> None:
        super().__init__(seed)
        self._text = text

    def choose(self, decision: Decision) -> Move:
        move = super().choose(decision)
        chances = [0.6, *[0.4 / (decision.position.players - 1)] * (decision.position.players - 1)]
        decision.note(self._text, chances=chances, line=[move])
        return move


def register(session: Session, names: Sequence[str]) -> list[int]:
    """The ids of new bots with these names; committed."""
    new = [NewBot(name, "compay", f"127.0.0.1:{5000 + n}") for n, name in enumerate(names)]
    ids = add_bots(session, new)
    session.commit()
    return ids


def tournament(
    session: Session,
    bot_ids: Sequence[int],
    *,
    name: str = "Copa",
    seats: int = 2,
    deals: int = 1,
    format: str = "round_robin",
    rounds: int | None = None,
) -> int:
    """A running tournament; committed."""
    made = creating.create(
        session,
        None,
        name=name,
        format=format,
        seats=seats,
        bot_ids=bot_ids,
        deals=deals,
        rounds=rounds,
        clock=Clock(),
        seed=1,
    )
    lifecycle.start(session, made.id)
    session.commit()
    return made.id


def claim_next(session: Session, tournament_id: int) -> MatchClaim:
    """Claims the oldest queued match of the tournament; committed."""
    waiting = list_matches(session, tournament_id=tournament_id, state="queued", limit=200)
    match_id = min(row.id for row in waiting.matches)
    session.commit()
    claim = attempts.claim(session, MATCHES, match_id, "tests", lease=LEASE)
    session.commit()
    assert claim is not None
    return claim


def play_next(session: Session, tournament_id: int, table: Sequence[Bot] = ()) -> int:
    """Plays the oldest queued match, by chance or by the bots given; its id."""
    claim = claim_next(session, tournament_id)
    players = table or [AnyMove(claim.match_id)] * len(claim.players)
    results.finish(session, claim, playing.result(played(claim, players)))
    session.commit()
    return claim.match_id


def open_puzzle(session: Session, match_id: int, kind: str = "drive", level: int = 2) -> Puzzle:
    """A puzzle of a finished match: the last legal move of its third decision of a kind is best."""
    record = read(reading.replay(session, match_id))
    shown = frames(record)["frames"]
    found = (
        (moment, frame)
        for moment, frame in enumerate(shown)
        if frame.get("kind") == kind and len(frame["legal"]) > 3
    )
    moment, frame = next(islice(found, 2, None))
    legal = frame["legal"][::-1]
    values = [[move, 400 - number] for number, move in enumerate(legal)]
    values[0][1] = 820
    puzzle = Puzzle(
        match_id=match_id,
        moment=moment,
        state=PuzzleState.OPEN,
        seats=len(frame["state"]["players"]),
        seat=frame["seat"],
        kind=kind,
        phase="middle",
        move=legal[0],
        missed=frame["move"] != legal[0],
        engine=1,
        looks=9,
        level=level,
        margin_milli=420,
        answer=json.dumps({"values": values, "line": _line(record, moment, legal[0])}),
        proposed_at=now(session),
        opened_at=now(session),
    )
    session.add(puzzle)
    session.commit()
    return puzzle


def _line(record: replay_pb2.Replay, moment: int, best: str) -> list[str]:
    """The best move of a moment, and the first one of the next decision."""
    game = ScriptedGame(position_at(record, moment))
    game.move(best)
    game.force()
    return [best, game.position.legal_texts()[0]]


def played(
    claim: MatchClaim, table: Sequence[Bot | None], watcher: Watcher | None = None
) -> replay_pb2.Replay:
    """The replay of the claimed match, played in this process; None did not appear."""
    seats = tuple(Seat(p.address, p.name, p.version, p.author) for p in claim.players)
    layout = Layout.shuffled(Random(claim.layout_seed))
    return _play(claim.match_id, layout, seats, table, watcher)


def random_game(players: int, seed: int) -> replay_pb2.Replay:
    """The replay of a game in which every choice falls by chance."""
    seats = tuple(Seat("", name, "1", "compay") for name in ("ana", "luz", "rey", "sol")[:players])
    table = [AnyMove(seed + seat) for seat in range(players)]
    return _play(seed, Layout.shuffled(Random(seed)), seats, table)


def _play(
    number: int,
    layout: Layout,
    seats: tuple[Seat, ...],
    table: Sequence[Bot | None],
    watcher: Watcher | None = None,
) -> replay_pb2.Replay:
    match = Match(
        id=str(number),
        attempt=1,
        layout=layout,
        dice_seed=number.to_bytes(32, "big"),
        clock=Clock(),
        seats=seats,
    )
    players = [LocalSeat(bot) if bot else None for bot in table]
    return asyncio.run(play_table(match, players, watcher))


def analyse(session: Session, match_id: int, looks: int = 8) -> GameAnalysis:
    """Have the engine look at a match for a moment, and store what it found; committed."""
    found = referee.analysis.analyse(read(reading.replay(session, match_id)), looks)
    made = {"engine": found.engine, "looks": looks, "data": pack(found)}
    session.add(Analysis(match_id=match_id, made_at=now(session), **made))
    profiles.keep(session, match_id, found)
    session.commit()
    return found
