"""Make the matches of the ladders: new deals while the workers need more to play.

The queue is kept a little longer than what the workers can play at once. Each deal goes to the
ladder that is furthest behind its share of the matches.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import inf
from random import Random, SystemRandom
from typing import Final

from sqlalchemy import bindparam, or_, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.contests.choosing import (
    ReadyBot,
    made_lately,
    met_lately,
    newest_deals,
    ready_bots,
    table,
)
from ladder.contests.ladders import LadderSettings, ladder_of
from ladder.contests.pairings import SEED_BITS, rotations
from ladder.jobs import attempts, dispatch, room, workers
from ladder.jobs.kinds import Party
from ladder.matches import debts, lanes, tables
from ladder.matches.job import MATCHES
from ladder.matches.queue import new_match
from ladder.matches.states import JOB
from referee.rules.pieces import MIN_PLAYERS

_DEPTH: Final = 2  # matches for each place: one that runs and one that waits
_LADDER: Final = MATCHES.queue(model.MatchKind.LADDER)
_MINUTE: Final = timedelta(minutes=1)
_MOST: Final = 200  # deals in one transaction
_MOST_PACE: Final = 10_000
"""Matches a minute; a larger pace counts as none."""
_SOON: Final = timedelta(seconds=2)
"""A match that has to wait longer for its next try fills no place; see `attempts.claim`."""
_LONGEST_WAIT: Final = timedelta(seconds=10)
"""How long a ladder whose turn it is may hold up the others until its bots are free."""


@dataclass(slots=True)
class Need:
    """How many further matches the workers need.

    A match that waits for a slot of one of its bots does not count as filling a place.
    """

    matches: int
    """Matches needed that can be played at once."""
    pace: float
    """The largest number of matches to make in a minute."""
    at: datetime
    lately: list[datetime]
    """When the newest ladder matches were made: as many as the pace depends on."""
    occupied: room.Occupancy
    hosts: Party
    """The hosts of hosted bots."""
    waited_for: set[int]
    """The versions for whose free slot a queued ladder match waits."""
    dealt: set[int] = field(default_factory=set)
    """The bots that have got a deal since `at`."""

    @property
    def more(self) -> bool:
        """Return True if another deal is needed."""
        return self.matches > 0

    def may_make(self, number: int) -> bool:
        """Return True if the pace allows a deal of `number` matches now.

        A deal that is larger than the pace waits until it is due: four matches at a pace of one
        come every four minutes.
        """
        if self.pace > _MOST_PACE:
            return True
        since = self.at - _MINUTE * max(1.0, number / self.pace)
        made = sum(since < created_at <= self.at for created_at in self.lately)
        return made + number <= max(self.pace, number)

    def is_free(self, guest: tables.SeatedBot) -> bool:
        """Return True if a bot may get a deal."""
        hosts = self.hosts
        if guest.hosted and not self.occupied.free(_LADDER, hosts.id, hosts.slots, holds=False):
            return False
        party = guest.version_id
        return party not in self.waited_for and self.occupied.free(_LADDER, party, guest.slots)

    def made(self, guests: Sequence[tables.SeatedBot]) -> None:
        """Record a deal between these bots, which has as many matches as bots."""
        self.lately += [self.at] * len(guests)
        self.dealt.update(guest.bot_id for guest in guests)
        for _ in guests:
            self.wait(guests)

    def wait(self, guests: Sequence[tables.SeatedBot]) -> None:
        """Record a waiting match: it fills a place if it can begin, else it waits for its bots."""
        parties = tables.parties(guests, [self.hosts])
        if self.occupied.begin(_LADDER, parties):
            self.matches -= 1
        else:
            self.waited_for.update(party.id for party in parties if party.holds)


def top_up(
    session: Session, *, message_age: float = 20.0, pace: float = inf, rng: Random | None = None
) -> int:
    """Queue new deals until the workers have enough to play; return the number of matches.

    Enough is two matches for each place. `pace` limits how many matches are made in a minute. A bot
    gets no deal while it uses all the places it may, while its last deal waits for it, or while it
    owes a match that could be played. The caller commits.
    """
    places = workers.places(session)
    if not places or pace <= 0 or not model.execute(session, _ANY_OPEN).scalar():
        return 0
    needed = need(session, places, message_age=message_age, pace=pace)
    if not needed.more or not needed.may_make(MIN_PLAYERS):
        return 0  # as most of the times: whoever writes need not wait for this
    model.write(session)
    ladders = _open_ladders(session)  # locks them: another scheduler waits here
    if not ladders:
        return 0
    needed = need(session, places, message_age=message_age, pace=pace)
    rng = rng or SystemRandom()
    made = 0
    for _ in range(_MOST):
        if not needed.more or not needed.may_make(ladders[0].seats):  # the fewest
            break
        deal = _deal(session, ladders, needed, rng)
        if deal is None:
            break
        made += deal
    if made:  # last, since claims wait for the rows that this locks
        dealt = model.Bot.id.in_(needed.dealt)
        model.change_rows(session, model.Bot, dealt, last_match_at=model.now(session))
    return made


def need(session: Session, places: int, *, message_age: float, pace: float) -> Need:
    """Count the matches that run, have a message or wait for one; return what is needed still."""
    at, queues = model.now(session), [queue.name for queue in MATCHES.queues]
    lost = at - timedelta(seconds=message_age)
    occupied = room.occupancy(session, [MATCHES], queues, at, lost)
    found = Need(
        matches=_DEPTH * places - sum(occupied.jobs[queue] for queue in queues),
        pace=pace,
        at=at,
        lately=_made_lately(session, pace) if pace <= _MOST_PACE else [],
        occupied=occupied,
        hosts=lanes.party(session),
        waited_for=set(),
    )
    for guests in _unsent(session, lost, at):
        found.wait(guests)
    return found


def in_turn(
    ladders: Sequence[LadderSettings], lately: Mapping[int, int], rng: Random
) -> list[LadderSettings]:
    """Return the ladders with a share above 0, the one furthest behind its share first.

    `lately` counts the newest matches by table size. Shares count matches, and a deal for n seats
    has n of them. Only equal ladders come in random order: with more chance in it, a ladder whose
    deal has to wait would keep losing draws to the ladders of smaller tables.
    """
    with_share = [ladder for ladder in ladders if ladder.share > 0]
    order = rng.sample(with_share, len(with_share))
    return sorted(order, key=lambda ladder: lately.get(ladder.seats, 0) / ladder.share)


def _open_ladders(session: Session) -> list[LadderSettings]:
    query = select(model.Ladder).where(model.Ladder.open).order_by(model.Ladder.seats)
    rows = session.scalars(query.with_for_update(), execution_options={"populate_existing": True})
    return [ladder_of(row) for row in rows]


def _deal(session: Session, ladders: list[LadderSettings], need: Need, rng: Random) -> int | None:
    """Make a deal on one of the ladders; return its number of matches, None if none is possible."""
    at = model.now(session)
    for ladder in in_turn(ladders, made_lately(session), rng):
        found = ready_bots(session, ladder.seats, at, need.dealt, hosted_only=ladder.hosted_only)
        free = [who for who, guest in found if need.is_free(guest)]
        met = met_lately(session, ladder.seats)
        chosen = table(free, ladder.seats, met=met, one_owner=ladder.one_owner, rng=rng)
        if chosen is None and _comes_soon(session, ladder, [who for who, _ in found], at, rng):
            return None
        if chosen is not None:
            if not need.may_make(ladder.seats):
                return None  # the others wait for this ladder's turn
            _write(session, ladder, chosen, at, rng)
            need.made([guest for _, guest in found if guest.bot_id in chosen])
            return ladder.seats
    return None


def _comes_soon(
    session: Session, ladder: LadderSettings, every: list[ReadyBot], at: datetime, rng: Random
) -> bool:
    """Return True if there are enough bots for a table, but not all of them are free yet.

    Then it pays to wait: otherwise small tables would keep the bots of a small ladder busy, and
    large tables would never start.
    """
    if table(every, ladder.seats, met={}, one_owner=ladder.one_owner, rng=rng) is None:
        return False
    return any(at - _LONGEST_WAIT < made <= at for made in _made_lately(session, 1))


def _write(
    session: Session, ladder: LadderSettings, bot_ids: tuple[int, ...], at: datetime, rng: Random
) -> None:
    """Insert a deal: a layout, and all rotations of a seat order drawn for it."""
    order = tuple(rng.sample(bot_ids, len(bot_ids)))
    active = select(model.Version.bot_id, model.Version.id).where(
        model.Version.active, model.Version.bot_id.in_(bot_ids)
    )
    versions = dict(session.execute(active).all())
    deal = model.Deal(layout_seed=rng.getrandbits(SEED_BITS))
    kind, made = model.MatchKind.LADDER, []
    for rotation, seated in enumerate(rotations(order)):
        table = [(bot, versions[bot]) for bot in seated]
        made.append(new_match(kind, deal, table, ladder.clock, at, rotation=rotation, rated=True))
    session.add_all(made)
    session.flush()
    attempts.enqueue(session, JOB, kind, [match.id for match in made])


def _unsent(session: Session, lost: datetime, at: datetime) -> list[list[tables.SeatedBot]]:
    """Return the ladder's tables that wait without a message, oldest first.

    Those that can't meet now, since a bot is away or owes another match, or since no host takes all
    of them, are not counted: nobody waits for them.
    """
    ids = model.execute(session, _UNSENT, {"lost": lost, "soon": at + _SOON}).scalars().all()
    seated = tables.guests(session, model.MatchKind.LADDER, ids)
    return [seated[match_id] for match_id in ids]


def _made_lately(session: Session, pace: float) -> list[datetime]:
    """Return when the newest ladder matches were made, at least as many as a pace can depend on."""
    most = int(pace) // MIN_PLAYERS + 1
    deals = newest_deals(most, model.Match.created_at, model.Match.seats)
    made = model.execute(session, deals)
    return [created_at for created_at, seats in made for _ in range(seats)]


_ANY_OPEN: Final = select(select(model.Ladder).where(model.Ladder.open).exists())
_UNSENT: Final = (
    select(model.Job.subject)
    .join(model.Match, model.Match.id == model.Job.subject)
    .where(
        dispatch.unsent(model.MatchKind.LADDER, bindparam("lost", type_=model.Timestamp)),
        or_(
            model.Job.not_before.is_(None),
            model.Job.not_before <= bindparam("soon", type_=model.Timestamp),
        ),
        ~tables.absent(model.MatchKind.LADDER),
        tables.at_one_host(),
        ~debts.held_back(),
    )
    .order_by(model.Job.subject)
)
"""Built once, since the scheduler asks all the time."""
