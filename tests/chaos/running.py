"""One run: a tournament and the ladders, so many matches, disturbed until most of them are over."""

from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from ladder.bots import versions
from ladder.contests.tournaments import creating, lifecycle, lookup
from ladder.model import Ladder, Match, Version
from referee.clock import Clock
from tests.chaos.acts import Acts
from tests.chaos.arena import BOT_PROCESSES, Arena
from tests.chaos.findings import OVER, Found, NewestHeard, check
from tests.chaos.worker import POINTS

_BOTS: Final = 6
_SLOTS: Final = 16
_GRACE: Final = 30.0  # seconds that the tournament waits for a bot
_DISTURBED: Final = 0.8  # of the matches


@dataclass(frozen=True)
class Wish:
    """`matches` in all, or a few more; the rest as in Acts and Arena."""

    matches: int
    acts: int
    mines: int
    think: float
    patience: float
    seed: int


@dataclass(frozen=True)
class Report:
    """What was done, and what was found."""

    found: Found
    acts: dict[str, int]
    mines: dict[str, int]
    """How often a worker has killed itself at each point."""
    deaths: int
    """Of workers, these and all others."""
    standstills: dict[str, float]
    """The longest time in seconds until play went on, by the server that was swallowed."""


def run(folder: Path, url: str, wish: Wish) -> Report:
    """Disturb a ladder on an empty database with the newest schema; raises AssertionError."""
    rng = Random(wish.seed)
    arena = Arena(folder, url, rng, mines=wish.mines, think=wish.think, patience=wish.patience)
    with arena, closing(NewestHeard(arena.redis_url, arena.sessions)) as heard:
        with arena.sessions.begin() as session:
            _enter(session, arena, wish.matches)
        arena.meanwhile(heard.look)
        acts = Acts(arena)
        for number, act in enumerate(acts.in_turn(wish.acts)):
            due = round(_DISTURBED * wish.matches * number / wish.acts)
            arena.until(partial(_come_to, due, arena, wish), f"{due} matches")
            act()
        arena.until(partial(_come_to, wish.matches, arena, wish), "all matches")
        arena.until(lambda: _over(arena) == _made(arena), "the last matches")
        arena.until(partial(_finished, arena), "the end of the tournament")
        with arena.sessions() as session:
            found = check(session, arena.redis_url, heard)
        return Report(found, acts.done, arena.mines(), arena.deaths, acts.standstills)


def _enter(session: Session, arena: Arena, matches: int) -> None:
    """Bots, each of an author of its own, and a tournament of about a third of the matches."""
    ids = [
        versions.register(
            session,
            name=f"ponderer {number}",
            author=f"author {number}",
            version="1",
            address=arena.address(number % BOT_PROCESSES),
        ).id
        for number in range(_BOTS)
    ]
    session.execute(update(Version).values(slots=_SLOTS))
    cup = creating.create(
        session,
        None,
        name="Copa del caos",
        seats=3,
        bot_ids=ids[: 6 if matches >= 100 else 4],
        deals=2,
        clock=Clock(),
        grace=_GRACE,
    )
    lifecycle.start(session, cup.id)


def _come_to(due: int, arena: Arena, wish: Wish) -> bool:
    """Whether so many matches are over. Closes the ladders as soon as there are enough.

    There are not before each mine has gone off, however late its worker began. Not in an act: who
    sleeps then may hold SQLite's lock.
    """
    gone_off = arena.mines()
    enough = _made(arena) >= wish.matches and all(gone_off[one] >= wish.mines for one in POINTS)
    if enough:
        with arena.sessions.begin() as session:
            session.execute(update(Ladder).where(Ladder.open).values(open=False))
    return _over(arena) >= due and (enough or due < wish.matches)


def _made(arena: Arena) -> int:
    with arena.sessions() as session:
        return session.scalars(select(func.count()).select_from(Match)).one()


def _finished(arena: Arena) -> bool:
    """Whether the scheduler has finished the tournament."""
    with arena.sessions() as session:
        return all(cup.state == "finished" for cup in lookup.page(session))


def _over(arena: Arena) -> int:
    with arena.sessions() as session:
        over = select(func.count()).select_from(Match).where(Match.state.in_(OVER))
        return session.scalars(over).one()
