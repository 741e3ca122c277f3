"""Results and replays in bulk."""

import json
from base64 import b64decode
from datetime import datetime
from typing import Any

import pytest
from flask import Flask
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from ladder.bots import availability
from ladder.matches import results
from ladder.matches.results import Result, SeatResult
from ladder.operating import exports
from referee.replay import read, verify
from tests.web.accounts.visitors import PASSWORD
from tests.web.api.programs import API, Arena, Program, problem
from tests.web.arena import claim_next, play_next, tournament
from web.api.exports import ALL_PLACES, PLACES


def lines(answer: TestResponse) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The first line, and all others."""
    assert answer.mimetype == "application/x-ndjson"
    head, *rows = [json.loads(line) for line in answer.text.splitlines()]
    return head, rows


def test_results_in_the_order_of_their_numbers(
    stranger: Program, session: Session, arena: Arena
) -> None:
    play_next(session, arena.cup)
    head, rows = lines(stranger.get("/export/results"))
    assert head == {"schema": "santiago.results/1", "licence": "CC0-1.0", "after": 0, "limit": 1000}
    assert [row["result_number"] for row in rows] == [1, 2]
    one = rows[0]
    assert (one["kind"], one["tournament_id"], one["match_id"]) == ("tournament", 1, arena.match)
    assert (one["rated"], one["annulled"]) == (True, False)
    stored = exports.results(session, after=0, limit=1)[0]
    assert datetime.fromisoformat(one["finished_at"]) == stored.finished_at
    assert {seat["bot"] for seat in one["seats"]} == {"luz", "rey"}
    assert min(seat["rank"] for seat in one["seats"]) == 1
    assert {row["deal_id"] for row in rows} == {1}, "both rotations of the one layout"
    assert not any("seed" in key for key in one), "no seed is told"


def test_going_on_after_a_number(stranger: Program, session: Session, arena: Arena) -> None:
    play_next(session, arena.cup)
    _, first = lines(stranger.get("/export/results", limit=1))
    _, second = lines(stranger.get("/export/results", limit=1, after=first[-1]["result_number"]))
    _, third = lines(stranger.get("/export/results", limit=1, after=second[-1]["result_number"]))
    assert [len(part) for part in (first, second, third)] == [1, 1, 0]
    assert first[0]["match_id"] != second[0]["match_id"]


def test_more_than_one_piece(
    stranger: Program, session: Session, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pieces are read one by one, here of 10 results."""
    monkeypatch.setattr("web.api.exports._PIECE", 10)
    cup = tournament(session, arena.bots, deals=6)
    table = (SeatResult(1, 30), SeatResult(2, 20))
    for _ in range(11):
        results.finish(session, claim_next(session, cup), Result(table, "ships", b"no game"))
    session.commit()
    _, rows = lines(stranger.get("/export/results"))
    assert [row["result_number"] for row in rows] == list(range(1, 13))
    assert len({row["match_id"] for row in rows}) == 12


def test_a_slow_reader_holds_no_connection(
    app: Flask, stranger: Program, session: Session, arena: Arena
) -> None:
    pool = app.extensions["santiago.sessions"].kw["bind"].pool
    answer = stranger.client.get(f"{API}/export/results", buffered=False)
    pieces = answer.iter_encoded()
    assert json.loads(next(pieces))["after"] == 0
    assert json.loads(next(pieces))["result_number"] == 1
    assert pool.checkedout() == 0
    assert list(pieces) == []


def reading(program: Program, address: str, count: int) -> list[TestResponse]:
    """Answers to somebody at this address who does not read them."""
    at = {"REMOTE_ADDR": address}
    path = f"{API}/export/results"
    return [program.client.get(path, buffered=False, environ_base=at) for _ in range(count)]


def lose_after(pieces: int, patch: pytest.MonkeyPatch) -> None:
    """Have the database answer for so many pieces of a result, then no more."""
    read, left = exports.results, iter(range(pieces))

    def lost(session: Session, *, after: int, limit: int) -> list[exports.ExportedResult]:
        if next(left, None) is None:
            raise OperationalError("SELECT", {}, Exception("server closed the connection"))
        return read(session, after=after, limit=limit)

    patch.setattr("web.api.exports._PIECE", 1)
    patch.setattr(exports, "results", lost)


