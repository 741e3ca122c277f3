import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder import playing
from ladder.jobs import attempts
from ladder.live import stream as stream_of_redis
from ladder.live.game import AttemptStatus
from ladder.live.stream import LiveEvent
from ladder.matches import job, results
from ladder.matches.job import MATCHES, MatchClaim
from ladder.model import MatchState, User
from referee.rules import Layout
from tests.threads import one_too_many
from tests.web.arena import AnyMove, claim_next, played
from tests.web.viewer.conftest import Told, events_of, state_of
from web.frames import Seat
from web.viewer import channel, hub
from web.viewer.channel import Channel, FramesSeen
from web.viewer.hub import EXTENSION, OF_ONE, SPECTATORS

Tell = Callable[[list[LiveEvent]], None]


class Stream:
    """A spectator's stream, message by message; heartbeats are left out."""

    def __init__(self, client: FlaskClient, address: str, **headers: str) -> None:
        self._answer = client.get(address, headers=headers, buffered=False)
        assert self._answer.mimetype == "text/event-stream"
        assert self._answer.headers["X-Accel-Buffering"] == "no"
        self._parts: Iterator[bytes] = iter(self._answer.response)  # type: ignore[arg-type]

    def next(self) -> tuple[str, dict[str, Any], str | None]:
        """Kind, data and id of the next message."""
        while True:
            lines = dict(
                line.split(": ", 1) for line in next(self._parts).decode().splitlines() if line[1:]
            )
            if lines.get("event", "beat") != "beat":
                return lines["event"], json.loads(lines["data"]), lines.get("id")

    def until(self, kind: str) -> dict[str, Any]:
        """The data of the next message of a kind."""
        while True:
            found, data, _ = self.next()
            if found == kind:
                return data

    def until_word(self, word: str) -> None:
        """Returns when the match stands so."""
        while self.until("standing") != {"word": word}:
            pass

    def ends(self) -> bool:
        """Whether nothing follows."""
        return next(self._parts, None) is None

    def close(self) -> None:
        self._answer.close()


def so_far(client: FlaskClient) -> dict[str, Any]:
    document: dict[str, Any] = client.get("/matches/1/live/frames").get_json()
    return document


def finish(session: Session, claim: MatchClaim) -> None:
    table = [AnyMove(5)] * len(claim.players)
    results.finish(session, claim, playing.result(played(claim, table)))
    session.commit()


def test_who_comes_late_gets_all_in_one_answer(client: FlaskClient, told: Told, tell: Tell) -> None:
    _, events = told
    tell(events[:50])
    game = so_far(client)
    assert game["place"] == "1-51"
    assert len(game["frames"]) == 51
    assert [(seat["label"], seat["author"]) for seat in game["seats"]] == [
        ("luz", "compay"),
        ("ana", "compay"),
    ]
    assert all(frame["text"] for frame in game["frames"])


def test_what_redis_has_from_before_a_restore_is_not_shown(
    client: FlaskClient, told: Told, tell: Tell
) -> None:
    """Numbers of matches and attempts come again."""
    _, events = told
    tell([event._replace(began=event.began - 60) for event in events[:80]])
    assert so_far(client)["place"] == "1-1"
    assert "No moves yet" in client.get("/live").text
    stream = Stream(client, "/matches/1/live?from=1-1")
    tell(events[:50])
    assert stream.until("frames")["from"] == 1
    assert so_far(client)["place"] == "1-51"
    stream.close()


def test_a_page_that_is_opened_names_no_author_who_has_left(
    client: FlaskClient, told: Told, tell: Tell, session: Session
) -> None:
    tell(told[1][:50])
    assert so_far(client)["seats"][0]["author"] == "compay"
    session.execute(update(User).values(name="deleted-1"))
    session.commit()
    assert client.get("/matches/1").status_code == 200
    assert [seat["author"] for seat in so_far(client)["seats"]] == ["deleted-1"] * 2


def test_then_the_stream_goes_on_from_there(client: FlaskClient, told: Told, tell: Tell) -> None:
    _, events = told
    tell(events[:50])
    stream = Stream(client, f"/matches/1/live?from={so_far(client)['place']}")
    assert stream.next()[:2] == ("standing", {"word": "running"})
    tell(events[50:53])
    kind, data, place = stream.next()
    assert (kind, data["from"]) == ("frames", 51)
    assert [frame["state"] for frame in data["frames"]] == [state_of(e) for e in events[50:53]]
    assert place == "1-54"
    stream.close()


def test_a_stream_without_news_is_heard_of(
    client: FlaskClient, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "_CHECK", 0.0)
    monkeypatch.setattr(hub, "_BEAT", 0.0)
    answer = client.get("/matches/1/live?from=1-1", buffered=False)
    assert any(part.startswith(b"event: beat\ndata: ") for part in answer.iter_encoded())
    answer.close()


