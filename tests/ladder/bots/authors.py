"""Authors and their submissions, for the tests of bots."""

import re

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.bots import checking, submitting, versions
from ladder.bots.checking import CHECKS
from ladder.bots.reports import CheckClaim, Report, ReportLine
from ladder.bots.submitting import Submission
from ladder.bots.versions import CHECK
from ladder.contests.tournaments import creating, lifecycle
from ladder.jobs import attempts, dispatch
from ladder.matches.job import MatchClaim
from ladder.matches.results import Result, SeatResult, finish
from ladder.model import Bot, Notice, User, Version, now
from ladder.people.accounts import Account
from ladder.wiring import KINDS
from referee.clock import Clock
from tests.ladder.league import claimed, match_ids

LEASE = 60.0
SECRET = "0123456789abcdef"
GOOD = Report(True, (ReportLine("accept", "It accepts.", "passed", None, "", 0.1),))
BAD = Report(False, (ReportLine("accept", "It accepts.", "failed", "closed", "It hung up.", 0.1),))


def author(session: Session, name: str = "ana") -> Account:
    user = User(name=name, role="author", created_at=now(session))
    session.add(user)
    session.commit()
    return Account(user.id, user.name, user.role)


def submitted(
    session: Session, account: Account, name: str = "zorro", version: str = "1"
) -> Submission:
    """A bot with an address; committed."""
    made = submitting.submit(
        session, account, name=name, version=version, address="bot.example:443", secret=SECRET
    )
    session.commit()
    return made


def house_bot(session: Session, name: str = "random", address: str = "unix:/nowhere") -> int:
    """A house bot; committed."""
    made = versions.register(session, name=name, author="arena", address=address, version="1")
    session.get_one(Bot, made.id).house = True
    session.commit()
    return made.id


def claimed_check(session: Session, version_id: int) -> CheckClaim:
    """A check that is due and claimed; committed."""
    assert version_id in checks_due(session, message_age=0.0)
    session.commit()
    found = attempts.claim(session, CHECKS, version_id, "tester", lease=LEASE)
    session.commit()
    assert found is not None
    return found


def checked(session: Session, version_id: int, report: Report = GOOD) -> None:
    """A version whose check is over; committed."""
    checking.finish(session, claimed_check(session, version_id), report)
    session.commit()


def tended(session: Session) -> None:
    """As the scheduler does it again and again."""
    checks_due(session)


def checks_due(session: Session, message_age: float = 60.0) -> list[int]:
    """The versions whose check needs a message, when the scheduler has done its duties."""
    attempts.reap(session, CHECKS)
    session.commit()
    checking.tend(session)
    session.commit()
    found = dispatch.due(session, KINDS, CHECK, limit=9, message_age=message_age)
    session.commit()
    return found


def active(
    session: Session, account: Account, name: str = "zorro", version: str = "1"
) -> Submission:
    """A bot that has come through all: there are no house bots, so no trial."""
    made = submitted(session, account, name, version)
    checked(session, made.version_id)
    assert state(session, made.version_id) == "active"
    return made


def more_versions(session: Session, bot_id: int, count: int) -> None:
    """Rejected versions, named on from 2; committed."""
    session.add_all(
        Version(
            bot_id=bot_id,
            name=str(number),
            address="bot.example:443",
            state="rejected",
            created_at=now(session),
        )
        for number in range(2, count + 2)
    )
    session.commit()


def state(session: Session, version_id: int) -> str:
    found = session.get_one(Version, version_id, populate_existing=True).state
    session.commit()
    return found


def bot_row(session: Session, bot_id: int) -> Bot:
    found = session.get_one(Bot, bot_id, populate_existing=True)
    session.commit()
    return found


def playing(session: Session, bot_id: int) -> Version:
    """The bot's active version, or its newest one before that, as it is now."""
    newest = Version.active.desc(), Version.id.desc()
    query = select(Version).where(Version.bot_id == bot_id).order_by(*newest).limit(1)
    found = session.scalars(query, execution_options={"populate_existing": True}).one()
    session.commit()
    return found


def notices(session: Session, account: Account) -> list[str]:
    """What the account was told, oldest first, but for accepted versions and tournaments."""
    query = select(Notice.sentence).where(Notice.user_id == account.id).order_by(Notice.id)
    found = list(session.scalars(query))
    session.commit()
    return [
        sentence
        for sentence in found
        if not re.match(r"\S+ \S+ is now active\.|The tournament ", sentence)
    ]


def start_cup(session: Session, *bot_ids: int, seats: int = 2, clock: Clock | None = None) -> int:
    """A running tournament; committed, its id."""
    clock = clock or Clock()
    made = creating.create(
        session, None, name="Copa", seats=seats, bot_ids=bot_ids, deals=1, clock=clock, seed=1
    )
    lifecycle.start(session, made.id)
    session.commit()
    return made.id


def newest_claim(session: Session) -> MatchClaim:
    newest = match_ids(session)[-1]
    session.commit()
    return claimed(session, newest)


def played(session: Session, claim: MatchClaim, *, faulty: int | None = None) -> None:
    """The match is over; the seat of this bot, if any, has faulted. Committed."""
    seats = tuple(
        SeatResult(len(claim.players), None, "timeout", "It took too long.")
        if player.bot_id == faulty
        else SeatResult(1, 30)
        for player in claim.players
    )
    finish(session, claim, Result(seats, "ships", b"replay"))
    session.commit()
