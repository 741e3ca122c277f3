"""Worker and scheduler as processes: a game is analysed by itself, beside matches."""

from dataclasses import replace
from datetime import timedelta

from sqlalchemy.orm import Session, sessionmaker

from ladder.analyses import queue
from ladder.model import now
from referee.analysis import unpack
from referee.replay import write
from tests.e2e.processes import until
from tests.ladder.databases import on_sqlite
from tests.ladder.league import finished, match_ids, ranked, set_job, start_tournament
from tests.ladder.service import TIMEOUT, Start
from tests.referee.games import DrawingBot, FaultyBot, local_game


class SoonFaulty(FaultyBot):
    """Fails at its second decision: to analyse one takes a second."""

    def __init__(self) -> None:
        super().__init__()
        self._left = 1


@on_sqlite
def test_a_game_of_a_tournament_is_analysed_by_itself(
    start: Start, sessions: sessionmaker[Session]
) -> None:
    short = local_game([DrawingBot, SoonFaulty])
    with sessions() as session:
        start_tournament(session)
        match_id, other = match_ids(session)
        set_job(session, other, not_before=now(session) + timedelta(days=1))
        finished(session, match_id, replace(ranked(1, 2), replay=write(short)))
    start("worker", "0")
    start("scheduler", SANTIAGO_ANALYSES="1")

    def state() -> str:
        with sessions() as session:
            return queue.analysis(session, match_id).state

    until(lambda: state() == "ready", TIMEOUT)
    with sessions() as session:
        data = queue.analysis(session, match_id).data or b""
    chosen = [entry for entry in short.entries if entry.HasField("chosen")]
    assert len(unpack(data).decisions) == len(chosen)
