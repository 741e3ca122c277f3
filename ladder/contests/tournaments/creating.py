"""Create a tournament: check what an organiser asks for, write its entries and first matches."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil, log2
from random import Random
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder import model
from ladder.contests.formats import Format, gauntlet, round_robin, swiss_round
from ladder.contests.pairings import SEED_BITS, PlannedDeal, check
from ladder.contests.tournaments.lifecycle import may_organise
from ladder.contests.tournaments.lookup import Tournament, tournament
from ladder.contests.tournaments.rounds import add_round, note_growth, round_luck
from ladder.errors import Invalid, NotFound, Phrase, Refused
from ladder.matches import lanes
from ladder.matches.queue import clock_columns
from ladder.matches.tables import needs_host
from ladder.model import Bot, BotState, Entry, TournamentState, Version
from ladder.people.accounts import Account, lock_user, record_action
from referee.clock import Clock

GRACE: Final = 300.0
"""How many seconds a tournament waits by default for a bot that can't be reached."""
MOST_BOTS: Final = 128
MOST_DEALS: Final = 1_000
MOST_ROUNDS: Final = 30
MOST_MATCHES: Final = 20_000
"""A round's matches are all inserted at once, and a page adds up all of a tournament's."""
LONGEST_NAME: Final = 60
LONGEST_GRACE: Final = 86_400.0
_LARGEST_SEED: Final = 2**SEED_BITS - 1


@dataclass(frozen=True, slots=True)
class _TournamentSettings:
    """The settings of a new tournament, checked; `create` explains the fields."""

    name: str
    format: Format
    seats: int
    bot_ids: tuple[int, ...]
    deals: int
    rounds: int
    clock: Clock
    rated: bool
    grace: float
    hosted_only: bool


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
    hosted_only: bool = False,
    same_within: timedelta | None = None,
) -> Tournament:
    """Create a tournament of these bots, each with the version that is active now.

    In a round robin every two bots play at least `deals` deals together; in a gauntlet the first
    bot plays at least `deals` with each other one; in a Swiss tournament each table plays `deals`
    deals in each of the `rounds`. A deal is one layout in every rotation of the seats: it has as
    many matches as seats. The matches of the first round are queued; none is played before `start`.
    The same seed gives the same pairings and layouts; it stays secret. A bot that can't be reached
    for `grace` seconds forfeits. If `hosted_only` is true, only hosted bots may enter. If the
    organiser has created the same one in the time `same_within`, it is that: a form was sent twice.

    `account` is who creates it, None at the operator's command line. Raises Forbidden unless it is
    an organiser's, Invalid for an impossible tournament, NotFound for an unknown bot, Refused for
    one that can't play, or hosted ones that no host takes together. The caller commits.
    """
    may_organise(account)
    kind = _checked_format(format)
    bots = _checked_bots(bot_ids, seats)
    settings = _TournamentSettings(
        name=_checked_name(name),
        format=kind,
        seats=seats,
        bot_ids=bots,
        deals=_checked_range("deals", deals, 1, MOST_DEALS),
        rounds=_checked_rounds(rounds, kind, len(bots)),
        clock=clock,
        rated=rated,
        grace=_checked_grace(grace),
        hosted_only=hosted_only,
    )
    if seed is None:
        seed = secrets.randbits(SEED_BITS)
    _checked_range("seed", seed, 0, _LARGEST_SEED)
    _check_total(_least_matches(settings), kind)
    planned = _first_round(settings, round_luck(seed, 1))
    _check_total(settings.rounds * len(planned) * seats, kind)
    return _write(session, account, settings, seed, planned, same_within)


def _checked_format(word: str) -> Format:
    """Return the format of this name. Raises Invalid."""
    if word not in set(Format):
        raise Invalid(
            "format",
            "the format can be %(formats)s, not “%(word)s”",
            formats=", ".join(Format),
            word=word,
        )
    return Format(word)


def _checked_name(name: str) -> str:
    """Return the name without blanks around it. Raises Invalid."""
    name = name.strip()
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise Invalid("name", "a name has 1 to %(most)s printable characters", most=LONGEST_NAME)
    return name


def _checked_bots(bot_ids: Sequence[int], seats: int) -> tuple[int, ...]:
    """Return the bots if they can fill tables of `seats`. Raises Invalid."""
    check(bot_ids, seats)
    if len(bot_ids) > MOST_BOTS:
        raise Invalid(
            "bots",
            "%(given)s bots are more than the maximum of %(most)s: create several tournaments",
            given=len(bot_ids),
            most=MOST_BOTS,
        )
    return tuple(bot_ids)


def _checked_rounds(rounds: int | None, format_: Format, bots: int) -> int:
    """Return the number of rounds; by default a Swiss tournament has log2 of the bots, at least 3.

    Raises Invalid.
    """
    if format_ is not Format.SWISS:
        if rounds not in (None, 1):
            raise Invalid("rounds", "only Swiss tournaments have rounds: choose deals instead")
        return 1
    if rounds is None:
        return max(3, ceil(log2(bots)))
    return _checked_range("rounds", rounds, 1, MOST_ROUNDS)


def _checked_range(field: str, value: int, least: int, most: int) -> int:
    """Return the number if it is from `least` to `most`. Raises Invalid."""
    if not least <= value <= most:
        raise Invalid(
            field,
            "%(field)s can be %(least)s to %(most)s, not %(value)s",
            field=Phrase(field),
            least=least,
            most=most,
            value=value,
        )
    return value


