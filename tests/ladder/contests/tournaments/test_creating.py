from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, text
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots import versions
from ladder.contests.formats import Format
from ladder.contests.tournaments import creating, lifecycle, lookup
from ladder.contests.tournaments.lookup import Entrant, MatchCounts
from ladder.errors import Forbidden, Invalid, NotFound, Refused
from ladder.model import Bot, BotState, Deal, Match, Seat, Version, VersionState
from ladder.people.accounts import audit_records
from tests.ladder.contests.tournaments.cups import CLOCK, create
from tests.ladder.databases import meanwhile, on_postgresql, on_sqlite
from tests.ladder.league import NAMES, claimed, host, match_ids, register_bots
from tests.ladder.people.people import sign_up


@on_sqlite
def test_all_matches_are_rows_before_the_first_is_played(session: Session) -> None:
    made = create(session)
    assert (made.state, made.total, made.settled, made.finished) == ("created", 24, 0, 0)
    assert lookup.progress(session, made.id) == MatchCounts(24, 24, 0, 0, 0, 0)
    assert len(match_ids(session)) == 24


@on_postgresql
def test_the_planner_knows_of_many_new_matches(session: Session) -> None:
    """Else it dispatches them by plans for empty tables, which take longer than a statement may."""
    matches = create(session, deals=25).total
    sizes = "SELECT reltuples FROM pg_class WHERE relname IN ('jobs', 'matches', 'seats')"
    assert sorted(session.scalars(text(sizes))) == [matches, matches, 3 * matches]


def test_a_deal_is_one_layout_in_every_rotation(session: Session) -> None:
    create(session)
    rotations = session.execute(select(Match.deal_id, Match.rotation)).all()
    deals = session.scalars(select(Deal)).all()
    assert len(deals) == len({deal.layout_seed for deal in deals}) == 8
    assert {tuple(row) for row in rotations} == {
        (deal.id, rotation) for deal in deals for rotation in range(3)
    }
    for deal in deals:
        tables = seats_of_deal(session, deal.id)
        assert [sorted(column) for column in zip(*tables, strict=True)] == [sorted(tables[0])] * 3


def test_the_clock_comes_to_every_match(session: Session) -> None:
    made = create(session)
    lifecycle.start(session, made.id)
    session.commit()
    assert claimed(session, match_ids(session)[0]).clock == CLOCK


def test_a_form_that_is_sent_twice_makes_one_tournament(
    sessions: sessionmaker[Session], session: Session
) -> None:
    ana, bots = sign_up(session, "ana", role="organiser"), register_bots(session, 3)
    session.commit()

    def sent(other: Session, deals: int = 1) -> int:
        return creating.create(
            other,
            ana,
            name="Copa",
            seats=3,
            bot_ids=bots,
            deals=deals,
            clock=CLOCK,
            same_within=timedelta(minutes=10),
        ).id

    first = sent(session)
    assert meanwhile(sessions, session, sent) == first
    assert sent(session, deals=2) > first


def test_the_same_seed_gives_the_same_tournament(session: Session) -> None:
    create(session, seed=7)
    create(session, seed=7)
    create(session, seed=8)
    layouts = [deal.layout_seed for deal in session.scalars(select(Deal).order_by(Deal.id))]
    assert layouts[:8] == layouts[8:16]
    assert layouts[:8] != layouts[16:]


def test_what_was_wished_for_is_kept(session: Session) -> None:
    ana = sign_up(session, role="organiser")
    made = create(session, ana, name=" Copa Oriente ", format="swiss", seats=2, deals=2, grace=60)
    assert (made.name, made.format, made.seats, made.deals) == ("Copa Oriente", "swiss", 2, 2)
    assert (made.rounds, made.round, made.total) == (3, 1, 24)
    assert (made.clock, made.grace, made.rated, made.organiser) == (CLOCK, 60.0, True, "ana")
    assert made == lookup.tournament(session, made.id)


def test_the_entry_list_fixes_the_versions(session: Session) -> None:
    ada, bela = register_bots(session, 2)
    made = create(session, seats=2, bot_ids=[bela, ada])
    versions.register(session, name="ada", author="compay", address="127.0.0.1:1", version="2")
    session.commit()
    assert lookup.entries(session, made.id) == (
        Entrant(1, bela, "bela", "compay", "1"),
        Entrant(2, ada, "ada", "compay", "1"),
    )
    of_ada = select(Version.name).join(Seat).where(Seat.bot_id == ada)
    assert set(session.scalars(of_ada)) == {"1"}


def test_in_a_gauntlet_the_first_bot_meets_all(session: Session) -> None:
    ids = register_bots(session, 6)
    made = create(session, format=Format.GAUNTLET, seats=3, bot_ids=ids[::-1], deals=2)
    assert made.total == 15
    tables = session.scalars(select(Match)).all()
    assert all(ids[-1] in [seat.bot_id for seat in match.table] for match in tables)