def test_a_browser_that_comes_back_gets_what_it_missed(
    client: FlaskClient, told: Told, tell: Tell
) -> None:
    tell(told[1][:50])
    stream = Stream(client, "/matches/1/live?from=1-3", **{"Last-Event-ID": "1-48"})
    data = stream.until("frames")
    assert (data["from"], len(data["frames"])) == (48, 3)
    stream.close()


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("2-48", (2, 48)),
        ("0-0", (0, 0)),
        ("", (0, 0)),
        ("7", (0, 0)),
        ("1--2", (0, 0)),
        ("1-2-3", (0, 0)),
        ("1-x", (0, 0)),
    ],
)
def test_a_place_is_two_numbers(text: str, seen: tuple[int, int]) -> None:
    assert FramesSeen.parse(text) == FramesSeen(*seen)


def test_texts_are_those_of_the_whole_game(client: FlaskClient, told: Told, tell: Tell) -> None:
    """Also where a move's text gains by the next one: told one by one, each amends the last."""
    _, events = told
    tell(events[:1])
    game = so_far(client)
    texts = [frame["text"] for frame in game["frames"]]
    stream = Stream(client, f"/matches/1/live?from={game['place']}")
    for event in events[1:60]:
        tell([event])
        data = stream.until("frames")
        texts[data["from"] - 1 :] = [data["before"], *(f["text"] for f in data["frames"])]
    stream.close()
    assert texts == [frame["text"] for frame in so_far(client)["frames"]]
    assert sum("owner" in text or "gets" in text for text in texts) > 5


@pytest.mark.parametrize("place", ["", "1-900", "7-3", "x", "1--2", "²-1", "1-99999999999"])
def test_a_place_that_is_none_of_this_game_starts_over(
    client: FlaskClient, told: Told, place: str
) -> None:
    stream = Stream(client, f"/matches/1/live?from={place}")
    assert stream.next()[:2] == ("restart", {"attempt": 1})
    assert stream.ends()


def test_an_interrupted_match_starts_over(
    client: FlaskClient, session: Session, told: Told, tell: Tell
) -> None:
    claim, events = told
    tell(events[:30])
    stream = Stream(client, "/matches/1/live?from=1-31")
    assert stream.next()[1] == {"word": "running"}
    job.interrupt(session, claim, why="the worker failed")
    session.commit()
    stream.until_word("queued")
    second = attempts.claim(session, MATCHES, 1, "tests", lease=60)
    session.commit()
    assert second is not None
    assert stream.until("restart") == {"attempt": 2}
    assert stream.ends()
    tell(events_of(second)[:2])
    assert so_far(client)["place"] in ("2-1", "2-2", "2-3")


def test_a_zombie_is_not_shown(
    client: FlaskClient, session: Session, told: Told, tell: Tell
) -> None:
    claim, events = told
    tell(events[:30])
    assert len(so_far(client)["frames"]) == 31
    job.interrupt(session, claim, why="the worker failed")
    session.commit()
    stream = Stream(client, "/matches/1/live?from=1-31")
    stream.until_word("queued")
    tell(events[30:40])
    second = attempts.claim(session, MATCHES, 1, "tests", lease=60)
    session.commit()
    assert second is not None
    tell(events[40:50])
    tell(events_of(second)[:3])
    assert stream.until("restart") == {"attempt": 2}
    stream = Stream(client, "/matches/1/live?from=2-1")
    data = stream.until("frames")
    assert data["frames"][0]["state"] == state_of(events_of(second)[0])
    stream.close()


def test_the_end_is_the_databases(
    client: FlaskClient, session: Session, told: Told, tell: Tell
) -> None:
    claim, events = told
    tell(events)
    stream = Stream(client, f"/matches/1/live?from={so_far(client)['place']}")
    finish(session, claim)
    stream.until_word("finished")
    assert stream.ends()
    end = client.get("/matches/1/live/end").text
    assert "The match is over" in end
    assert re.search(r"Elo \d", end)
    assert 'href="/matches/1"' in end


def test_who_asks_for_a_match_that_is_over_is_told_so(
    client: FlaskClient, session: Session, told: Told
) -> None:
    finish(session, told[0])
    stream = Stream(client, "/matches/1/live?from=1-5")
    assert stream.next()[:2] == ("standing", {"word": "finished"})
    assert stream.ends()


def test_a_match_that_is_played_is_shown_in_a_frame_too(client: FlaskClient, told: Told) -> None:
    whole, framed = (client.get(f"/matches/1{part}") for part in ("", "/embed"))
    assert framed.headers["Content-Security-Policy"].endswith("; frame-ancestors *")
    source = re.compile(r'data-live="[^"]+"')
    assert source.findall(framed.text) == source.findall(whole.text) != []
    assert ("<footer" in whole.text, "<footer" in framed.text) == (True, False)


def test_a_match_that_has_not_begun(client: FlaskClient, told: Told) -> None:
    assert client.get("/matches/2/live").status_code == 404
    assert client.get("/matches/2/live/frames").status_code == 404
    assert client.get("/matches/99/live").status_code == 404


