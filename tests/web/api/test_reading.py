"""What everybody may ask for."""

from sqlalchemy.orm import Session

from ladder.ratings.elo import NEWCOMER
from referee.replay import read
from tests.web.api.programs import Arena, Program, problem
from tests.web.arena import register, tournament


def test_all_ladders_and_one(stranger: Program, arena: Arena) -> None:
    bots = stranger.get("/standings").get_json()["bots"]
    assert {bot["name"] for bot in bots} == {"luz", "rey"}
    assert [place["seats"] for bot in bots for place in bot["places"]] == [2, 2]
    one = stranger.get("/standings/2").get_json()
    assert [row["rank"] for row in one["standings"]] in ([1, 2], [1, 1])
    assert one["standings"][0]["provisional"] is True
    assert (one["found"], one["next"]) == (2, None)


def test_ladders_are_searched_sorted_and_paged(stranger: Program, arena: Arena) -> None:
    best = stranger.get("/standings/2", limit=1).get_json()
    assert (len(best["standings"]), best["next"], best["found"]) == (1, 2, 2)
    other = stranger.get("/standings/2", limit=1, page=2).get_json()
    assert other["next"] is None
    named = [row["name"] for page in (best, other) for row in page["standings"]]
    assert sorted(named) == ["luz", "rey"]
    by_name = stranger.get("/standings/2", sort="bot", order="reverse").get_json()["standings"]
    assert [row["name"] for row in by_name] == ["rey", "luz"]
    assert stranger.get("/standings/2", search="uz").get_json()["found"] == 1
    assert stranger.get("/standings", search="%").get_json()["bots"] == []
    assert len(stranger.get("/standings", by=4, limit=1).get_json()["bots"]) == 1
    assert problem(stranger.get("/standings/2", by=3))[2] == "by"


def test_puzzles_of_a_kind_that_there_is_not(stranger: Program) -> None:
    assert problem(stranger.get("/puzzles", kind="bogus"))[2] == "kind"
    assert stranger.get("/puzzles", kind="drive").get_json()["puzzles"] == []


def test_bots_page_by_page(stranger: Program, arena: Arena) -> None:
    first = stranger.get("/bots", limit=2).get_json()
    assert [bot["name"] for bot in first["bots"]] == ["rey", "luz"]
    second = stranger.get("/bots", limit=2, before=first["next"]).get_json()
    assert [bot["name"] for bot in second["bots"]] == ["zorro"]
    assert second["next"] is None


def test_a_bot_and_its_versions(stranger: Program, arena: Arena) -> None:
    bot = stranger.get(f"/bots/{arena.bots[0]}").get_json()
    assert (bot["name"], bot["author"], bot["state"], bot["version"]) == (
        *("luz", "compay", "active", "1"),
    )
    assert bot["ratings"][0]["games"] == 1
    assert [row["name"] for row in bot["head_to_head"]] == ["rey"]
    path = f"/bots/{arena.bots[0]}/versions"
    page = stranger.get(path).get_json()
    (version,) = page["versions"]
    assert (version["name"], version["state"], page["next"]) == ("1", "active", None)
    assert stranger.get(path, before=version["id"]).get_json()["versions"] == []


def test_no_address_is_told(stranger: Program, arena: Arena) -> None:
    for path in ("/bots", f"/bots/{arena.own}", f"/bots/{arena.own}/versions", "/matches"):
        text = stranger.get(path).text
        assert "bot.example" not in text
        assert "127.0.0.1" not in text


def test_rating_history(stranger: Program, session: Session, arena: Arena) -> None:
    path = f"/bots/{arena.bots[0]}/ratings"
    (entry,) = stranger.get(path, seats=2).get_json()["entries"]
    assert (entry["kind"], entry["match_id"], entry["result_number"]) == ("result", arena.match, 1)
    assert entry["before_milli"] == NEWCOMER.rating
    assert stranger.get(path, seats=3).get_json() == {"next": None, "entries": []}
    assert problem(stranger.get(path))[2] == "seats"


def test_matches_and_their_filters(stranger: Program, arena: Arena) -> None:
    newest = stranger.get("/matches", limit=1).get_json()
    assert [match["state"] for match in newest["matches"]] == ["queued"]
    older = stranger.get("/matches", before=newest["next"]).get_json()["matches"]
    assert [match["id"] for match in older] == [arena.match]
    finished = stranger.get("/matches", state="finished", bot=arena.bots[0]).get_json()["matches"]
    assert finished == older
    one = stranger.get(f"/matches/{arena.match}").get_json()
    assert one == older[0]
    assert (one["kind"], one["has_replay"], one["annul_reason"]) == ("tournament", True, None)
    assert stranger.get("/matches", bot=arena.own).get_json()["matches"] == []
    assert stranger.get("/matches", seats=2).get_json()["matches"][-1] == older[-1]
    assert stranger.get("/matches", seats=3).get_json()["matches"] == []


def test_the_replay_file(stranger: Program, arena: Arena) -> None:
    answer = stranger.get(f"/matches/{arena.match}/replay")
    assert answer.mimetype == "application/octet-stream"
    assert len(read(answer.data).seats) == 2


def test_a_tournament(stranger: Program, arena: Arena) -> None:
    (listed,) = stranger.get("/tournaments").get_json()["tournaments"]
    path = f"/tournaments/{arena.cup}"
    assert stranger.get(path).get_json() == listed
    assert (listed["name"], listed["state"], listed["total"], listed["finished"]) == (
        *("Copa", "running", 2, 1),
    )
    assert "seed" not in listed
    assert [row["name"] for row in stranger.get(f"{path}/entries").get_json()["entries"]] == [
        *("luz", "rey")
    ]
    standing = stranger.get(f"{path}/standing").get_json()
    assert standing["tie_breaks"][0] == "direct encounter"
    assert "cells" not in standing["rows"][0]
    table = stranger.get(f"{path}/cross-table").get_json()
    assert sum(cell["points"] for row in table["rows"] for cell in row["cells"]) == 1


def test_a_round(stranger: Program, session: Session) -> None:
    cup = tournament(session, register(session, ["a", "b", "c"]), format="swiss", rounds=2)
    found = stranger.get(f"/tournaments/{cup}/rounds/1").get_json()
    assert len(found["tables"]) == len(found["sitting_out"]) == 1
    assert len(found["tables"][0]["bots"]) == len(found["tables"][0]["matches"]) == 2
    assert stranger.get(f"/tournaments/{cup}/rounds/2").get_json()["tables"] == []
    for none in (0, 3):
        assert stranger.get(f"/tournaments/{cup}/rounds/{none}").status_code == 404


def test_fairness(stranger: Program, organiser: Program, arena: Arena) -> None:
    found = stranger.get("/fairness/2").get_json()
    assert sum(seat["wins"] for seat in found["by_seat"]) == 1
    assert {row["name"] for row in found["games_per_bot"]} == {"luz", "rey"}
    assert found["queue_wait"] is None, "that was no match of the ladder"
    assert stranger.get("/fairness/2/pairs").get_json() == {"pairs": []}
    assert problem(stranger.get("/fairness/workers"))[0] == 401
    (worker,) = organiser.get("/fairness/workers").get_json()["workers"]
    assert (worker["name"], worker["matches"]) == ("tests", 1)
