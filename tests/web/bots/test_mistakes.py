"""The mistakes on a bot's page: by its analysed games, beside those of all bots."""

import re
import shutil
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from ladder.analyses import profiles
from ladder.analyses.profiles import MistakeProfile
from ladder.config import Settings
from tests.ladder.databases import new_ladder, session_on
from tests.web.arena import AnyMove, analyse, play_next, register, tournament


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A ladder with a bot that has two games, which are analysed; the bot's id."""
    file = tmp_path_factory.mktemp("mistakes") / "ladder.db"
    with session_on(new_ladder(file)) as session:
        bots = register(session, ["ana", "luz"])
        cup = tournament(session, bots, deals=2)
        for seed in range(2):
            analyse(session, play_next(session, cup, [AnyMove(seed), AnyMove(seed + 5)]))
    return file, bots[0]


@pytest.fixture
def settings(settings: Settings, analysed: tuple[Path, int]) -> Settings:
    """A copy of that ladder."""
    shutil.copy(analysed[0], settings.database_url.removeprefix("sqlite:///"))
    return settings


@pytest.fixture
def bot_id(analysed: tuple[Path, int]) -> int:
    return analysed[1]


def profile(session: Session, bot_id: int) -> MistakeProfile:
    found = profiles.profile(session, bot_id)
    assert found is not None
    return found


def test_the_page_shows_what_each_kind_of_decision_cost(
    client: FlaskClient, session: Session, bot_id: int
) -> None:
    page = client.get(f"/bots/{bot_id}").text
    assert "In its newest 2 analysed games" in page
    found = profile(session, bot_id)
    rows = re.findall(
        r'<th scope="row">([^<]+)</th><td class="number">(\d+)</td>'
        r'<td class="number strong">([\d.]+)%</td><td class="number">([\d.]+)%</td>',
        page,
    )
    told = {name: (int(times), own) for name, times, own, _ in rows}
    assert told["driving"] == _told(found.by_kind["drive"].decisions, found.by_kind["drive"].mean)
    phases = [_told(one.decisions, one.mean) for one in found.by_phase.values()]
    assert sorted(told[name] for name in ("opening", "middle game", "endgame")) == sorted(phases)


def _told(decisions: int, mean: float) -> tuple[int, str]:
    return decisions, f"{100 * mean:.1f}"


def test_the_most_instructive_moments_lead_to_the_viewer(
    client: FlaskClient, session: Session, bot_id: int
) -> None:
    lessons = profile(session, bot_id).lessons
    assert lessons
    page = client.get(f"/bots/{bot_id}").text
    links = re.findall(r'<a class="lesson" href="/matches/(\d+)\?at=(\d+)">', page)
    assert [(int(match), int(at)) for match, at in links] == [
        (one.match_id, one.moment) for one in lessons
    ]
    for one in lessons:
        frames = client.get(f"/matches/{one.match_id}/frames").get_json()["frames"]
        frame = frames[one.moment]
        words = dict(zip(frame["legal"], frame["choices"], strict=True))
        assert f"<p>It chose: {words[one.played]}</p>" in page
        assert f"<p>Better: {words[one.better]}</p>" in page
        picture = f"/matches/{one.match_id}/board.svg?form=small&amp;at={one.moment - 1}"
        assert picture in page


def test_without_analysed_games_there_is_nothing_to_say(
    client: FlaskClient, session: Session
) -> None:
    sol = register(session, ["sol"])[0]
    assert "Mistakes" not in client.get(f"/bots/{sol}").text
