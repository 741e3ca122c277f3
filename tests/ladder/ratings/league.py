"""Random histories of a ladder: results, ties, faults, tributes, new versions, annulments, pins."""

from random import Random

from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots import reach, versions
from ladder.errors import Refused
from ladder.jobs import attempts
from ladder.matches import misses, results
from ladder.matches.job import MATCHES
from ladder.matches.results import Result, SeatResult
from ladder.model import Bot, Debt, Match, MatchKind, User, now
from ladder.operating import match_control
from ladder.people.accounts import Account
from ladder.ratings import ledger
from tests.ladder.league import LEASE, NAMES

Sessions = sessionmaker[Session]


def organiser(session: Session) -> Account:
    """The account of an organiser, made where needed; committed."""
    found = session.scalars(select(User).where(User.name == "organiser")).one_or_none()
    if found is None:
        found = User(name="organiser", role="organiser", created_at=now(session))
        session.add(found)
    session.commit()
    return Account(found.id, found.name, found.role)


def random_result(rng: Random, seats: int) -> Result:
    """Ranks with ties, faults, tributes, ranked as it comes: the ladder takes the ranks as told."""
    done = tuple(
        SeatResult(rng.randint(1, seats), 10, rng.choice(("timeout", None, None, None)))
        for _ in range(seats)
    )
    pairs = [(taker, giver) for taker in range(seats) for giver in range(seats) if taker != giver]
    tributes = tuple((*pair, rng.randint(1, 3)) for pair in pairs if rng.random() < 0.4)
    return Result(done, "ships", b"replay", tributes)


def something_happens(sessions: Sessions, rng: Random, account: Account, ids: list[int]) -> None:
    """A result, or now and then one of the other entries of the ledger."""
    match rng.randrange(30):
        case 0:
            _renew(sessions, rng)
        case 1 | 3:
            _annul(sessions, rng, account)
        case 2 if rng.random() < 0.2:
            with sessions.begin() as session:
                ledger.lock(session)
                ledger.pin(session, rng.choice(_bot_ids(session)))
        case 4:
            _miss(sessions, rng, ids)
        case _:
            _play(sessions, rng, ids)


def _play(sessions: Sessions, rng: Random, ids: list[int]) -> None:
    with sessions.begin() as session:
        claim = attempts.claim(
            session, MATCHES, rng.choice(ids), f"worker {rng.random()}", lease=LEASE
        )
    if claim is not None:
        with sessions.begin() as session:
            results.finish(session, claim, random_result(rng, len(claim.players)))


def _miss(sessions: Sessions, rng: Random, ids: list[int]) -> None:
    """A bot refuses a rated match, as one of the ladder, for the third time."""
    with sessions.begin() as session:
        worker = f"worker {rng.random()}"
        claim = attempts.claim(session, MATCHES, rng.choice(ids), worker, lease=LEASE)
        match = session.get_one(Match, claim.match_id) if claim is not None else None
        if claim is None or match is None or not match.rated:
            return
        match.kind, match.tournament_id = MatchKind.LADDER, None
        seat = rng.randrange(match.seats)
        debtor = claim.players[seat]
        session.add(
            Debt(
                match_id=match.id, bot_id=debtor.bot_id, since=now(session), misses=misses.MOST - 1
            )
        )
    with sessions.begin() as session:
        misses.not_accepted(session, claim, seat, misses.MissedCall("No.", answered=True))
    with sessions.begin() as session:
        reach.online(session, debtor.version_id)


def _renew(sessions: Sessions, rng: Random) -> None:
    """A version takes over, at times one that was superseded; queued matches keep the old one."""
    with sessions.begin() as session:
        version = rng.choice(("1", "2", "3"))
        versions.register(
            session, name=rng.choice(NAMES), author="compay", address="host:1", version=version
        )


def _annul(sessions: Sessions, rng: Random, account: Account) -> None:
    with sessions.begin() as session:
        finished = select(Match.id).where(Match.state == "finished").order_by(Match.id)
        match_ids = session.scalars(finished).all()
    if match_ids:
        chosen = rng.choice(match_ids)
        with sessions.begin() as session:
            try:
                match_control.annul(session, account, chosen, f"lots, drawn as {rng.random()}")
            except Refused:
                session.rollback()


def _bot_ids(session: Session) -> list[int]:
    return list(session.scalars(select(Bot.id)))
