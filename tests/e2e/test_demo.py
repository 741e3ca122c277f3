"""`santiago demo` as a newcomer runs it: real Redis, worker, site, bots and games."""

import signal
import urllib.request

from ladder.contests.tournaments import lookup
from referee.hosting.guards import guards
from tests.conftest import missing
from tests.e2e.conftest import Start
from tests.e2e.processes import until
from tests.e2e.santiago import Santiago
from tests.ladder.ledgers import check_ledger

SMALL = ("--deals", "1")
LARGE = ("--deals", "9")  # long enough to be caught in the middle


def test_it_plays_shows_the_site_and_may_come_again(santiago: Start) -> None:
    """Parts that are killed meanwhile are started again, and every match counts once."""
    demo = santiago("demo", "--deals", "2")
    if guards().missing is None:
        demo.says("greedy comes in by upload, as authors' bots do.")
        demo.says("greedy is on the ladder, and plays in a sandbox.")
    else:
        missing("bubblewrap")
    demo.says("The sample bots play")
    until(lambda: demo.finished() >= 1)
    demo.kill_part("ladder.cli.main", "worker")
    demo.kill_part("referee.serving", "RandomBot")
    demo.says("The worker ended (exit code -9) and was started again.")
    demo.says("The bot-random ended (exit code -9) and was started again.")
    demo.says("Ctrl-C ends the demo.")
    for words in ("Matches: 6 of 6", "Tables of 3", "planner", "greedy", "random"):
        assert words in demo.said
    with urllib.request.urlopen(demo.said.partition("Standings: ")[2].split()[0]) as page:
        assert b"planner" in page.read()
    parts = demo.parts()
    demo.send(signal.SIGINT)
    assert demo.ends() == 0, demo.said
    demo.leaves_nothing(parts)
    stopped_in_its_tournament(santiago("demo", *LARGE), 2)
    plays_once(santiago("demo", "--once", *SMALL), 3)
    with demo.ladder() as session:
        assert lookup.progress(session, 1).finished == 6
        check_ledger(session)


def stopped_in_its_tournament(demo: Santiago, tournament_id: int) -> None:
    demo.says("Matches: ")
    parts = demo.parts()
    demo.send(signal.SIGINT)
    assert demo.ends() == 128 + signal.SIGINT
    demo.leaves_nothing(parts)
    assert "Traceback" not in demo.said
    with demo.ladder() as session:
        assert lookup.tournament(session, tournament_id).state == "cancelled"
        check_ledger(session)


def plays_once(demo: Santiago, tournament_id: int) -> None:
    demo.says("The sample bots play")
    parts = demo.parts()
    assert demo.ends() == 0, demo.said
    assert "/data` shows them again." in demo.said
    demo.leaves_nothing(parts)
    assert demo.finished(tournament_id) == 3
