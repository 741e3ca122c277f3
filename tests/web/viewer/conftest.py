"""The site with a Redis of the test run's own, and matches that are told event by event."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count

import pytest
from flask import Flask
from redis import Redis
from sqlalchemy.orm import Session

from ladder.config import Settings
from ladder.live.game import frame
from ladder.live.stream import Frame, LiveEvent, publish
from ladder.matches.job import MatchClaim
from referee.bot import Bot
from referee.notes import note_json
from referee.rules.trace import cells_json
from tests.web.arena import AnyMove, claim_next, played, register, tournament
from web.viewer.hub import EXTENSION

Told = tuple[MatchClaim, list[LiveEvent]]


@pytest.fixture
def settings(settings: Settings, redis: Redis, redis_url: str) -> Settings:
    redis.flushall()
    return replace(settings, redis_url=redis_url)


@pytest.fixture
def redis(redis_url: str) -> Iterator[Redis]:
    with Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
def app(app: Flask) -> Iterator[Flask]:
    yield app
    app.extensions[EXTENSION].close()


@pytest.fixture
def told(session: Session) -> Told:
    """A match that is claimed, and the events of its first attempt, which nobody has told yet."""
    cup = tournament(session, register(session, ["ana", "luz"]))
    claim = claim_next(session, cup)
    return claim, events_of(claim)


@pytest.fixture
def tell(redis: Redis) -> Callable[[list[LiveEvent]], None]:
    """Publishes events."""
    return lambda events: publish(redis, events)


_by_chance: dict[tuple[int, ...], list[LiveEvent]] = {}
"""The events of attempts that were played by chance; the same attempt gives the same ones."""


def events_of(claim: MatchClaim, table: Sequence[Bot] = ()) -> list[LiveEvent]:
    """The events of an attempt that is played to its end, by chance or by the bots given."""
    assert claim.held.began is not None
    key = (claim.match_id, claim.attempt, claim.layout_seed, len(claim.players))
    if not table and key not in _by_chance:
        _by_chance[key] = _events_of(claim, [AnyMove(5)] * len(claim.players))
    events = _events_of(claim, table) if table else _by_chance[key]
    return [event._replace(began=claim.held.began.timestamp()) for event in events]


def _events_of(claim: MatchClaim, table: Sequence[Bot]) -> list[LiveEvent]:
    sequence = count(1)
    events: list[LiveEvent] = []
    played(
        claim,
        table,
        lambda game: events.append(
            LiveEvent(
                claim.match_id,
                claim.attempt,
                next(sequence),
                frame(game.newest),
                game.position.cells[:],
                None if game.note is None else note_json(game.note),
            )
        ),
    )
    return events


def state_of(event: LiveEvent) -> Frame:
    """The state after an event."""
    assert event.cells is not None
    return cells_json(event.cells)
