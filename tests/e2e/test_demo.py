"""`santiago demo` as a newcomer runs it: real Redis, worker, site, bots and games."""

import signal
import urllib.request
from pathlib import Path

from ladder.contests.tournaments import lookup
from referee.hosting.guards import guards
from tests.conftest import missing
from tests.e2e.conftest import Start
from tests.e2e.processes import until
from tests.e2e.santiago import Santiago
from tests.ladder.ledgers import check_ledger

LISTENS = "is waiting for games"
"""What a bot's log says."""


def test_it_may_be_stopped_and_come_again_and_plays_to_the_end(
    santiago: Start, folder: Path
) -> None:
    """Parts that are killed meanwhile are started again, and every match counts once."""
    stopped_in_its_tournament(santiago("demo", "--deals", "9"))
    log = folder / "data" / "logs" / "bot-random.log"
    before = log.read_text().count(LISTENS)
    demo = santiago("demo", "--once", "--deals", "2")
    until(lambda: log.read_text().count(LISTENS) > before)
    demo.stop_part("bot-random")  # without it the tournament cannot end
    demo.says("The sample bots play")
    until(lambda: demo.finished(2) >= 1)
    demo.kill_part("worker")
    demo.kill_part("bot-random")
    with urllib.request.urlopen(demo.said.partition("watch at ")[2].split()[0]) as page:
        assert b"planner" in page.read()
    demo.says("The worker ended (exit code -9) and was started again.")
    demo.says("The bot-random ended (exit code -9) and was started again.")
    parts = demo.parts()
    assert demo.ends() == 0, demo.said
    demo.leaves_nothing(parts)
    for words in ("Matches: 12 of 12", "Tables of 3", "turquino", "planner", "Standings: "):
        assert words in demo.said
    assert "/data` shows them again." in demo.said
    with demo.ladder() as session:
        assert lookup.progress(session, 2).finished == 12
        check_ledger(session)


def stopped_in_its_tournament(demo: Santiago) -> None:
    if guards().missing is not None:
        missing("bubblewrap")
    demo.says("greedy comes in by upload, as authors' bots do.")
    demo.says("greedy is on the ladder, and plays in a sandbox.")
    demo.says("Matches: ")
    parts = demo.parts()
    demo.send(signal.SIGINT)
    assert demo.ends() == 128 + signal.SIGINT
    demo.leaves_nothing(parts)
    assert "Traceback" not in demo.said
    with demo.ladder() as session:
        assert lookup.tournament(session, 1).state == "cancelled"
        check_ledger(session)
