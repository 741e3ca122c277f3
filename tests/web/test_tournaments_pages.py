import re
from html import unescape
from itertools import permutations

from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from ladder.contests.tournaments.forfeits import forfeit
from ladder.contests.tournaments.lifecycle import cancel
from ladder.matches import job, reading, results
from ladder.matches.listing import list_matches
from ladder.model import Match, MatchState
from ladder.operating import match_control
from tests.ladder.bots.uploads import host as a_host
from tests.ladder.contests.tournaments.cups import go_away, go_on, queued
from tests.ladder.league import NewBot, add_bots, claimed, host
from tests.web.arena import play_next, register, tournament


def test_without_a_tournament_the_page_says_how_to_start_one(client: FlaskClient) -> None:
    assert "No tournaments yet" in client.get("/tournaments").text


def test_lists_tournaments_with_how_far_they_are(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]), name="Copa Oriente")
    play_next(session, cup)
    page = client.get("/tournaments").text
    assert f'<a href="/tournaments/{cup}">Copa Oriente</a>' in page
    assert "1 of 2" in page


def test_says_how_many_matches_of_a_tournament_are_void(
    client: FlaskClient, session: Session
) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]), name="Copa Oriente")
    play_next(session, cup)
    assert "void" not in client.get("/tournaments").text
    cancel(session, cup)
    session.commit()
    page = client.get("/tournaments").text
    assert '<progress max="1" value="1" ' in page
    assert "1 of 2 · 1 void" in page
    assert "1 of 2 matches · 1 void" in client.get("/").text
    assert '<progress max="1" value="1"' in client.get(f"/tournaments/{cup}").text


def test_a_tournament_before_its_first_result(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]))
    page = client.get(f"/tournaments/{cup}").text
    assert f'data-progress="/api/v1/tournaments/{cup}/progress"' in page
    assert "tournaments/progress." in page
    assert "place-1" not in page  # nobody leads before anything was played


def test_a_finished_tournament(client: FlaskClient, session: Session) -> None:
    ana, luz = register(session, ["ana", "luz"])
    cup = tournament(session, [ana, luz])
    played = [play_next(session, cup) for _ in range(2)]
    go_on(session)
    page = client.get(f"/tournaments/{cup}").text
    assert "tournaments/progress." not in page
    assert '<b data-count="finished">2</b>' in page
    assert "place-1" in page
    assert all(f'href="/bots/{bot}"' in page for bot in (ana, luz))
    assert all(f'href="/matches/{match}"' in page for match in played)


def test_the_page_says_for_whom_matches_wait(client: FlaskClient, session: Session) -> None:
    ana, luz = register(session, ["ana", "luz"])
    cup = tournament(session, [ana, luz])
    assert "Some matches wait for" not in client.get(f"/tournaments/{cup}").text
    go_away(session, cup, luz)
    page = client.get(f"/tournaments/{cup}").text
    assert f'Some matches wait for <a class="bot" href="/bots/{luz}">luz</a> (offline).' in page


def test_the_page_says_since_when_matches_wait_for_hosts(
    client: FlaskClient, session: Session
) -> None:
    bots = register(session, ["ana", "luz"])
    host(session, bots)
    a_host(session, lanes=0)
    cup = tournament(session, bots)
    page = client.get(f"/tournaments/{cup}").text
    assert re.search("Matches have waited since <time [^>]+>[^<]+</time>: no host takes", page)
    a_host(session, lanes=1)
    assert "Matches have waited" not in client.get(f"/tournaments/{cup}").text


def test_an_unknown_tournament(client: FlaskClient) -> None:
    page = client.get("/tournaments/9")
    assert page.status_code == 404
    assert "There is no tournament 9." in page.text


def test_each_cell_leads_to_its_matches(client: FlaskClient, session: Session) -> None:
    ana, luz, rey = register(session, ["ana", "luz", "rey"])
    cup = tournament(session, [ana, luz, rey])
    played = [play_next(session, cup) for _ in range(6)]
    page = unescape(client.get(f"/tournaments/{cup}").text)
    leads = f"/matches?bot={ana}&opponent={luz}&tournament={cup}"
    assert f'href="{leads}"' in page
    listed = client.get(leads).text
    between = [
        number
        for number in played
        if {seat.bot_id for seat in reading.match(session, number).seats} == {ana, luz}
    ]
    assert len(between) == 2
    assert all((f'href="/matches/{number}"' in listed) == (number in between) for number in played)


def test_matches_to_watch_come_before_those_that_wait(
    client: FlaskClient, session: Session
) -> None:
    """All of a round robin are there from the start, and the last to be played are the newest."""
    cup = tournament(session, register(session, ["ana", "luz"]), deals=10)
    played = [play_next(session, cup) for _ in range(2)]
    running = claimed(session, queued(session, cup)[0]).match_id
    shown = re.findall(r'href="/matches/(\d+)"', client.get(f"/tournaments/{cup}").text)
    assert [int(number) for number in dict.fromkeys(shown)][:3] == [running, *reversed(played)]


