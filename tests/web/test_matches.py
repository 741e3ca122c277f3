import re

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.contests.tournaments import correcting, lifecycle
from ladder.model import Match, RatingChange
from tests.web.arena import claim_next, play_next, register, tournament


def listed(page: str) -> list[int]:
    """The ids of the listed matches."""
    return [int(number) for number in re.findall(r'<th scope="row"><a href="/matches/(\d+)"', page)]


def test_without_a_match_the_page_says_where_they_come_from(client: FlaskClient) -> None:
    assert "Matches appear here as soon as bots play" in client.get("/matches").text


def test_newest_first(client: FlaskClient, session: Session) -> None:
    tournament(session, register(session, ["ana", "luz"]), deals=2)
    assert listed(client.get("/matches").text) == [4, 3, 2, 1]


def test_filters(client: FlaskClient, session: Session) -> None:
    ana, luz, rey = register(session, ["ana", "luz", "rey"])
    first = tournament(session, [ana, luz], name="First")
    second = tournament(session, [luz, rey], name="Second")
    played = play_next(session, second)
    assert listed(client.get(f"/matches?bot={ana}").text) == [2, 1]
    assert listed(client.get(f"/matches?tournament={second}").text) == [played, 4]
    assert listed(client.get("/matches?state=finished").text) == [played]
    nothing = client.get(f"/matches?tournament={first}&state=finished").text
    assert "No match found" in nothing
    assert f'<option value="{first}" selected>First</option>' in nothing


def test_a_bot_by_its_name(client: FlaskClient, session: Session) -> None:
    ana, luz, ana_luz = register(session, ["ana", "luz", "ana luz"])
    tournament(session, [ana, luz])
    assert listed(client.get("/matches?bot=Ana").text) == [2, 1]
    assert listed(client.get(f"/matches?bot={ana}&opponent=luz").text) == [2, 1]
    unclear = client.get("/matches?bot=an&opponent=luz").text
    assert listed(unclear) == []
    assert "Several bots match “an”" in unclear
    assert f'href="/matches?bot={ana_luz}&amp;opponent={luz}">ana luz</a>' in unclear
    assert "contains “rey”" in client.get("/matches?bot=rey").text


def test_a_bot_whose_name_is_a_number(client: FlaskClient, session: Session) -> None:
    tournament(session, register(session, ["2048", "luz"]))
    assert listed(client.get("/matches?bot=2048").text) == [2, 1]


def test_pages_by_what_was_seen_last(client: FlaskClient, session: Session) -> None:
    tournament(session, register(session, ["ana", "luz"]), deals=25)
    page = client.get("/matches").text
    assert listed(page) == list(range(50, 10, -1))
    assert 'href="/matches?before=11"' in page
    last = client.get("/matches?before=11").text
    assert listed(last) == list(range(10, 0, -1))
    assert "Older" not in last


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("before=ana", "“before” has to be a whole number from 1"),
        ("before=0", "“before” has to be a whole number from 1"),
        ("before=-3", "“before” has to be a whole number from 1"),
        ("tournament=99999999999999999999", "“tournament” has to be a whole number from 1"),
        ("before=²", "“before” has to be a whole number from 1"),
        ("state=lost", "“state” can be queued, running, finished, failed, cancelled."),
    ],
)
def test_a_parameter_that_makes_no_sense(client: FlaskClient, query: str, sentence: str) -> None:
    page = client.get(f"/matches?{query}")
    assert page.status_code == 400
    assert sentence in page.text


def test_empty_parameters_filter_nothing(client: FlaskClient) -> None:
    assert client.get("/matches?bot=&tournament=&state=").status_code == 200


def test_a_queued_match(client: FlaskClient, session: Session) -> None:
    tournament(session, register(session, ["ana", "luz"]))
    page = client.get("/matches/1").text
    assert "The match is waiting for a worker" in page
    assert "matches/waiting." in page


def test_a_running_match(client: FlaskClient, session: Session) -> None:
    claim_next(session, tournament(session, register(session, ["ana", "luz"])))
    page = client.get("/matches/1").text
    assert 'data-live="/matches/1/live"' in page
    assert "reload the page to see more moves" in page