def test_of_a_swiss_tournament_the_first_round_is_made(session: Session) -> None:
    made = create(session, format=Format.SWISS, seats=2, count=6, deals=1, rounds=4)
    assert made.total == 24
    assert lookup.progress(session, made.id) == MatchCounts(24, 6, 0, 0, 0, 0)
    assert set(session.scalars(select(Match.round))) == {1}


def test_who_makes_it_is_in_the_audit(session: Session) -> None:
    ana = sign_up(session, role="organiser")
    made = create(session, ana)
    (entry,) = audit_records(session)
    assert (entry.actor, entry.action, entry.subject) == (
        "ana",
        "tournament created",
        f"tournament {made.id}",
    )


def test_authors_make_none(session: Session) -> None:
    with pytest.raises(Forbidden, match="only organisers"):
        create(session, sign_up(session))


@on_sqlite
@pytest.mark.parametrize(
    ("wish", "field", "why"),
    [
        ({"name": " "}, "name", "1 to 60 printable characters"),
        ({"name": "x" * 61}, "name", "1 to 60 printable characters"),
        ({"name": "x\ny"}, "name", "printable characters"),
        ({"format": "knockout"}, "format", "round_robin, swiss, gauntlet, not “knockout”"),
        ({"seats": 5}, "seats", "2, 3 or 4 seats, not 5"),
        ({"count": 2}, "bots", "at least 3 bots, not 2"),
        ({"bot_ids": [1, 2, 1]}, "bots", "listed twice"),
        ({"bot_ids": range(1, 130)}, "bots", "129 bots are more than the maximum of 128"),
        ({"deals": 0}, "deals", "1 to 1000, not 0"),
        ({"deals": 1001}, "deals", "1 to 1000, not 1001"),
        ({"rounds": 2}, "rounds", "only Swiss tournaments have rounds"),
        ({"format": "swiss", "rounds": 31}, "rounds", "1 to 30, not 31"),
        ({"grace": -1}, "grace", "0 to 86400 seconds"),
        ({"seed": -1}, "seed", "0 to 9223372036854775807"),
        (
            {"bot_ids": range(1, 101), "deals": 5},
            "deals",
            "24750 matches, more than the maximum of 20000",
        ),
        (
            {"format": "swiss", "rounds": 30, "deals": 1000},
            "deals",
            "use fewer deals, rounds or bots$",
        ),
    ],
)
def test_what_makes_no_tournament(
    session: Session, wish: dict[str, Any], field: str, why: str
) -> None:
    with pytest.raises(Invalid, match=why) as caught:
        create(session, **wish)
    assert caught.value.field == field


@on_sqlite
@pytest.mark.parametrize("grace", [0, 86_400])
def test_what_is_just_allowed(session: Session, grace: float) -> None:
    assert create(session, name="x" * 60, grace=grace).name == "x" * 60


def test_a_tournament_needs_bots_that_exist_and_play(session: Session) -> None:
    ids = register_bots(session, 3)
    session.commit()
    with pytest.raises(NotFound, match="there is no bot 98"):
        create(session, bot_ids=[*ids, 98])
    session.rollback()
    session.get_one(Bot, ids[0]).state = BotState.RETIRED
    session.commit()
    with pytest.raises(Refused, match=r"bot 1 \(ada\) is retired: leave it out"):
        create(session, bot_ids=ids)
    session.rollback()
    session.get_one(Bot, ids[0]).state = BotState.ACTIVE
    session.scalars(
        select(Version).where(Version.bot_id == ids[0])
    ).one().state = VersionState.TRIAL
    session.commit()
    with pytest.raises(Refused, match="no version that passed its check yet"):
        create(session, bot_ids=ids)


def seats_of_deal(session: Session, deal_id: int) -> list[tuple[int, ...]]:
    """The bots by seat in each match of a deal."""
    found = session.scalars(select(Match).where(Match.deal_id == deal_id))
    return [tuple(seat.bot_id for seat in match.table) for match in found]


def test_only_hosted_bots_enter_where_the_organiser_says_so(session: Session) -> None:
    bots = register_bots(session, 3)
    with pytest.raises(Refused, match=f"of their own: {', '.join(NAMES[:3])}. Leave them out"):
        create(session, bot_ids=bots, hosted_only=True)
    host(session, bots[:2])
    with pytest.raises(Refused, match=f"of their own: {NAMES[2]}. Leave them out"):
        create(session, bot_ids=bots, hosted_only=True)
    host(session, bots)
    made = create(session, bot_ids=bots, hosted_only=True)
    assert made.hosted_only
    assert lookup.tournament(session, made.id) == made
    assert not create(session, bot_ids=bots).hosted_only
