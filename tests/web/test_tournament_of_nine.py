"""A tournament of nine bots at tables of three: one dies for good, one comes back, one updates and
one withdraws. Its page explains the final table."""

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import permutations

from flask.testing import FlaskClient
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder import playing
from ladder.bots import reach, versions
from ladder.contests.cross_table import CrossTable, cross_table
from ladder.contests.tournaments import forfeits
from ladder.contests.tournaments.correcting import withdraw
from ladder.contests.tournaments.rounds import entered_versions
from ladder.jobs import attempts, dispatch
from ladder.matches import misses, results
from ladder.matches.job import MATCHES
from ladder.matches.misses import MissedCall
from ladder.model import Bot, Match, MatchKind, MatchState, Replay, Seat, Tournament, Version
from ladder.wiring import KINDS
from referee.replay import read, verify
from tests.ladder.contests.tournaments.cups import gone_on
from tests.ladder.league import set_job
from tests.web.arena import AnyMove, played, register, tournament

NAMES = ("ada", "bela", "caro", "dora", "ezra", "fela", "gus", "hugo", "inez")
LATE, DEAD, UPDATED, LEAVING = "ada", "bela", "caro", "dora"


@dataclass
class Evening:
    """A scheduler and a worker, and the bots that are there now; `games` counts what was played."""

    session: Session
    there: set[str]
    games: int = 0
    given_up: list[list[int]] = field(default_factory=list)

    def go_on(self, games: int = 99) -> None:
        """Play until nothing more happens, or for so many games."""
        before = self.games
        while self.games < before + games:
            found = forfeits.decide(self.session)
            self.session.commit()
            if found:
                self.given_up.append(found)
            if not (self._look() | self._play(before + games - self.games) | bool(found)):
                return

    def _look(self) -> bool:
        found = False
        while (look := reach.look(self.session)) is not None:
            found = True
            here = look.name in self.there
            (reach.online if here else reach.still_away)(self.session, look.version_id)
            self.session.commit()
        self.session.commit()
        return found

    def _play(self, most: int) -> bool:
        set_job(self.session, not_before=None)  # as if the pause were over
        due = dispatch.due(self.session, KINDS, MatchKind.TOURNAMENT, limit=most, message_age=0)
        self.session.commit()
        for match_id in due:
            self._try(match_id)
        return bool(due)

    def _try(self, match_id: int) -> None:
        claim = attempts.claim(self.session, MATCHES, match_id, "worker", lease=60)
        self.session.commit()
        if claim is None:
            return
        dialled = [seat for seat in range(len(claim.players)) if seat not in claim.absent]
        away = [seat for seat in dialled if claim.players[seat].name not in self.there]
        if away:
            misses.not_accepted(self.session, claim, away[0], MissedCall("Nobody listens there."))
        else:
            table = [AnyMove(match_id + n) if n in dialled else None for n in range(3)]
            results.finish(self.session, claim, playing.result(played(claim, table)))
            self.games += 1
        self.session.commit()


def by_hand(session: Session, cup: int) -> dict[str, tuple[float, int]]:
    """Points and possible points of each bot by the rules on the page, from the matches alone."""
    points: Counter[str] = Counter()
    possible: Counter[str] = Counter()
    query = select(Match).where(Match.tournament_id == cup, Match.state == MatchState.FINISHED)
    for match in session.scalars(query):
        for one, other in permutations(match.table, 2):
            if other.fault == "absent":
                continue
            possible[one.bot.name] += 1
            if one.fault != "absent" and one.rank is not None and other.rank is not None:
                points[one.bot.name] += 2 * (one.rank < other.rank) + (one.rank == other.rank)
    return {name: (points[name] / 2, possible[name]) for name in NAMES}


def standing(table: CrossTable) -> dict[str, tuple[float, int]]:
    return {row.name: (row.points, sum(cell.games for cell in row.cells)) for row in table.rows}


def test_nine_bots(client: FlaskClient, session: Session) -> None:
    ids = dict(zip(NAMES, register(session, NAMES), strict=True))
    session.execute(update(Version).values(slots=9))
    cup = tournament(session, list(ids.values()), seats=3)
    evening = Evening(session, set(NAMES) - {LATE})
    evening.go_on(games=6)
    versions.register(session, name=UPDATED, author="compay", version="2", address="127.0.0.1:9")
    evening.there.remove(DEAD)
    evening.go_on(games=3)
    compay = session.get_one(Bot, ids[LEAVING]).user
    withdraw(session, cup, ids[LEAVING])
    session.commit()
    assert compay.name == "compay"

    evening.go_on()  # everything that is possible without the two that are away
    assert {row.absences for row in cross_table(session, cup).rows} == {0}
    waiting = select(Match.id).where(Match.tournament_id == cup, Match.state == MatchState.QUEUED)
    tables = [
        {seat.bot.name for seat in session.get_one(Match, match_id).table}
        for match_id in session.scalars(waiting)
    ]
    assert tables
    assert all(table & {LATE, DEAD} for table in tables)

    evening.there.add(LATE)
    reach.look_now(session, [entered_versions(session, cup)[ids[LATE]]])
    session.commit()
    evening.go_on()
    left = set(session.scalars(waiting))
    assert evening.given_up == []
    session.execute(update(Tournament).values(grace_ms=0))
    session.commit()
    evening.go_on()

    assert {match_id for deal in evening.given_up for match_id in deal} == left
    deals = [{session.get_one(Match, one).deal_id for one in deal} for deal in evening.given_up]
    assert all(len(deal) == 1 for deal in deals)
    assert gone_on(session, cup).state == "finished"
    for match_id in left:
        verify(read(session.get_one(Replay, match_id).data))
        assert not session.get_one(Match, match_id, populate_existing=True).rated
    table = cross_table(session, cup)
    assert standing(table) == by_hand(session, cup)
    rows = {row.name: row for row in table.rows}
    assert {name: row.absences for name, row in rows.items() if row.absences} == {DEAD: len(left)}
    assert [row.name for row in table.rows if row.withdrew] == [table.rows[-1].name] == [LEAVING]
    of_updated = select(Version.name).join(Seat, Seat.version_id == Version.id)
    assert set(session.scalars(of_updated.where(Seat.bot_id == ids[UPDATED]))) == {"1"}

    page = client.get(f"/tournaments/{cup}").text
    table_of_page = page.split('id="standing-title"')[1].split("</section>")[0]
    lines = dict(re.findall(r'<th scope="row"><a[^>]*>(\w+)</a>(.*?)</th>', table_of_page))
    assert f"did not appear in {len(left)} matches" in lines[DEAD]
    assert "withdrew" in lines[LEAVING]
    assert not any(name in "".join((lines[LATE], lines[UPDATED])) for name in ("appear", "withdr"))
    for words in (
        "everything else in the round is played first",
        "They get points among themselves only",
        "ranks below all others",
    ):
        assert words in page