def test_a_cancelled_match(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]))
    lifecycle.cancel(session, cup)
    session.commit()
    page = client.get("/matches/1").text
    assert "The match was cancelled" in page
    assert "waiting." not in page
    session.execute(update(Match).values(reason="luz withdrew from the tournament"))
    session.commit()
    assert (
        "hatte: luz hat sich aus dem Turnier zurückgezogen.</p>" in client.get("/de/matches/1").text
    )


def test_why_results_were_annulled_is_told_in_the_language_of_the_page(
    client: FlaskClient, session: Session
) -> None:
    bots = register(session, ["ana", "luz"])
    cup = tournament(session, bots)
    match_id = play_next(session, cup)
    correcting.withdraw(session, cup, bots[1], annul=True)
    session.commit()
    page = client.get(f"/de/matches/{match_id}").text
    assert "Annulliert: luz hat sich aus dem Turnier zurückgezogen</strong>" in page


def test_a_finished_match_is_its_replay(client: FlaskClient, session: Session) -> None:
    match_id = play_next(session, tournament(session, register(session, ["ana", "luz"])))
    page = client.get(f"/matches/{match_id}").text
    assert f'data-replay="/matches/{match_id}/frames"' in page
    assert "replays/viewer." in page


def test_a_replay_tells_at_its_end_what_the_match_changed_of_the_ratings(
    client: FlaskClient, session: Session
) -> None:
    match_id = play_next(session, tournament(session, register(session, ["ana", "luz"])))
    shown, hidden = '<span class="rating">Elo ', '<span class="rating" hidden>Elo '
    for at, counts in ((9999, (2, 0)), (5, (0, 2))):  # a script shows them when it comes there
        page = client.get(f"/matches/{match_id}?at={at}").text
        assert (page.count(shown), page.count(hidden)) == counts
        assert len(re.findall(r'<span class="change">\([+−]\d+\)', page)) == 2


def test_a_rating_that_stays_has_neither_risen_nor_fallen(
    client: FlaskClient, session: Session
) -> None:
    match_id = play_next(session, tournament(session, register(session, ["ana", "luz"])))
    for by in (-200, 200):  # thousandths
        session.execute(update(RatingChange).values(after_milli=RatingChange.before_milli + by))
        session.commit()
        assert '<span class="change">(±0)</span>' in client.get(f"/matches/{match_id}").text


def test_an_unknown_match(client: FlaskClient) -> None:
    page = client.get("/matches/5")
    assert page.status_code == 404
    assert "There is no match 5." in page.text


def test_the_address_with_a_slash_leads_to_the_match(client: FlaskClient) -> None:
    assert client.get("/matches/5/").headers["Location"] == "/matches/5"


def test_finished_ones_come_first_and_more_filters(client: FlaskClient, session: Session) -> None:
    ana, luz, rey = register(session, ["ana", "luz", "rey"])
    two = play_next(session, tournament(session, [ana, luz]))
    three = play_next(session, tournament(session, [ana, luz, rey], seats=3))
    waiting = listed(client.get("/matches?state=queued").text)
    assert listed(client.get("/matches").text) == [three, two, *waiting]
    of_ana = listed(client.get("/matches?state=queued&bot=ana").text)
    assert of_ana
    assert listed(client.get("/matches?bot=ana").text) == [three, two, *of_ana]

    def shown(query: str) -> set[int]:
        return set(listed(client.get(f"/matches?state=finished&{query}").text))

    assert shown("seats=3") == {three}
    assert shown("kind=tournament") == {two, three}
    assert shown("kind=ladder") == set()
    assert shown("faults=1") == set()
    assert shown("from=2001-01-01&to=9999-12-31") == {two, three}
    first, last = (str(session.get_one(Match, one).finished_at)[:10] for one in (two, three))
    assert shown(f"from={first}&to={last}") == {two, three}
    assert shown("from=9999-12-31") == set()
    assert shown("to=2001-01-01") == set()
    assert shown("close=1") <= {two, three}
    again = client.get("/matches?from=2001-01-01&kind=tournament").text
    assert 'name="from" value="2001-01-01"' in again
    for wrong in ("from=tomorrow", "to=2001-02-30", "kind=friendly", "seats=5"):
        assert client.get(f"/matches?{wrong}").status_code == 400
