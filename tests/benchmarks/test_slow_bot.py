"""The benchmark of a slow bot takes the bot's matches off the ladder, and leaves all others."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sqlalchemy import func, select

from benchmarks import slow_bot
from benchmarks._refusing import league
from ladder.model import Bot, BotState, Job, Match, MatchState, Seat
from tests.ladder.databases import new_ladder


def test_a_phase_without_the_slow_bot_begins_without_its_matches(tmp_path: Path) -> None:
    made = league(new_ladder(tmp_path / "ladder.db"), 2, lambda _: False, stubborn=False, seed=3)
    made.play_round()
    service: Any = SimpleNamespace(session=made.sessions)
    of_bots = select(Seat.bot_id).join(Match).where(Match.state == MatchState.QUEUED)
    with made.sessions() as session:
        slow = session.scalars(of_bots.order_by(Seat.bot_id)).first() or 0
    slow_bot._let_play(service, slow, wanted=False)
    with made.sessions() as session:
        assert session.get_one(Bot, slow).state is BotState.PAUSED
        left = session.scalars(of_bots).all()
        assert left
        assert slow not in left
        assert session.scalar(select(func.count()).select_from(Job)) == len(left) // 2
