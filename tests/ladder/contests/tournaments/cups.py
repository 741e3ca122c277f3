"""Tournaments for tests, and results made by hand."""

from collections.abc import Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.bots import reach
from ladder.contests.formats import Format
from ladder.contests.tournaments import creating, lifecycle, lookup, rounds
from ladder.contests.tournaments.lookup import Tournament
from ladder.contests.tournaments.rounds import entered_versions
from ladder.matches import reading
from ladder.model import Match, Version
from ladder.people.accounts import Account
from referee.clock import Clock
from tests.ladder.league import finished, ranked, register_bots

CLOCK = Clock(1.5, 30, 0.25, 2.5)


def create(
    session: Session,
    account: Account | None = None,
    *,
    name: str = "Copa",
    format: str = Format.ROUND_ROBIN,
    seats: int = 3,
    count: int = 4,
    bot_ids: Sequence[int] | None = None,
    deals: int = 4,
    rounds: int | None = None,
    seed: int | None = 7,
    grace: float = 300.0,
    hosted_only: bool = False,
) -> Tournament:
    """A tournament, committed; of new bots unless they are given."""
    made = creating.create(
        session,
        account,
        name=name,
        format=format,
        seats=seats,
        bot_ids=register_bots(session, count) if bot_ids is None else bot_ids,
        deals=deals,
        rounds=rounds,
        clock=CLOCK,
        seed=seed,
        hosted_only=hosted_only,
        grace=grace,
    )
    session.commit()
    return made


def running_cup(
    session: Session, *, format: str, count: int, seats: int = 2, rounds: int = 3
) -> int:
    """A tournament of one deal a table that has been started, committed; its id."""
    swiss = rounds if format == Format.SWISS else None
    made = create(session, format=format, seats=seats, count=count, deals=1, rounds=swiss)
    lifecycle.start(session, made.id)
    session.commit()
    return made.id


def queued(session: Session, tournament_id: int) -> list[int]:
    """The ids of its matches that wait."""
    own = Match.tournament_id == tournament_id
    found = session.scalars(select(Match.id).where(own, Match.state == "queued").order_by(Match.id))
    ids = list(found)
    session.commit()
    return ids


def play(session: Session, match_id: int, strength: Mapping[int, int] | None = None) -> None:
    """Finish a match: the stronger bot ranks before; without strengths the lower id does."""
    table = [seat.bot_id or 0 for seat in reading.match(session, match_id).seats]
    session.commit()
    worth = {bot: (strength or {}).get(bot, -bot) for bot in table}
    ranks = [1 + sum(worth[other] > worth[bot] for other in table) for bot in table]
    finished(session, match_id, ranked(*ranks))


def play_round(
    session: Session, tournament_id: int, strength: Mapping[int, int] | None = None
) -> list[int]:
    """Finish all that waits now, and let it go on; the ids of these matches."""
    waiting = queued(session, tournament_id)
    for match_id in waiting:
        play(session, match_id, strength)
    go_on(session)
    return waiting


def go_on(session: Session) -> list[int]:
    """Let tournaments go on, as the scheduler does; how many new matches each has."""
    due = rounds.due(session)
    session.commit()
    made = []
    for tournament_id in due:
        made.append(lifecycle.go_on(session, tournament_id))
        session.commit()
    return made


def gone_on(session: Session, tournament_id: int) -> Tournament:
    """Let tournaments go on, as the scheduler does; this one then."""
    go_on(session)
    found = lookup.tournament(session, tournament_id)
    session.commit()
    return found


def go_away(session: Session, tournament_id: int, *bot_ids: int) -> None:
    """Let bots of a tournament be missed, as by a worker that can't reach them."""
    versions = entered_versions(session, tournament_id)
    for bot_id in bot_ids:
        reach.missed(session, versions[bot_id], "Nobody listens there.")
    session.commit()


def come_back(session: Session, *bot_ids: int) -> None:
    """Let bots be found again, as by a worker that looks for them."""
    versions = select(Version.id).where(Version.bot_id.in_(bot_ids))
    for version_id in session.scalars(versions).all():
        reach.online(session, version_id)
    session.commit()


def entrants(session: Session, tournament_id: int) -> list[int]:
    """The ids of its bots in the order of the entry list."""
    found = [entrant.bot_id for entrant in lookup.entries(session, tournament_id)]
    session.commit()
    return found


def seats_of(session: Session, match_id: int, *bot_ids: int) -> list[int]:
    """The seats of these bots at the table of a match."""
    table = reading.match(session, match_id).seats
    session.commit()
    return [seat.seat for seat in table if seat.bot_id in bot_ids]
