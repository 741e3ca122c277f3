"""The lanes of the hosts: how many jobs may use the hosts' processors at once.

All hosts together take part in each match with a hosted bot, and in each build and check of one, as
a party with as many slots as they have lanes; in casual games as one with half as many. So
`ladder.jobs.room` answers for them, too, and what finds no host waits. A host counts while workers
see it, unless it drains or is in trouble.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from itertools import combinations
from typing import Final

from sqlalchemy import ColumnElement, and_, bindparam, literal, select
from sqlalchemy.orm import Session

from ladder.errors import Refused
from ladder.jobs.kinds import Party
from ladder.model import SILENT, HostRow, MatchKind, Timestamp, execute, now

HOSTS: Final = 0
"""The id of the party; those of versions begin at 1, and those of their challenges at -1."""
UNRATED: Final = -(1 << 31)
"""The id of a second party: of builds, checks, trials and challenges."""
ANSWERS: Final = UNRATED + 1
"""The id of the party of casual games, whose lanes are beside those of all other jobs."""


def party(session: Session, *, lock: bool = False) -> Party:
    """Return the party; `lock` keeps others from counting on its free lanes, too."""
    return Party(HOSTS, lanes(session, lock=lock), holds=False)


def of_unrated(session: Session, *, lock: bool = False) -> list[Party]:
    """Return the parties of a build, check, trial or challenge, which leave a lane for the rest.

    A build step that sleeps, or a bot that is slow, again and again, would else stop the ladders
    and tournaments of all hosted bots.
    """
    hosts = party(session, lock=lock)
    return [hosts, Party(UNRATED, max(1, hosts.slots - 1), holds=False)]


def slots(session: Session) -> dict[int, int]:
    """Return the slots of all parties of the hosts but that of casual games, by id."""
    return {party.id: party.slots for party in of_unrated(session)}


def of_match(session: Session, kind: MatchKind, *, lock: bool = False) -> list[Party]:
    """Return the parties of a match of this kind with hosted bots."""
    if kind in (MatchKind.VALIDATION, MatchKind.CHALLENGE):
        return of_unrated(session, lock=lock)
    return [party(session, lock=lock)]


def has_lane(full: Collection[int], kind: MatchKind | None = None) -> bool:
    """Return True if there is a lane for a match of this kind; by default, a build or check."""
    parties = {HOSTS} if kind in (MatchKind.TOURNAMENT, MatchKind.LADDER) else {HOSTS, UNRATED}
    return not parties.intersection(full)


def of_answers(session: Session, *, lock: bool = False) -> Party:
    """Return the party of casual games, half as many lanes once more: they must stop no match."""
    return Party(ANSWERS, (lanes(session, lock=lock) + 1) // 2, holds=False)


def lanes(session: Session, *, lock: bool = False) -> int:
    """Return how many lanes the hosts have that are there now; 0 if none is."""
    since = {"since": now(session) - SILENT}
    return sum(execute(session, _LOCKED if lock else _LANES, since).scalars())


def by_runtime(session: Session, *, now_there: bool = False) -> dict[str, frozenset[str]]:
    """Return by runtime the names of the hosts that have it.

    That is of all hosts that workers have ever seen, or of those `now_there`.
    """
    query = select(HostRow.name, HostRow.runtimes)
    hosts_of = defaultdict(set)
    for host, row in session.execute(query.where(is_there(now(session))) if now_there else query):
        for name in json.loads(row):
            hosts_of[name].add(host)
    return {name: frozenset(hosts) for name, hosts in hosts_of.items()}


def take_all(hosts: Iterable[frozenset[str] | None]) -> bool:
    """Return True if one host is in all of these sets; None stands for a bot that needs none."""
    named = [one for one in hosts if one is not None]
    return not named or bool(frozenset.intersection(*named))


def refuse_apart(session: Session, runtimes: Iterable[str | None], seats: int) -> None:
    """Refuse bots of these runtimes if some of them would find no host for a table of `seats`.

    Raises Refused. A runtime that no host has is left out: its bots wait for a host.
    """
    hosts = by_runtime(session)
    hosted = sorted(hosts.keys() & set(runtimes))
    for some in combinations(hosted, min(seats, len(hosted))):
        if not take_all(hosts[name] for name in some):
            raise Refused(
                "no host of this ladder has the runtimes of all these bots: %(runtimes)s",
                runtimes=", ".join(some),
            )


def is_there(at: datetime) -> ColumnElement[bool]:
    """Return the condition that a host took work at a time by the database's clock."""
    return _seen(literal(at - SILENT, Timestamp))


def _seen(since: ColumnElement[datetime]) -> ColumnElement[bool]:
    return and_(HostRow.seen_at > since, HostRow.draining.is_(False), HostRow.trouble.is_(None))


# Built once: to build a statement takes longer than to execute it.
_LANES: Final = (
    select(HostRow.lanes).where(_seen(bindparam("since", type_=Timestamp))).order_by(HostRow.name)
)
_LOCKED: Final = _LANES.with_for_update(key_share=True)
