"""A database in which faults, slots and presence were those of bots: they go to the versions."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, MetaData, select, text
from sqlalchemy.orm import Session

from ladder import model
from ladder.model import Bot, Holding, Joined, Version
from tests.ladder.databases import session_on

AT = datetime.now(UTC)
EARLIER = AT - timedelta(hours=1)
HOUSE, FAULTY, BARRED, AUTHORS, FAR = range(1, 6)
REASON = "It faulted in 5 rated matches in a row; see its log. Resume it when this is fixed."


def bot(number: int, **values: object) -> dict[str, Any]:
    row = {"id": number, "user_id": 1, "name": f"bot {number}", "created_at": AT, "slots": 2}
    states = {"state": "active", "pause_reason": None, "barred": False, "faulted_in_a_row": 0}
    away = {"offline_since": None, "unreached_since": None, "probe_at": None}
    return row | states | away | {"joined_version": None, "joined_slots": None, **values}


def version(number: int, bot_id: int, state: str, **values: object) -> dict[str, Any]:
    row = {"id": number, "bot_id": bot_id, "name": "1", "address": "bot.example:443"}
    return row | {"state": state, "created_at": AT, "slots": None, **values}


ROWS: dict[str, list[dict[str, Any]]] = {
    "users": [{"id": 1, "name": "ana", "role": "author", "created_at": AT}],
    "bots": [
        bot(HOUSE, slots=16, offline_since=EARLIER, unreached_since=EARLIER, probe_at=AT),
        bot(FAULTY, state="paused", pause_reason=REASON, faulted_in_a_row=5),
        bot(BARRED, state="paused", pause_reason="It faulted in my view", barred=True),
        bot(AUTHORS, state="paused"),
        bot(FAR, slots=7, joined_version="2 beta", joined_slots=7),
    ],
    "versions": [
        version(1, HOUSE, "active"),
        version(2, FAULTY, "superseded", slots=9),
        version(3, FAULTY, "active", name="2", slots=4),
        version(4, BARRED, "active"),
        version(5, AUTHORS, "active"),
        version(6, FAR, "superseded", address="gateway:5"),
        version(7, FAR, "active", name="2 beta", address="gateway:5"),
        version(8, FAR, "rejected", name="3", address="gateway:somebody"),
    ],
    "deals": [{"id": 1, "layout_seed": 1}],
    "matches": [
        {
            **{"id": 1, "deal_id": 1, "rotation": 0, "kind": "ladder", "seats": 2, "attempt": 1},
            **{"state": "running", "rated": True, "created_at": AT, "move_limit_ms": 10_000},
            **{"bank_ms": 60_000, "increment_ms": 500, "interruptions": 0, "unreached": 0},
            "interruptions_alone": 0,
        }
    ],
    "seats": [
        {"match_id": 1, "seat": 0, "bot_id": FAULTY, "version_id": 3},
        {"match_id": 1, "seat": 1, "bot_id": BARRED, "version_id": 4},
    ],
    "jobs": [
        {
            **{"kind": "match", "subject": 1, "queue": "ladder", "number": 1, "token": "t"},
            **{"worker": "w", "lease_until": AT, "alone": False},
        }
    ],
    "holdings": [
        {"kind": "match", "subject": 1, "party": party, "holds": True}
        for party in (FAULTY, BARRED)  # the version of one has the number of the other
    ],
}


def fill(connection: Connection) -> None:
    tables = MetaData()
    tables.reflect(connection, only=list(ROWS))
    for name, rows in ROWS.items():
        connection.execute(tables.tables[name].insert(), rows)


@pytest.fixture(scope="module")
def filled_once(shared_empty_url: str) -> str:
    """The address of a database that was filled at r0019 and then upgraded."""
    model.upgrade(shared_empty_url, "r0019")
    engine = model.engine(shared_empty_url)
    with engine.begin() as connection:
        fill(connection)
    engine.dispose()
    model.upgrade(shared_empty_url)
    return shared_empty_url


@pytest.fixture
def filled(filled_once: str, copied: Callable[[str], str]) -> str:
    """The address of a copy of it."""
    return copied(filled_once)


@pytest.fixture
def upgraded(filled: str) -> Iterator[Session]:
    with session_on(filled) as session:
        yield session


def test_versions_have_what_their_bots_had(upgraded: Session) -> None:
    versions = {one.id: one for one in upgraded.scalars(select(Version))}
    assert {number: one.slots for number, one in versions.items()} == {
        **{1: 16, 2: 9, 3: 2, 4: 2, 5: 2},
        **{6: 7, 7: 7, 8: 7},
    }
    house, faulty = versions[1], versions[3]
    assert (house.offline_since, house.unreached_since, house.probe_at) == (EARLIER, EARLIER, AT)
    assert (faulty.conduct, faulty.suspension, faulty.faulted_in_a_row) == ("suspended", REASON, 5)
    assert [one.id for one in versions.values() if one.conduct == "suspended"] == [3]
    states = {one.id: (one.state, one.pause_reason) for one in upgraded.scalars(select(Bot))}
    assert states == {
        **dict.fromkeys((HOUSE, FAULTY, FAR), ("active", None)),
        BARRED: ("paused", "It faulted in my view"),
        AUTHORS: ("paused", None),
    }


def test_addresses_behind_the_gateway_name_the_version(upgraded: Session) -> None:
    far = select(Version.address).where(Version.bot_id == FAR).order_by(Version.id)
    assert upgraded.scalars(far).all() == ["gateway:5/1", "gateway:5/2%20beta", "gateway:somebody"]
    joined = upgraded.scalars(select(Joined)).one()
    assert (joined.bot_id, joined.version, joined.slots) == (FAR, "2 beta", 7)


def test_matches_under_way_hold_slots_of_versions(upgraded: Session) -> None:
    assert set(upgraded.scalars(select(Holding.party))) == {3, 4}


def test_there_is_a_way_back(filled: str) -> None:
    model.downgrade(filled, "r0019")
    engine = model.engine(filled)
    with engine.connect() as connection:
        bots = connection.execute(
            text("SELECT id, state, slots, faulted_in_a_row, joined_version FROM bots ORDER BY id")
        ).all()
        far = connection.scalars(text("SELECT address FROM versions WHERE bot_id = 5 ORDER BY id"))
        assert far.all() == ["gateway:5", "gateway:5", "gateway:somebody"]
        assert set(connection.scalars(text("SELECT party FROM holdings"))) == {FAULTY, BARRED}
    engine.dispose()
    assert bots == [
        (HOUSE, "active", 16, 0, None),
        (FAULTY, "paused", 2, 5, None),
        (BARRED, "paused", 2, 0, None),
        (AUTHORS, "paused", 2, 0, None),
        (FAR, "active", 7, 0, "2 beta"),
    ]
    model.upgrade(filled)
