"""`santiago demo` as a newcomer runs it: real Redis, worker, site, bots and games."""

import signal
import urllib.request

from ladder.contests.tournaments import lookup
from tests.e2e.conftest import Start
from tests.e2e.processes import until
from tests.ladder.ledgers import check_ledger

SMALL = ("--deals", "1")
LARGE = ("--deals", "9")  # long enough to be caught in the middle


def test_it_plays_shows_the_site_and_may_come_again(santiago: Start) -> None:
    demo = santiago("demo", *SMALL)
    demo.says("Ctrl-C ends the demo.")
    for words in ("Matches: 3 of 3", "Tables of 3", "planner", "greedy", "random"):
        assert words in demo.said
    with urllib.request.urlopen(demo.said.partition("Standings: ")[2].split()[0]) as page:
        assert b"planner" in page.read()
    parts = demo.parts()
    demo.send(signal.SIGINT)
    assert demo.ends() == 0
    demo.leaves_nothing(parts)

    again = santiago("demo", "--once", *SMALL)
    again.says("The sample bots play")
    parts = again.parts()
    assert again.ends() == 0, again.said
    assert "/data` shows them again." in again.said
    again.leaves_nothing(parts)
    assert again.finished(tournament_id=1) == again.finished(tournament_id=2) == 3
    with again.ladder() as session:
        check_ledger(session)


def test_stopped_in_its_tournament_it_leaves_nothing(santiago: Start) -> None:
    demo = santiago("demo", *LARGE)
    demo.says("Matches: ")
    parts = demo.parts()
    demo.send(signal.SIGINT)
    assert demo.ends() == 128 + signal.SIGINT
    demo.leaves_nothing(parts)
    assert "Traceback" not in demo.said
    with demo.ladder() as session:
        assert lookup.tournament(session, 1).state == "cancelled"
        check_ledger(session)


def test_parts_that_are_killed_are_started_again_and_every_match_counts_once(
    santiago: Start,
) -> None:
    demo = santiago("demo", "--once", "--deals", "4")
    demo.says("The sample bots play")
    until(lambda: demo.finished() >= 2)
    demo.kill_part("ladder.cli.main", "worker")
    demo.kill_part("referee.serving", "RandomBot")
    demo.says("The worker ended (exit code -9) and was started again.")
    demo.says("The bot-random ended (exit code -9) and was started again.")
    assert demo.ends() == 0, demo.said
    assert demo.finished() == 12
    with demo.ladder() as session:
        check_ledger(session)
