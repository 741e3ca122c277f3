"""Transactions that want the same rows at the same time: none waits for another in a circle.

The second one begins in the middle of the first, and goes on until it waits or is over.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from random import Random

import pytest
from sqlalchemy import Engine, event, select, text, update
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.bots import availability, hosts, submitting, versions
from ladder.contests import challenges, matchmaking
from ladder.contests.tournaments import lifecycle
from ladder.errors import Refused
from ladder.jobs import attempts, workers
from ladder.matches import lanes, results
from ladder.matches.job import MATCHES
from ladder.model import Bot, HostRow, SignIn, User, Version
from ladder.operating import match_control
from ladder.people import signing, tickets
from ladder.people.accounts import Account
from ladder.ratings import ledger
from referee.wire.host_pb2 import StatusResponse
from tests.e2e.processes import until
from tests.ladder.bots.authors import active, author, start_cup, submitted
from tests.ladder.contests.tournaments.cups import play, queued, running_cup
from tests.ladder.databases import on_postgresql, waits
from tests.ladder.league import LEASE, claimed, match_ids, ranked

pytestmark = on_postgresql
Sessions = sessionmaker[Session]
PASSWORD = "correct horse battery"
_BY_INDEX = "SET enable_seqscan = off; SET enable_bitmapscan = off"
"""As it is with many bots: those of an author come by name if no order is asked for."""


@contextmanager
def meanwhile(
    sessions: Sessions, when: str, statement: str, deed: Callable[[Session], object]
) -> Iterator[None]:
    """`when` ("before" or "after") a statement that begins so is first executed, do the deed."""
    engine = sessions.kw["bind"]
    assert isinstance(engine, Engine)
    once = iter([True])  # the deed may execute the statement, too, even before `begun` has it
    begun: list[Future[None]] = []

    def do() -> None:
        with sessions() as session:
            deed(session)
            session.commit()

    def executed(conn: object, cursor: object, executed: str, *_: object) -> None:
        if executed.startswith(statement) and next(once, False):
            begun.append(pool.submit(do))
            until(lambda: begun[0].done() or waits(sessions))

    with ThreadPoolExecutor(1) as pool:
        event.listen(engine, f"{when}_cursor_execute", executed)
        try:
            yield
        finally:
            event.remove(engine, f"{when}_cursor_execute", executed)
        begun[0].result(60)


def leaver(session: Session) -> Account:
    """An account with a password; committed."""
    made = signing.sign_up(session, name="leaver", password=PASSWORD)
    session.commit()
    return made


def test_hosts_are_noted_while_a_match_of_hosted_bots_is_claimed(sessions: Sessions) -> None:
    answers = StatusResponse(processors=2, most_sandboxes=8)
    with sessions.begin() as session:
        hosts.note(session, {"a:1": answers, "b:1": answers})
    with sessions.begin() as session:  # gone for whoever asks it, there for who claims
        seen = model.now(session) - timedelta(seconds=15)
        session.execute(update(HostRow).where(HostRow.name == "a:1").values(seen_at=seen))
    claim = meanwhile(sessions, "before", "UPDATE hosts", lambda one: lanes.party(one, lock=True))
    with claim, sessions.begin() as session:
        hosts.note(session, {"b:1": answers, "a:1": None})


def test_an_author_leaves_while_a_match_of_two_own_bots_is_claimed(sessions: Sessions) -> None:
    with sessions() as session:
        own = leaver(session)
        first, second = active(session, own).bot_id, active(session, own, "otra").bot_id
        start_cup(session, first, second)
        match_id = match_ids(session)[0]
        session.commit()

    def claim(session: Session) -> None:
        attempts.claim(session, MATCHES, match_id, "tester", lease=LEASE)

    with sessions.kw["bind"].connect() as connection:
        connection.execute(text(_BY_INDEX))
        connection.commit()
        claimed_then = meanwhile(sessions, "after", "UPDATE bots", claim)
        with claimed_then, sessions(bind=connection) as session:
            availability.leave(session, own, password=PASSWORD)
            session.commit()


def test_an_author_leaves_while_the_ladder_makes_matches(sessions: Sessions) -> None:
    with sessions() as session:
        own = leaver(session)
        workers.beat(session, "tester", places=20)
        for name in "ab":
            bot_id = active(session, own, name).bot_id
            token = update(Bot).where(Bot.id == bot_id).values(gateway_token_hash=f"{bot_id:064}")
            session.execute(token)
        for name in "cdef":
            active(session, author(session, f"of-{name}"), name)

    def make(session: Session) -> None:
        matchmaking.top_up(session, rng=Random(2))

    with meanwhile(sessions, "after", "UPDATE bots", make), sessions() as session:
        availability.leave(session, own, password=PASSWORD)
        session.commit()


def before_second_round(session: Session) -> tuple[int, Bot]:
    """Play the first round of a Swiss; return its number and one of its bots."""
    cup = running_cup(session, format="swiss", count=4, rounds=2)
    for match_id in queued(session, cup):
        play(session, match_id)
    bot = session.scalars(select(Bot).order_by(Bot.id)).first()
    assert bot is not None
    return cup, bot


def test_a_bot_behind_the_gateway_retires_while_its_next_round_is_made(sessions: Sessions) -> None:
    with sessions() as session:
        cup, bot = before_second_round(session)
        bot.gateway_token_hash = "0" * 64
        session.commit()
        own, bot_id = Account(bot.user_id, "compay", "author"), bot.id

    def retire(session: Session) -> None:
        availability.retire(session, own, bot_id)

    with meanwhile(sessions, "after", "INSERT INTO seats", retire), sessions.begin() as session:
        assert lifecycle.go_on(session, cup) == 4


def test_a_bot_gets_its_first_token_while_it_pauses_and_its_next_round_is_made(
    sessions: Sessions,
) -> None:
    with sessions() as session:
        cup, bot = before_second_round(session)
        own, bot_id, name = Account(bot.user_id, "compay", "author"), bot.id, bot.name
        session.commit()

    def submit() -> None:
        with sessions.begin() as session:
            submitting.submit(session, own, name=name, version="2", address=None)

    def pause(session: Session) -> None:
        ledger.lock(session)
        with ThreadPoolExecutor(1) as pool:
            submission = pool.submit(submit)
            until(lambda: submission.done() or waits(sessions))
            availability.pause(session, own, bot_id)
            session.commit()
            submission.result(60)

    with meanwhile(sessions, "after", "INSERT INTO seats", pause), sessions.begin() as session:
        assert lifecycle.go_on(session, cup) == 4


def test_a_bot_is_suspended_while_it_challenges(sessions: Sessions) -> None:
    with sessions() as session:
        ana = author(session)
        own = active(session, ana).bot_id
        other = active(session, author(session, "bea"), "otra").bot_id
        start_cup(session, own, other)
        session.execute(update(Version).where(Version.bot_id == own).values(faulted_in_a_row=4))
        session.commit()
        held = claimed(session, match_ids(session)[0])
    faults = ["timeout" if player.bot_id == own else None for player in held.players]

    def challenge(session: Session) -> None:
        with pytest.raises(Refused):
            challenges.challenge(session, ana, own, [other])

    challenged = meanwhile(sessions, "before", "INSERT INTO notices", challenge)
    with challenged, sessions.begin() as session:
        results.finish(session, held, ranked(1, 2, faults=faults))


def test_a_match_is_cancelled_while_its_result_is_written(sessions: Sessions) -> None:
    with sessions() as session:
        start_cup(session, *(active(session, author(session, name)).bot_id for name in ("a", "b")))
        held = claimed(session, match_ids(session)[0])

    def cancel(session: Session) -> None:
        with pytest.raises(Refused, match="is finished: there is nothing to cancel"):
            match_control.cancel(session, Account(1, "a", "admin"), held.match_id, "stuck")

    cancelled = meanwhile(sessions, "before", "UPDATE matches", cancel)
    with cancelled, sessions.begin() as session:
        results.finish(session, held, ranked(1, 2))


def test_the_last_token_is_made_while_it_is_made(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tickets, "MAX_TOKENS", 1)
    with sessions() as session:
        own = leaver(session)

    def make(session: Session) -> None:
        tickets.make_token(session, own, name="laptop", scopes=["read"])

    def make_no_other(session: Session) -> None:
        with pytest.raises(Refused, match="you already have 1 tokens"):
            make(session)

    other = meanwhile(sessions, "before", "INSERT INTO api_tokens", make_no_other)
    with other, sessions.begin() as session:
        make(session)


def test_a_password_is_changed_while_another_one_signs_in(sessions: Sessions) -> None:
    with sessions() as session:
        own = leaver(session)
        bea = signing.sign_up(session, name="bea", password=PASSWORD)
        over = model.now(session) - timedelta(days=1)
        for who in (bea, own):
            secret = f"{who.id:064}"
            row = SignIn(secret_hash=secret, user_id=who.id, created_at=over, expires_at=over)
            session.add(row)
            session.commit()

    def sign_in(session: Session) -> None:
        signing.sign_in(session, name="bea", password=PASSWORD)

    clean_up = "DELETE FROM sign_ins WHERE sign_ins.secret_hash"
    with meanwhile(sessions, "before", clean_up, sign_in), sessions() as session:
        signing.change_password(session, own, old=PASSWORD, new="another horse battery")
        session.commit()


def test_other_browsers_are_signed_out_while_another_one_signs_in(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signing, "MOST_BROWSERS", 1)
    with sessions() as session:
        own = leaver(session)
        at = model.now(session)
        for number, days in enumerate((1, -1)):  # one that lasts, then one that is over
            over = at + timedelta(days=days)
            session.add(
                SignIn(secret_hash=f"{number:064}", user_id=own.id, created_at=at, expires_at=over)
            )
            session.commit()

    def sign_out(session: Session) -> None:
        signing.sign_out_elsewhere(session, own, "this browser")

    clean_up = "DELETE FROM sign_ins WHERE sign_ins.user_id"
    with meanwhile(sessions, "before", clean_up, sign_out), sessions() as session:
        signing.sign_in(session, name="leaver", password=PASSWORD)
        session.commit()


def test_the_operator_registers_a_bot_while_its_author_submits_it(sessions: Sessions) -> None:
    with sessions() as session:
        own = author(session)

    def submit(session: Session) -> None:
        submitted(session, own, "zorro", "2")

    with meanwhile(sessions, "before", "INSERT INTO bots", submit), sessions.begin() as session:
        made = versions.register(
            session, name="zorro", author=own.name, address="bot.example:443", version="1"
        )
    with sessions() as session:
        rows = session.execute(select(Version.bot_id, Version.name).order_by(Version.id)).all()
    assert [tuple(row) for row in rows] == [(made.id, "1"), (made.id, "2")]


def test_the_operator_registers_a_bot_while_its_author_signs_up(sessions: Sessions) -> None:
    with meanwhile(sessions, "after", "SELECT users", leaver), sessions.begin() as session:
        versions.register(
            session, name="zorro", author="leaver", address="bot.example:443", version="1"
        )
    with sessions() as session:
        assert signing.sign_in(session, name="leaver", password=PASSWORD)
        names = session.scalars(select(Bot.name).join(Bot.user).where(User.name == "leaver"))
        assert names.all() == ["zorro"]
