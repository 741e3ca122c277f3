"""Who takes the time of a table, and against whom it counts."""

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder.jobs import attempts, dispatch, workers
from ladder.jobs.kinds import Party
from ladder.matches import reading
from ladder.matches.job import MATCHES
from ladder.matches.tables import SeatedBot, note_thinking, parties
from ladder.model import Bot, MatchKind
from ladder.wiring import KINDS
from tests.ladder.league import as_kind, claimed, match_ids, start_tournament

HOSTS = [Party(0, 0)]


@pytest.mark.parametrize(
    ("usual", "holding"),
    [
        ((100, 200, 60_000), (3,)),
        ((60_000, 100), (1,)),
        ((60_000, 50_000, 100), (1, 2)),
        ((60_000, None, 100), (1, 2)),
        ((100, None, 900), (2,)),
        ((None, None), (1, 2)),
        ((900, 0), (1, 2)),
        ((0, 0), (1, 2)),
    ],
)
def test_who_is_held_up_by_a_far_slower_one_holds_no_place(
    usual: tuple[int | None, ...], holding: tuple[int, ...]
) -> None:
    table = [SeatedBot(bot, bot, 1, True, usual_ms) for bot, usual_ms in enumerate(usual, 1)]
    assert tuple(party.id for party in parties(table, HOSTS) if party.holds) == holding


def test_what_a_bot_usually_thinks_follows_its_matches(session: Session) -> None:
    start_tournament(session)
    first, second = session.scalars(select(Bot.id).order_by(Bot.id))

    def usual() -> list[int | None]:
        session.commit()
        return list(session.scalars(select(Bot.usual_think_ms).order_by(Bot.id)))

    note_thinking(session, [(first, 1000), (second, None)])
    assert usual() == [1000, None]
    note_thinking(session, [(first, 5000), (second, 40)])
    assert usual() == [2000, 40]


def test_a_slow_bot_does_not_keep_its_opponents_from_other_matches(session: Session) -> None:
    """With one place for each bot, who sits with the slow one may play elsewhere meanwhile."""
    start_tournament(session, count=3, deals=1)
    slow, ada, bela = session.scalars(select(Bot.id).order_by(Bot.id))
    as_kind(session, "ladder")
    session.execute(update(Bot).values(usual_think_ms=100))
    session.execute(update(Bot).where(Bot.id == slow).values(usual_think_ms=600_000))
    workers.beat(session, "tester", places=4)
    session.commit()
    tables = {
        match_id: {seat.bot_id for seat in reading.match(session, match_id, named=True).seats}
        for match_id in match_ids(session)
    }
    session.commit()
    with_slow = next(match for match, bots in tables.items() if bots == {slow, ada})
    claimed(session, with_slow)
    sent = dispatch.due(session, KINDS, MatchKind.LADDER, limit=9, message_age=60)
    session.commit()
    assert [tables[match_id] for match_id in sent] == [{ada, bela}]
    claimed(session, sent[0])
    for match_id in tables.keys() - {with_slow, *sent}:
        assert attempts.claim(session, MATCHES, match_id, "tester", lease=60) is None
        session.commit()
