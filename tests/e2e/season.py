"""A ladder with people, bots of unequal skill and some weeks of games, made without a service."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder import model, playing
from ladder.bots import versions
from ladder.matches import results
from ladder.matches.listing import list_matches
from ladder.model import Match, NoticeTone, Seat, SeatOutput, User, Version
from ladder.people.notices import notify
from ladder.ratings import fairness
from ladder.ratings.strength import compute
from referee.bot import Bot, Decision
from referee.rules import Move
from sample_bots.greedy import GreedyBot
from tests.ladder.bots.authors import BAD, GOOD
from tests.ladder.databases import new_ladder, session_on
from tests.web.accounts.visitors import make
from tests.web.arena import GivesUp, analyse, claim_next, open_puzzle, played, tournament

AUTHOR, OTHER_AUTHOR, ORGANISER, ADMIN = "ana", "luz", "olga", "boss"
ANALYSED = 2
"""The match that is analysed."""
LASTED = timedelta(days=20)


@dataclass(frozen=True)
class Entrant:
    """A bot and whose it is; `skill` is the share of its moves that it thinks about."""

    name: str
    author: str
    skill: float = 0.0


FIELD = (
    Entrant("havana", AUTHOR),
    Entrant("mojito", OTHER_AUTHOR),
    Entrant("malecon", AUTHOR),
    Entrant("rumba", OTHER_AUTHOR),
    Entrant("vedado", OTHER_AUTHOR),
)
CUPS = {2: "Copa del Puerto", 3: "Liga Vieja", 4: "Gran Premio"}


class Mixed(GreedyBot):
    """Thinks about some of its moves and leaves the others to chance."""

    def __init__(self, skill: float, seed: int) -> None:
        super().__init__()
        self._skill = skill
        self._rng = Random(seed)

    def choose(self, decision: Decision) -> Move:
        if self._rng.random() < self._skill:
            return super().choose(decision)
        return self._rng.choice(decision.moves)


@dataclass(frozen=True)
class Season:
    """What has come of it: ids by name, and by table size."""

    bots: dict[str, int]
    cups: dict[int, int]


_played: dict[tuple[tuple[Entrant, ...], int], tuple[Season, bytes]] = {}


def play_season(folder: Path, field: Sequence[Entrant] = FIELD, *, deals: int = 1) -> Season:
    """Plays it into the database of a data folder of `santiago up`; one bot gives up in a match.

    The same season is played once in a process, and copied from then on.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file, what = folder / "ladder.db", (tuple(field), deals)
    if what not in _played:
        made = _play(folder, field, deals)
        _played[what] = made, file.read_bytes()
    made, database = _played[what]
    file.write_bytes(database)
    return made


def _play(folder: Path, field: Sequence[Entrant], deals: int) -> Season:
    new_ladder(folder / "ladder.db")
    with session_on(_url(folder)) as session:
        for name, role in [(ORGANISER, "organiser"), (ADMIN, "admin")]:
            make(session, name, role)
        for name in sorted({one.author for one in field}):
            make(session, name)
        made = _enter(session, field, deals)
        _play_cups(session, field, made)
        for kind in ("drive", "tribute"):
            open_puzzle(session, 3, kind)
        _tell(session, made.bots[field[0].name])
        _keep_output(session, made.bots[field[0].name])
        analyse(session, ANALYSED, looks=4)
        _spread_over_weeks(session)
        _count(session)
    return made


def renew(folder: Path, entrant: Entrant) -> None:
    """A new version of the bot, which has its rating from the one before and has not played."""
    with session_on(_url(folder)) as session:
        versions.register(
            session, name=entrant.name, author=entrant.author, version="2", address="127.0.0.1:4999"
        )
        session.commit()


def _url(folder: Path) -> str:
    return f"sqlite:///{folder}/ladder.db"


def _enter(session: Session, field: Sequence[Entrant], deals: int) -> Season:
    """The bots, and a running tournament for each table size."""
    ids = {
        one.name: versions.register(
            session, name=one.name, author=one.author, version="1", address=f"127.0.0.1:{at}"
        ).id
        for at, one in enumerate(field, start=5000)
    }
    cups = {
        seats: tournament(session, list(ids.values()), name=name, seats=seats, deals=deals)
        for seats, name in CUPS.items()
    }
    return Season(ids, cups)


def _play_cups(session: Session, field: Sequence[Entrant], made: Season) -> None:
    """All matches of all tournaments, in turns, so that every ladder goes on all the time."""
    skills = {made.bots[one.name]: one.skill for one in field}
    open_cups = list(made.cups.values())
    giving_up = True
    while open_cups:
        cup = open_cups.pop(0)
        if not list_matches(session, tournament_id=cup, state="queued", limit=1).matches:
            continue
        open_cups.append(cup)
        claim = claim_next(session, cup)
        table: list[Bot] = [Mixed(skills[p.bot_id], claim.match_id) for p in claim.players]
        if giving_up:
            table[0], giving_up = GivesUp(9), False
        results.finish(session, claim, playing.result(played(claim, table)))
        session.commit()


def _tell(session: Session, bot_id: int) -> None:
    """A notice for the author of this bot, and a version of it that did not pass."""
    author = session.scalars(select(User).where(User.name == AUTHOR)).one()
    notify(session, author.id, NoticeTone.BAD, "Version 2 of havana was rejected.", bot_id)
    active = session.scalars(select(Version).where(Version.bot_id == bot_id)).one()
    active.report, active.checked_at = GOOD.as_json(), active.created_at
    session.add(
        Version(
            bot_id=bot_id,
            name="2",
            address=active.address,
            state="rejected",
            reason=BAD.reason,
            report=BAD.as_json(),
            created_at=active.created_at,
            checked_at=active.created_at,
        )
    )
    session.commit()


def _keep_output(session: Session, bot_id: int) -> None:
    """Something that this bot wrote in each of its matches, as if it were hosted."""
    used = {"peak_memory": 30 * 2**20, "cpu_ms": 1234}
    for seat in session.scalars(select(Seat).where(Seat.bot_id == bot_id)):
        wrote = {"output": b"3 pesos left\n", "errors": "Häfen\n".encode()}
        session.add(SeatOutput(match_id=seat.match_id, seat=seat.seat, **wrote, **used))
    session.commit()


def _spread_over_weeks(session: Session) -> None:
    """The matches as if they had been played over the last weeks, the newest just now."""
    rows = session.scalars(select(Match).where(Match.result_number.is_not(None))).all()
    newest = model.now(session)
    for match in rows:
        assert match.result_number is not None
        ago = LASTED * (1 - match.result_number / len(rows))
        match.created_at = match.started_at = match.finished_at = newest - ago
    session.commit()


def _count(session: Session) -> None:
    """Strengths and reports, as the scheduler makes them."""
    for seats in CUPS:
        compute(session, seats)
        session.commit()
        fairness.refresh(session, seats)
        session.commit()