def test_a_swiss_tournament_shows_its_rounds_and_tie_breaks(
    client: FlaskClient, session: Session
) -> None:
    cup = tournament(session, register(session, ["ana", "luz", "rey"]), format="swiss", rounds=2)
    first = [play_next(session, cup) for _ in range(2)]
    go_on(session)
    newest = client.get(f"/tournaments/{cup}").text
    assert '<h2 id="round-title">Round 2</h2>' in newest
    assert "sits out in this round" in newest
    assert "tie-break:" not in newest, "of a bot that has not played"
    assert "(Buchholz)</li>" in newest
    assert newest.count('title="running"') == 0
    claimed(session, queued(session, cup)[0])
    assert client.get(f"/tournaments/{cup}").text.count('title="running"') == 1
    for _ in range(2):  # the second time it is known
        before = client.get(f"/tournaments/{cup}?round=1").text
        assert '<h2 id="round-title">Round 1</h2>' in before
        assert all(f'href="/matches/{number}"' in before for number in first)
    assert client.get(f"/tournaments/{cup}?round=9").status_code == 200
    assert client.get(f"/tournaments/{cup}?round=x").status_code == 400


def test_a_round_shows_that_a_match_of_it_is_to_be_played_again(
    client: FlaskClient, session: Session
) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]), format="swiss", rounds=2)
    play_next(session, cup)
    lost = claimed(session, queued(session, cup)[0]).match_id
    job.end_without_result(session, lost, MatchState.FAILED, "It was interrupted.")
    session.commit()
    assert client.get(f"/tournaments/{cup}").text.count('title="failed"') == 1
    match_control.requeue(session, None, lost, "The worker is mended.")
    session.commit()
    page = client.get(f"/tournaments/{cup}").text
    assert (page.count('title="failed"'), page.count('title="queued"')) == (0, 1)


def test_a_match_without_a_game_has_a_page(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]))
    forfeited = list_matches(session, tournament_id=cup).matches[-1]
    session.commit()
    forfeit(session, forfeited.id, [1])
    session.commit()
    page = client.get(f"/matches/{forfeited.id}")
    assert page.status_code == 200
    assert f"No game was played: {forfeited.seats[1].name} could not be reached" in page.text
    counts = "The result counts for the tournament, not for the ratings."
    assert counts in page.text
    assert "Watch match" not in client.get(f"/tournaments/{cup}").text
    for without in ("replay.santiago", "words"):
        assert client.get(f"/matches/{forfeited.id}/{without}").status_code == 404
    assert "annulled" not in client.get(f"/tournaments/{cup}").text
    results.annul(session, session.get_one(Match, forfeited.id), None, "It was there.")
    session.commit()
    for prefix, word in (("", "annulled"), ("/de", "annulliert")):
        counted = f'<dt>{word}</dt><dd data-count="annulled">1</dd>'
        assert counted in client.get(f"{prefix}/tournaments/{cup}").text
    page = client.get(f"/matches/{forfeited.id}")
    assert "Annulled: It was there." in page.text
    assert counts not in page.text


def test_names_are_text(client: FlaskClient, session: Session) -> None:
    name = "<script>alert(1)</script>"
    cup = tournament(session, register(session, ["ana", "luz"]), name=name)
    for page in ("/tournaments", f"/tournaments/{cup}", "/matches"):
        assert name not in client.get(page).text


def test_a_name_may_run_from_right_to_left(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]), name="بطولة abc כדור")
    assert "<h1><bdi>بطولة abc כדור</bdi> <span" in client.get(f"/tournaments/{cup}").text


def test_headings_of_bots_of_one_name_show_their_authors(
    client: FlaskClient, session: Session
) -> None:
    who = ("ana", "a-very-long-name")
    twins = add_bots(
        session, [NewBot("mojito", author, f"127.0.0.1:{at}") for at, author in enumerate(who, 1)]
    )
    session.commit()
    cup = tournament(session, twins)
    play_next(session, cup)
    page = client.get(f"/tournaments/{cup}").text
    assert 'title="mojito (a-very-long-name)"' in page
    assert '<span class="against">mojito</span> <span class="against by">ana</span>' in page
    assert 'aria-label="mojito (ana) against mojito (a-very-long-name): ' in page


def test_the_cross_table_of_a_large_field_is_shown_in_parts(
    client: FlaskClient, session: Session
) -> None:
    bots = register(session, [f"bot {number}" for number in range(41)])
    cup = tournament(session, bots, format="swiss", rounds=1)
    met = {
        (one.bot_id, other.bot_id)
        for match in (play_next(session, cup) for _ in range(2))
        for one, other in permutations(reading.match(session, match).seats)
    }
    pages = [
        unescape(client.get(f"/tournaments/{cup}?rows={rows}&columns={columns}").text)
        for rows in (1, 2)
        for columns in (1, 2)
    ]
    tables = [page.partition('<table class="cross">')[2].partition("</table>")[0] for page in pages]
    assert [table.count("<tr>") - 1 for table in tables] == [40, 40, 1, 1]
    assert [table.count('scope="col"') - 1 for table in tables] == [40, 1, 40, 1]
    linked = [
        (int(bot), int(other))
        for table in tables
        for bot, other in re.findall(r"/matches\?bot=(\d+)&opponent=(\d+)", table)
    ]
    assert len(linked) == len(met)
    assert set(linked) == met
    assert all(f'href="/bots/{bot}"' in pages[0] for bot in bots)
    assert f"/tournaments/{cup}?rows=2&columns=1#table" in pages[0]
    assert client.get(f"/tournaments/{cup}?rows=99").status_code == 200


def test_what_failed_is_a_step_away(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]))
    leads = f"/matches?tournament={cup}&state=failed"
    assert f'href="{leads}"' in unescape(client.get(f"/tournaments/{cup}").text)
    assert "No match found" in client.get(leads).text
