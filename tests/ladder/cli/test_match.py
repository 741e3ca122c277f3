"""`santiago match` on the database of a folder, or on a site."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from ladder.errors import Refused
from ladder.matches import reading
from ladder.people.accounts import audit_records
from tests.ladder.cli.terminal import fails, run
from tests.ladder.databases import new_ladder, session_on
from tests.ladder.league import claimed, finished, match_ids, ranked, start_tournament

NOWHERE = "http://127.0.0.1:9"
WHY = ("--reason", "The host stood still.")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with session_on(new_ladder(tmp_path / "ladder.db")) as session:
        start_tournament(session, count=2)
        session.commit()
        yield session


def test_the_operator_corrects_matches_without_a_site(session: Session, tmp_path: Path) -> None:
    first, second = match_ids(session)
    finished(session, first, ranked(1, 2))
    claimed(session, second)
    session.commit()
    for word, match_id, done in (
        ("annul", first, "is annulled: it counts nowhere any more, and its replay stays"),
        ("requeue", second, "waits to be played anew"),
        ("cancel", second, "is cancelled"),
    ):
        where = {"SANTIAGO_DATA": str(tmp_path), "SANTIAGO_SITE": NOWHERE}
        result = run("match", word, str(match_id), *WHY, **where)
        assert result.output == f"Match {match_id} {done}.\n"
    annulled, cancelled = reading.match(session, first), reading.match(session, second)
    assert (annulled.annul_reason, cancelled.state) == (WHY[1], "cancelled")
    assert cancelled.reason == f"The operator cancelled it: {WHY[1]}"
    records = [(one.actor, one.action, one.reason) for one in audit_records(session, limit=3)]
    assert records == [(None, word, WHY[1]) for word in ("cancel", "requeue", "annul")]


def test_the_operator_is_told_why_not(session: Session, tmp_path: Path) -> None:
    match_id, where = str(match_ids(session)[0]), ("--data", str(tmp_path))
    assert "only finished matches can be annulled" in fails(
        "match", "annul", match_id, *WHY, *where
    )
    assert "There is no match 999." in fails("match", "cancel", "999", *WHY, *where)
    assert "Give a reason" in fails("match", "cancel", match_id, "--reason", " ", *where)
    too_large = fails("match", "cancel", f"{2**64}", *WHY, *where, code=2)
    assert "18446744073709551616 is not in the range" in too_large


def test_a_site_that_is_typed_wins_over_a_folder(session: Session, tmp_path: Path) -> None:
    match_id, where = str(match_ids(session)[0]), ("--data", str(tmp_path), "--site", NOWHERE)
    assert f"{NOWHERE} can't be reached" in fails("match", "cancel", match_id, *WHY, *where)
    assert reading.match(session, int(match_id)).state == "queued"


def test_without_both_it_is_the_site_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.cli.client.SiteClient.from_environment", _refuse)
    assert "http://127.0.0.1:8000 was asked" in fails("match", "cancel", "1", *WHY)


def _refuse(url: str) -> None:
    raise Refused("%(url)s was asked", url=url)
