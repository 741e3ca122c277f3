"""Small leagues for the tests of the ladder: bots, a tournament, and results made by hand."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots import versions
from ladder.bots.hosts import Hosts
from ladder.contests.tournaments import creating, lifecycle
from ladder.jobs import attempts
from ladder.matches import reading, results
from ladder.matches.job import MATCHES, MatchClaim
from ladder.matches.results import Result, SeatResult
from ladder.matches.states import JOB
from ladder.model import (
    Blob,
    BlobKind,
    Bot,
    Job,
    Match,
    MatchState,
    User,
    Version,
    VersionState,
    now,
    write,
)
from referee.clock import Clock
from referee.ways import HOSTED_PREFIX

NAMES = ("ada", "bela", "caro", "dora", "ezra", "fela")
LEASE = 60.0
PACKAGE, BUNDLE = "0" * 64, "1" * 64
SLOTS = 100
NO_HOSTS = Hosts(sessionmaker(), ())


@dataclass(frozen=True)
class NewBot:
    """A bot that nobody has registered yet."""

    name: str
    author: str
    address: str


def add_bots(session: Session, bots: Sequence[NewBot], slots: int | None = None) -> list[int]:
    """Bots as `versions.register` leaves them, which takes a dozen statements for each."""
    write(session)
    at = now(session)
    authors = {bot.author for bot in bots}
    known = session.scalars(select(User).where(User.name.in_(authors)))
    users = {user.name: user for user in known}
    users |= {name: User(name=name, created_at=at) for name in sorted(authors - users.keys())}
    session.add_all(users.values())
    session.flush()
    rows = [Bot(name=bot.name, user_id=users[bot.author].id, created_at=at) for bot in bots]
    session.add_all(rows)
    session.flush()
    active = {"state": VersionState.ACTIVE, "activated_at": at}
    active |= {} if slots is None else {"slots": slots}
    session.add_all(
        Version(bot_id=row.id, name="1", address=bot.address, created_at=at, **active)
        for row, bot in zip(rows, bots, strict=True)
    )
    session.flush()
    return [row.id for row in rows]


def register_bots(session: Session, count: int) -> list[int]:
    """Bots with slots for all the matches that a test plays at the same time."""
    new = [
        NewBot(name, "compay", f"127.0.0.1:{5000 + index}")
        for index, name in enumerate(NAMES[:count])
    ]
    if session.scalar(select(Bot.id).where(Bot.name.in_(NAMES)).limit(1)) is None:
        return add_bots(session, new, SLOTS)
    found = [
        versions.register(
            session, name=bot.name, author=bot.author, version="1", address=bot.address
        ).id
        for bot in new
    ]
    session.execute(update(Version).where(Version.bot_id.in_(found)).values(slots=SLOTS))
    return found


def host(session: Session, bot_ids: Sequence[int]) -> None:
    """Make the bots' active versions hosted ones, as if they had been uploaded."""
    for kind, sha256 in ((BlobKind.PACKAGE, PACKAGE), (BlobKind.BUNDLE, BUNDLE)):
        session.merge(Blob(sha256=sha256, size=1, kind=kind, created_at=now(session)))
    session.flush()
    own = Version.bot_id.in_(bot_ids), Version.active
    for version in session.scalars(select(Version).where(*own)):
        version.package, version.bundle, version.runtime = PACKAGE, BUNDLE, "python"
        version.address = f"{HOSTED_PREFIX}{version.id}"
    session.commit()


def start_tournament(
    session: Session, *, seats: int = 2, count: int = 2, deals: int = 1, rated: bool = True
) -> int:
    """Bots and a running tournament between them, committed; the tournament's id."""
    bot_ids = register_bots(session, count)
    made = creating.create(
        session,
        None,
        name="Copa",
        seats=seats,
        bot_ids=bot_ids,
        deals=deals,
        clock=Clock(),
        seed=1,
        rated=rated,
    )
    lifecycle.start(session, made.id)
    session.commit()
    return made.id


def match_ids(session: Session) -> list[int]:
    return list(session.scalars(select(Match.id).order_by(Match.id)))


def states(session: Session) -> list[MatchState]:
    """Of all matches, in the order of their ids."""
    found = [session.get_one(Match, id, populate_existing=True).state for id in match_ids(session)]
    session.commit()
    return found


def first_match(session: Session, *, seats: int = 2, count: int = 2) -> int:
    """The first match of a new tournament."""
    start_tournament(session, seats=seats, count=count)
    first = match_ids(session)[0]
    session.commit()
    return first


def claimed(session: Session, match_id: int, *, lease: float = LEASE) -> MatchClaim:
    """A claim that must succeed, committed."""
    claim = attempts.claim(session, MATCHES, match_id, "tester", lease=lease)
    session.commit()
    assert claim is not None
    return claim


def ranked(*ranks: int, faults: Sequence[str | None] | None = None) -> Result:
    """The result of a match that ended by ships; a better rank has more VP."""
    codes = faults or [None] * len(ranks)
    seats = [SeatResult(rank, 40 - rank, code) for rank, code in zip(ranks, codes, strict=True)]
    return Result(tuple(seats), "ships", b"replay")


def finished(session: Session, match_id: int, result: Result) -> int:
    """Claim and finish, committed; the result's number."""
    number = results.finish(session, claimed(session, match_id), result)
    session.commit()
    return number


def ranks_by_bot(session: Session, match_id: int, ranks: dict[int, int]) -> Result:
    """A result in which the bots have these ranks, wherever they sit."""
    return ranked(*(ranks[seat.bot_id or 0] for seat in reading.match(session, match_id).seats))


def force_lease_end(session: Session, match_id: int) -> None:
    """As if the lease had passed a moment ago."""
    set_job(session, match_id, lease_until=session.get_one(Match, match_id).created_at)


def job_of(session: Session, match_id: int) -> Job:
    """The job of a match that waits or is played, as it is now."""
    found = session.get_one(Job, (JOB, match_id), populate_existing=True)
    session.commit()
    return found


def set_job(session: Session, match_id: int | None = None, **values: object) -> None:
    """Change the job of a match, or those of all, behind the machine's back; committed."""
    which = update(Job).where(Job.kind == JOB)
    if match_id is not None:
        which = which.where(Job.subject == match_id)
    session.execute(which.values(**values), execution_options={"synchronize_session": False})
    session.commit()


def as_kind(session: Session, kind: str) -> None:
    """Make all matches of the tournaments matches of another kind, which stand alone; committed."""
    session.execute(update(Match).values(kind=kind, tournament_id=None))
    set_job(session, queue=kind)
