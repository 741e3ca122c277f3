"""Create a tournament with its entry list and the matches of its first round."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder import model
from ladder.contests.pairings import PlannedDeal
from ladder.contests.tournaments import limits
from ladder.contests.tournaments.lifecycle import may_organise
from ladder.contests.tournaments.limits import Format, Wish
from ladder.contests.tournaments.lookup import Tournament, tournament
from ladder.contests.tournaments.rounds import add_round, first_round, round_luck
from ladder.errors import NotFound, Phrase, Refused
from ladder.matches.durations import clock_columns
from ladder.model import Bot, BotState, Entry, TournamentState, Version, now, write
from ladder.people.accounts import Account
from ladder.people.audit import record_action
from referee.clock import Clock

GRACE: Final = 300.0
"""Default seconds that a tournament waits for a bot that can't be reached."""
_SEED_BITS: Final = 63


def create(
    session: Session,
    account: Account | None,
    *,
    name: str,
    seats: int,
    bot_ids: Sequence[int],
    deals: int,
    clock: Clock,
    format: str = Format.ROUND_ROBIN,
    rounds: int | None = None,
    seed: int | None = None,
    rated: bool = True,
    grace: float = GRACE,
) -> Tournament:
    """Create a tournament of these bots, each with the version that is active now.

    In a round robin every two bots play at least `deals` deals together; in a gauntlet the first
    bot plays as many with each other one; in a Swiss tournament each table plays `deals` deals in
    each of the `rounds`. A deal is one layout in every rotation of the seats: as many matches as
    seats. The matches of the first round are queued; none is played before `start`. The same seed
    gives the same pairings and layouts; it stays secret. A bot that can't be reached for `grace`
    seconds forfeits.

    `account` creates it; None at the operator's command line. Raises Forbidden unless that is an
    organiser, Invalid for an impossible tournament, NotFound for an unknown bot, Refused for one
    that can't play. The caller commits.
    """
    may_organise(account)
    kind = limits.checked_format(format)
    bots = limits.checked_bots(bot_ids, seats)
    wish = Wish(
        name=limits.checked_name(name),
        format=kind,
        seats=seats,
        bot_ids=bots,
        deals=limits.within("deals", deals, 1, limits.MOST_DEALS),
        rounds=limits.checked_rounds(rounds, kind, len(bots)),
        clock=clock,
        rated=rated,
        grace=limits.checked_grace(grace),
    )
    if seed is None:
        seed = secrets.randbits(_SEED_BITS)
    limits.within("seed", seed, 0, limits.LARGEST_SEED)
    limits.check_total(_least_matches(wish))
    planned = first_round(wish, round_luck(seed, 1))
    limits.check_total(wish.rounds * len(planned) * seats)
    return _write(session, account, wish, seed, planned)


def _least_matches(wish: Wish) -> int:
    """Return the least number of matches, without the plan, which may take a while."""
    bots, seats = len(wish.bot_ids), wish.seats
    if wish.format is Format.SWISS:
        return wish.rounds * (bots // seats) * wish.deals * seats
    if wish.format is Format.GAUNTLET:
        return wish.deals * (bots - 1) * seats // (seats - 1)
    return wish.deals * bots * (bots - 1) // (seats - 1)


def _write(
    session: Session,
    account: Account | None,
    wish: Wish,
    seed: int,
    planned: Sequence[PlannedDeal],
) -> Tournament:
    write(session)
    at = now(session)
    versions = _versions(session, wish.bot_ids)
    made = model.Tournament(
        name=wish.name,
        format=wish.format,
        seats=wish.seats,
        deals=wish.deals,
        rounds=wish.rounds,
        round=1,
        rated=wish.rated,
        seed=seed,
        **clock_columns(wish.clock),
        grace_ms=round(wish.grace * 1000),
        created_by=account.id if account else None,
        state=TournamentState.CREATED,
        total=wish.rounds * len(planned) * wish.seats,
        created_at=at,
    )
    session.add(made)
    session.flush()
    session.add_all(
        Entry(tournament_id=made.id, bot_id=bot, version_id=versions[bot], number=number)
        for number, bot in enumerate(wish.bot_ids, 1)
    )
    session.flush()
    add_round(session, made, 1, planned, at)
    record_action(session, account, "tournament created", f"tournament {made.id}")
    return tournament(session, made.id)


@dataclass(frozen=True, slots=True)
class _Entrant:
    name: str
    state: str
    version_id: int | None


def _versions(session: Session, bot_ids: Sequence[int]) -> dict[int, int]:
    """Return the id of the active version of each bot. Raises NotFound and Refused."""
    active = (Version.bot_id == Bot.id) & Version.active
    query = select(Bot.id, Bot.name, Bot.state, Version.id).outerjoin(Version, active)
    found = {
        bot: _Entrant(name, state, version)
        for bot, name, state, version in session.execute(query.where(Bot.id.in_(bot_ids)))
    }
    versions: dict[int, int] = {}
    for bot in bot_ids:
        if bot not in found:
            raise NotFound("there is no bot %(bot)s", bot=bot)
        versions[bot] = _playing(bot, found[bot])
    return versions


def _playing(bot_id: int, entrant: _Entrant) -> int:
    if entrant.state is not BotState.ACTIVE:
        raise Refused(
            "bot %(bot)s (%(name)s) is %(state)s: leave it out",
            bot=bot_id,
            name=entrant.name,
            state=Phrase(entrant.state),
        )
    if entrant.version_id is None:
        raise Refused(
            "bot %(bot)s (%(name)s) has no version that passed its check yet: leave it out",
            bot=bot_id,
            name=entrant.name,
        )
    return entrant.version_id