def test_no_seed_is_told(client: FlaskClient, told: Told, tell: Tell) -> None:
    claim, events = told
    tell(events[:30])
    assert so_far(client)["setup"]["seed"] is None
    for address in ("/matches/1", "/matches/1/live/frames", "/live", "/matches/1/live/words"):
        assert str(claim.layout_seed) not in client.get(address).text


def test_without_script_the_page_says_how_the_match_stands(
    client: FlaskClient, told: Told, tell: Tell
) -> None:
    tell(told[1][:80])
    page = client.get("/matches/1").text
    state = state_of(told[1][79])
    assert f"Ship {state['ship']}. " in page
    assert re.findall(r"VP </span><b>(\d+)</b>", page) == [
        str(player["vp"]) for player in state["players"]
    ]
    assert 'href="?at=79#moment"' in page
    words = client.get("/matches/1/live/words").text
    assert words.count("<li id=") == 81


def test_the_words_of_a_match_that_is_over(
    client: FlaskClient, session: Session, told: Told
) -> None:
    finish(session, told[0])
    assert client.get("/matches/1/live/words").headers["Location"] == "/matches/1/words"


def test_there_is_an_end_to_places(app: Flask, client: FlaskClient, told: Told) -> None:
    hub = app.extensions[EXTENSION]
    for _ in range(SPECTATORS - 1):
        hub.enter()
    last = Stream(client, "/matches/1/live?from=1-1")
    refused = client.get("/matches/1/live?from=1-1")
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "15"
    last.close()
    Stream(client, "/matches/1/live?from=1-1").close()


@pytest.mark.parametrize(
    ("visitor", "address"), [("8.8.8.8", "8.8.8.8"), ("2600:1:1::/48", "2600:1:1:9::8")]
)
def test_nobody_takes_all_places(
    app: Flask, client: FlaskClient, told: Told, visitor: str, address: str
) -> None:
    hub = app.extensions[EXTENSION]
    for _ in range(OF_ONE):
        hub.enter(visitor)
    path = "/matches/1/live?from=1-1"
    refused = client.get(path, environ_overrides={"REMOTE_ADDR": address})
    assert refused.status_code == 429
    Stream(client, path).close()
    hub.leave(visitor)
    hub.enter(visitor)


def test_live_news_come_although_there_was_no_thread_for_them_before(
    client: FlaskClient, told: Told, tell: Tell
) -> None:
    with one_too_many("live"), pytest.raises(RuntimeError):
        client.get("/matches/1/live?from=1-1")
    stream = Stream(client, "/matches/1/live?from=1-1")
    assert stream.next()[:2] == ("standing", {"word": "running"})
    tell(told[1][:3])
    assert stream.until("frames")["from"] == 1
    stream.close()


def test_streams_end_with_the_process(app: Flask, client: FlaskClient, told: Told) -> None:
    stream = Stream(client, "/matches/1/live?from=1-1")
    assert stream.next()[1] == {"word": "running"}
    app.extensions[EXTENSION].serves = lambda: False
    assert stream.ends()


def test_without_redis_a_match_is_unheard_of_until_it_is_back(
    client: FlaskClient,
    session: Session,
    told: Told,
    tell: Tell,
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = Stream(client, "/matches/1/live?from=1-1")
    assert stream.next()[1] == {"word": "running"}
    redis.config_set("timeout", 0)
    redis.set("santiago:live:1", "no stream")  # whatever is asked of it is an error now
    stream.until_word("unheard")
    with monkeypatch.context() as nobody_waits:
        nobody_waits.delattr(stream_of_redis, "read")
        other = Stream(client, f"/matches/{claim_next(session, 1).match_id}/live?from=1-1")
    other.until_word("unheard")
    other.close()
    redis.delete("santiago:live:1")
    stream.until_word("running")
    tell(told[1][:4])
    assert len(stream.until("frames")["frames"]) == 4
    stream.close()


def test_a_match_is_kept_for_a_moment_without_spectators_if_it_still_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passed = 0.0
    monkeypatch.setattr(channel, "monotonic", lambda: passed)
    seats: list[Seat] = [{"name": name, "version": "1", "author": "ana"} for name in ("uno", "dos")]
    layout = Layout(tuple(range(9)), tuple(range(12)))
    running = Channel(layout, seats, AttemptStatus(MatchState.RUNNING, 1))
    found = [running.wanted]
    running.watch(begins=True)
    passed = 100.0
    found.append(running.wanted)
    running.watch(begins=False)
    found.append(running.wanted)
    passed = 131.0
    assert [*found, running.wanted] == [True, True, True, False]
    running.watch(begins=True)
    running.stand(AttemptStatus(MatchState.FINISHED, 1), hears=True)
    found = [running.wanted]
    running.watch(begins=False)
    assert [*found, running.wanted] == [True, False]