def _checked_grace(seconds: float) -> float:
    """Return the seconds to wait for absent bots. Raises Invalid."""
    if not 0 <= seconds <= LONGEST_GRACE:
        raise Invalid(
            "grace", "the grace time is 0 to %(most)s seconds", most=f"{LONGEST_GRACE:.0f}"
        )
    return seconds


def _check_total(matches: int, format_: Format) -> None:
    """Raise Invalid if there are more matches than a tournament may have."""
    if matches <= MOST_MATCHES:
        return
    if format_ is Format.SWISS:
        raise Invalid(
            "deals",
            "this makes %(matches)s matches, more than the maximum of %(most)s: use fewer "
            "deals, rounds or bots",
            matches=matches,
            most=MOST_MATCHES,
        )
    raise Invalid(
        "deals",
        "this makes %(matches)s matches, more than the maximum of %(most)s: use fewer "
        "deals or bots, or a Swiss tournament",
        matches=matches,
        most=MOST_MATCHES,
    )


def _least_matches(settings: _TournamentSettings) -> int:
    """Return the least number of matches, without the plan, which may take a while to make."""
    bots, seats = len(settings.bot_ids), settings.seats
    if settings.format is Format.SWISS:
        return settings.rounds * (bots // seats) * settings.deals * seats
    if settings.format is Format.GAUNTLET:
        return settings.deals * (bots - 1) * seats // (seats - 1)
    return settings.deals * bots * (bots - 1) // (seats - 1)


def _first_round(settings: _TournamentSettings, rng: Random) -> tuple[PlannedDeal, ...]:
    """Plan the first round; in formats other than Swiss it is the only one."""
    if settings.format is Format.SWISS:
        ranks = dict.fromkeys(settings.bot_ids, 1)
        return swiss_round(ranks, seats=settings.seats, deals=settings.deals, past=(), rng=rng)
    plan = gauntlet if settings.format is Format.GAUNTLET else round_robin
    return plan(settings.bot_ids, seats=settings.seats, deals=settings.deals, rng=rng)


def _write(
    session: Session,
    account: Account | None,
    settings: _TournamentSettings,
    seed: int,
    planned: Sequence[PlannedDeal],
    same_within: timedelta | None,
) -> Tournament:
    model.write(session)
    if account is not None and same_within is not None:
        lock_user(session, account.id)  # so that the other one is there, or not begun
    at = model.now(session)
    asked: dict[str, Any] = {
        "name": settings.name,
        "format": settings.format,
        "seats": settings.seats,
        "deals": settings.deals,
        "rounds": settings.rounds,
        "rated": settings.rated,
        "hosted_only": settings.hosted_only,
        **clock_columns(settings.clock),
        "grace_ms": round(settings.grace * 1000),
        "created_by": account.id if account else None,
    }
    if same_within and (same := _created_since(session, at - same_within, asked, settings.bot_ids)):
        return tournament(session, same)
    versions = _versions(session, settings)
    made = model.Tournament(
        **asked,
        round=1,
        seed=seed,
        state=TournamentState.CREATED,
        total=settings.rounds * len(planned) * settings.seats,
        created_at=at,
    )
    session.add(made)
    session.flush()
    session.add_all(
        Entry(tournament_id=made.id, bot_id=bot, version_id=versions[bot], number=number)
        for number, bot in enumerate(settings.bot_ids, 1)
    )
    session.flush()
    made.made = len(add_round(session, made, 1, planned, versions))
    session.flush()
    note_growth(session, made.made)
    record_action(session, account, "tournament created", f"tournament {made.id}")
    return tournament(session, made.id)


def _created_since(
    session: Session, since: datetime, asked: Mapping[str, Any], bot_ids: Sequence[int]
) -> int | None:
    """Return a tournament since then with these columns and bots, which has not been started."""
    made = select(model.Tournament.id).filter_by(**asked, state=TournamentState.CREATED)
    for found in session.scalars(made.where(model.Tournament.created_at >= since)):
        entered = select(Entry.bot_id).where(Entry.tournament_id == found).order_by(Entry.number)
        if tuple(session.scalars(entered)) == tuple(bot_ids):
            return found
    return None


@dataclass(frozen=True, slots=True)
class _Entrant:
    name: str
    state: str
    version_id: int | None
    hosted: bool
    runtime: str | None


def _versions(session: Session, settings: _TournamentSettings) -> dict[int, int]:
    """Return the id of the active version of each bot. Raises NotFound and Refused."""
    bot_ids = settings.bot_ids
    active = (Version.bot_id == Bot.id) & Version.active
    query = select(Bot.id, Bot.name, model.shown_state(), Version.id, needs_host(), Version.runtime)
    entrants = query.outerjoin(Version, active).where(Bot.id.in_(bot_ids))
    found = {row[0]: _Entrant(*row[1:]) for row in session.execute(entrants)}
    versions: dict[int, int] = {}
    for bot in bot_ids:
        if bot not in found:
            raise NotFound("there is no bot %(bot)s", bot=bot)
        versions[bot] = _playing(bot, found[bot])
    if settings.hosted_only:
        _refuse_dialled(found[bot] for bot in bot_ids)
    lanes.refuse_apart(session, (found[bot].runtime for bot in bot_ids), settings.seats)
    return versions


def _refuse_dialled(entrants: Iterable[_Entrant]) -> None:
    if dialled := [entrant.name for entrant in entrants if not entrant.hosted]:
        raise Refused(
            "only hosted bots may enter this tournament, and these play at an address of their "
            "own: %(bots)s. Leave them out, or let their authors upload them",
            bots=", ".join(dialled),
        )


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
