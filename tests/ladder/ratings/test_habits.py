"""Buildings and first stops in numbers, from real games."""

import json

from sqlalchemy.orm import Session

from ladder.model import FairnessReport
from ladder.ratings import fairness
from ladder.ratings.habits import THIRDS, habits
from referee.rules.pieces import BUILDINGS, CITIZENS
from tests.web.arena import play_next, register, tournament


def test_they_count_each_player_of_each_game_once(session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz", "rey"]), seats=3)
    for _ in range(3):
        play_next(session, cup)
    found = habits(session, 3)
    assert found.games == 3
    assert len(found.buildings) == THIRDS * len(BUILDINGS)
    assert len(found.stops) == THIRDS * len(CITIZENS)
    owned = [row for row in found.buildings if row.building == BUILDINGS[0]]
    assert sum(row.players for row in owned) == 9
    assert all(row.owned <= 3 for row in owned)
    assert any(row.owned for row in found.buildings)
    assert any(row.visits for row in found.buildings)
    assert 0 < sum(row.games for row in found.stops) <= 9
    assert sum(row.wins for row in found.stops) <= 3.0
    assert habits(session, 2).games == 0


def test_they_are_a_part_of_the_stored_report(session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]))
    play_next(session, cup)
    made = habits(session, 2)
    assert fairness.refresh(session, 2)
    session.commit()
    stored = fairness.newest_report(session, 2)
    assert stored is not None
    assert stored.report.habits == made
    row = session.get_one(FairnessReport, 2)
    older = json.loads(row.report)
    del older["habits"]
    row.report = json.dumps(older)
    session.commit()
    before = fairness.newest_report(session, 2)
    assert before is not None
    assert before.report.habits is None
