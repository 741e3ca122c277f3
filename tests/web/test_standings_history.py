import re
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from tests.ladder.league import NewBot, add_bots
from tests.web.arena import play_next, register, tournament
from web.charts import Chart, Series, rating_chart

AUTHORS = (5001, "ana"), (5002, "luz")
"""Where the bot of each listens."""


def test_the_best_bots_with_lines_shapes_and_a_table(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]), deals=2)
    for _ in range(4):
        play_next(session, cup)
    page = client.get("/standings/history?seats=2").text
    assert page.count("<polyline") == 2
    assert page.count('<th scope="row">') == 2
    assert 'href="/standings/history?seats=2&amp;bot=2"' in page  # without ana
    page = client.get("/standings/history?seats=2&bot=2&span=day&search=an").text
    assert page.count("<polyline") == 1
    assert 'href="/standings/history?seats=2&amp;span=day&amp;bot=2&amp;bot=1"' in page


def test_bots_of_one_name_are_told_apart_by_their_authors(
    client: FlaskClient, session: Session
) -> None:
    twins = add_bots(session, [NewBot("mojito", who, f"127.0.0.1:{at}") for at, who in AUTHORS])
    session.commit()
    cup = tournament(session, twins, deals=2)
    for _ in range(4):
        play_next(session, cup)
    chart = client.get("/standings/history?seats=2").text
    compared = client.get("/bots/{}/against/{}".format(*twins)).text
    for _, who in AUTHORS:
        assert f'<th scope="row">mojito ({who})' in chart
        assert f"Remove mojito ({who})" in chart
        assert f">mojito ({who})</a>" in compared.partition("</h1>")[0]
    assert "the seats of mojito (ana)" in compared


@pytest.mark.parametrize(("hours", "spare"), [(1, 3), (48, 2)])
def test_times_of_day_leave_each_other_room_on_phones(
    client: FlaskClient, session: Session, monkeypatch: pytest.MonkeyPatch, hours: int, spare: int
) -> None:
    """Of five dates a phone has room for three, of those with the time of day for two."""

    def apart(times: Sequence[datetime], series: Sequence[Series]) -> Chart | None:
        moments = [times[0] + timedelta(hours=hours * number) for number in range(len(times))]
        return rating_chart(moments, series)

    monkeypatch.setattr("web.standings.rating_chart", apart)
    cup = tournament(session, register(session, ["ana", "luz"]), deals=2)
    for _ in range(4):
        play_next(session, cup)
    page = client.get("/standings/history?seats=2").text
    assert len(re.findall(r"<text[^>]* data-(?:hour|day)=", page)) == 5
    assert page.count('class="spare-date"') == spare


def test_without_games_it_says_what_to_do(client: FlaskClient, session: Session) -> None:
    page = client.get("/standings/history?seats=2").text
    assert "No rated games yet" in page
    assert "Bots in the chart" not in page
    play_next(session, tournament(session, register(session, ["ana", "luz"])))
    assert "Nothing to show yet" in client.get("/standings/history?seats=2&bot=77").text


def test_what_makes_no_sense(client: FlaskClient) -> None:
    assert client.get("/standings/history?bot=x").status_code == 400
    assert client.get("/standings/history?" + "bot=1&" * 7).status_code == 400
    assert client.get("/standings/history?span=year").status_code == 400