def test_export_is_cut_where_the_database_is_lost(
    stranger: Program,
    arena: Arena,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Its reader learns that it is not whole; a sentence and no traceback is logged."""
    lose_after(1, monkeypatch)
    with stranger.client.get(f"{API}/export/results", buffered=False) as answer:
        pieces = answer.iter_encoded()
        assert json.loads(next(pieces))["schema"] == "santiago.results/1"
        assert json.loads(next(pieces))["result_number"] == 1
        with pytest.raises(ConnectionResetError):
            next(pieces)
    *_, line = caplog.records
    assert line.getMessage() == (
        f"{API}/export/results: cut, since the database does not answer: "
        "server closed the connection"
    )
    assert line.exc_info is None


def test_no_export_begins_while_the_database_is_away(
    stranger: Program, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody takes its first line for all that there is, and it takes no place from others."""
    lose_after(0, monkeypatch)
    for _ in range(PLACES + 1):
        answer = stranger.get("/export/results")
        assert problem(answer)[0] == 503
        assert answer.headers["Retry-After"] == "5"
    monkeypatch.undo()
    assert len(lines(stranger.get("/export/results"))[1]) == 1


def test_slow_readers_leave_room_for_pages_and_for_others(stranger: Program, arena: Arena) -> None:
    slow = reading(stranger, "127.0.0.1", PLACES)
    assert problem(stranger.get("/export/results"))[:2] == (
        429,
        "You are already reading exports: wait until they end.",
    )
    assert stranger.get("/bots").status_code == 200
    (other,) = reading(stranger, "192.0.2.7", 1)
    assert len(lines(other)[1]) == 1
    slow[0].close()  # this one hangs up
    assert len(lines(stranger.get("/export/results"))[1]) == 1
    for answer in slow:
        assert answer.status_code == 200
        answer.close()
    assert len(lines(stranger.get("/export/replays"))[1]) == 1


def test_one_ipv6_site_has_the_places_of_one_address(stranger: Program, arena: Arena) -> None:
    slow = [reading(stranger, f"2001:db8:1:{n}::1", 1)[0] for n in range(PLACES + 1)]
    assert [answer.status_code for answer in slow] == [200] * PLACES + [429]
    for answer in slow:
        answer.close()


def test_there_are_places_for_so_many(stranger: Program, arena: Arena) -> None:
    slow = [reading(stranger, f"192.0.2.{n}", 1)[0] for n in range(ALL_PLACES + 1)]
    assert [answer.status_code for answer in slow] == [200] * ALL_PLACES + [429]
    for answer in slow:
        answer.close()


def test_replays_can_be_verified(stranger: Program, arena: Arena) -> None:
    head, rows = lines(stranger.get("/export/replays"))
    assert head["schema"] == "santiago.replays/1"
    assert [(row["result_number"], row["match_id"]) for row in rows] == [(1, arena.match)]
    record = read(b64decode(rows[0]["replay"]))
    verify(record)
    assert {seat.name for seat in record.seats} == {"luz", "rey"}


def test_who_left_is_not_named(stranger: Program, session: Session, arena: Arena) -> None:
    cup = tournament(session, [arena.own, arena.bots[0]])
    play_next(session, cup)
    availability.leave(session, arena.ana, password=PASSWORD)
    session.commit()
    _, rows = lines(stranger.get("/export/results"))
    assert "ana" not in json.dumps(rows)
    _, rows = lines(stranger.get("/export/replays"))
    authors = {seat.author for row in rows for seat in read(b64decode(row["replay"])).seats}
    assert authors == {"compay", f"deleted-{arena.ana.id}"}


def test_no_more_than_so_many(stranger: Program) -> None:
    assert problem(stranger.get("/export/results", limit=10_001)) == (
        422,
        "Limit: it should be less than or equal to 10000.",
        "limit",
    )


def test_no_export_without_an_end(session: Session, arena: Arena) -> None:
    assert exports.results(session, after=2**31 - 1, limit=5) == []
    assert exports.replays(session, after=1, limit=5) == []
