"""`santiago bot` and `santiago tournament` on the database of a folder, and of the environment."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from ladder import model
from ladder.model import Match, Tournament, TournamentState
from referee.processes import BotProcess
from sample_bots.random_bot import RandomBot
from tests.conftest import free_port
from tests.ladder.cli.terminal import fails, run, succeeds
from tests.ladder.databases import new_ladder, session_on
from tests.referee.games import served
from tests.web.arena import play_next, register, tournament


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The folder of a ladder without bots."""
    new_ladder(tmp_path / "ladder.db")
    return tmp_path


@pytest.fixture(scope="module")
def greedy(forked_python: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a bot that runs."""
    address = f"unix:{tmp_path_factory.mktemp('bot')}/greedy"
    command = ["python", "-m", "referee.serving", "sample_bots.greedy:GreedyBot"]
    with BotProcess(command, address) as process:
        process.wait_until_ready()
        yield address


def test_bots_are_added_and_listed_and_a_tournament_is_started(data: Path, greedy: str) -> None:
    where = ("--data", str(data))
    assert succeeds("bot", "list", *where) == ""
    assert succeeds("bot", "add", greedy, *where) == f"Bot 1: greedy 1 at {greedy}\n"
    other = f"unix:{data / 'other'}"
    (data / "other").symlink_to(greedy.removeprefix("unix:"))
    for to, before in ((greedy, ""), (other, f", no longer at {greedy}")):
        told = succeeds("bot", "add", to, *where)
        assert told == f"Bot 1: greedy 1 at {to}{before}\n"
    assert succeeds("bot", "add", greedy, "--name", "gold", *where).startswith("Bot 2: gold 1")
    assert len(succeeds("bot", "list", *where).splitlines()) == 2
    started = succeeds("tournament", "create", "1", "2", "--deals", "3", "--start", *where)
    assert started == "Tournament 1: 6 matches; they are queued.\n"


def test_a_tournament_is_led_from_its_start_to_its_end(data: Path, greedy: str) -> None:
    where = ("--data", str(data))
    for name in ("ada", "bela", "caro"):
        succeeds("bot", "add", greedy, "--name", name, *where)
    assert succeeds("tournament", "list", *where) == ""
    made = succeeds(
        *("tournament", "create", "1", "2", "3", "--format", "swiss", "--rounds", "2"), *where
    )
    assert made == "Tournament 1: 16 matches; `santiago tournament start 1` lets them begin.\n"
    for step, told in (
        ("start", "has started"),
        ("pause", "is paused; the matches under way are played to their end"),
        ("resume", "goes on"),
    ):
        assert succeeds("tournament", step, "1", *where) == f"Tournament 1 {told}.\n"
    assert "Swiss at tables of 2, running, round 1 of 2" in (
        shown := succeeds("tournament", "show", "1", *where)
    )
    assert "0 of 16 matches played, 0 running, 0 failed\n" in shown
    with session_on(f"sqlite:///{data}/ladder.db") as session:
        session.execute(update(Match).where(Match.id == 1).values(annulled_at=model.now(session)))
        session.commit()
    assert "0 failed, 1 annulled\n" in succeeds("tournament", "show", "1", *where)
    assert all(name in shown for name in ("ada", "bela", "caro"))
    assert "None of the bots that missed" in fails("tournament", "play-forfeits", "1", *where)
    asked = run("tournament", "withdraw", "1", "3", "--annul", *where).stdout
    assert "Withdraw bot 3 from tournament 1 for good, and annul its results? [y/N]" in asked
    left = succeeds("tournament", "withdraw", "1", "3", "--annul", "--yes", *where)
    assert left.startswith("Bot 3 has withdrawn from tournament 1.\nAnnulled: 0 matches ")
    assert "withdrew" in succeeds("tournament", "show", "1", *where)
    assert "add --yes" in fails("tournament", "cancel", "1", *where)
    assert succeeds("tournament", "cancel", "1", "--yes", *where) == "Tournament 1 is cancelled.\n"
    assert succeeds("tournament", "list", *where).split()[-6:] == [
        *("Swiss", "Swiss", "cancelled", "2", "0", "16")
    ]
    assert "it can't be resumed now" in fails("tournament", "resume", "1", *where)
    assert "There is no tournament 2" in fails("tournament", "show", "2", *where)
    for command in ("show", "start"):
        said = fails("tournament", command, "1" * 20, *where, code=2)
        assert "Invalid value for 'TOURNAMENT_ID'" in said


def test_who_withdraws_a_bot_reads_how_many_matches_are_annulled(data: Path) -> None:
    with session_on(f"sqlite:///{data}/ladder.db") as session:
        cup = tournament(session, register(session, ["ada", "bela", "caro"]))
        play_next(session, cup)
    left = succeeds("tournament", "withdraw", "1", "1", "--annul", "--yes", "--data", str(data))
    assert left.splitlines() == [
        "Bot 1 has withdrawn from tournament 1.",
        "Annulled: 1 match that it had played there.",
    ]


def test_a_bot_without_matches_has_a_rank_once_the_tournament_is_over(
    data: Path, greedy: str
) -> None:
    where = ("--data", str(data))
    for bot in ("ada", "bela"):
        succeeds("bot", "add", greedy, "--name", bot, *where)
    succeeds("tournament", "create", "1", "2", "--start", *where)
    assert succeeds("tournament", "show", "1", *where).splitlines()[-1].split()[:2] == ["-", "bela"]
    with session_on(f"sqlite:///{data}/ladder.db") as session:
        session.execute(update(Tournament).values(state=TournamentState.FINISHED))
        session.commit()
    assert succeeds("tournament", "show", "1", *where).splitlines()[-1].split()[:2] == ["1", "bela"]


def test_a_name_is_shown_whole_and_as_it_is(data: Path, greedy: str) -> None:
    where = ("--data", str(data))
    for bot in ("ada", "bela"):
        succeeds("bot", "add", greedy, "--name", bot, *where)
    names = ("Cup [/x]", "Spring [cup]", "Rum :cup:", "Cup-of-young-and-old" * 3)
    for name in names:
        succeeds("tournament", "create", "1", "2", "--name", name, *where)
    listed = succeeds("tournament", "list", *where)
    assert all(name in listed for name in names)


def test_what_makes_no_tournament(data: Path, greedy: str) -> None:
    where = ("--data", str(data))
    succeeds("bot", "add", greedy, *where)
    succeeds("bot", "add", greedy, "--name", "gold", *where)
    for words, sentence, code in (
        (("1",), "needs at least 2 bots, not 1", 1),
        (("1", "1"), "listed twice", 1),
        (("1", "9"), "There is no bot 9", 1),
        (("one",), "Invalid value for 'BOT_IDS...': 'one' is not a valid id.", 2),
        (("1", "1" * 20), "Invalid value for 'BOT_IDS...'", 2),
        (("1", "2", "--move-limit", "0"), "A clock needs", 2),
        (("1", "2", "--hosted-only"), "address of their own: greedy, gold. Leave them out", 1),
        ((), "Missing argument", 2),
    ):
        assert sentence in fails("tournament", "create", *words, *where, code=code)


def test_no_bot_at_the_address(data: Path) -> None:
    told = fails("bot", "add", f"unix:{data}/none", "--data", str(data))
    assert told.startswith("Error: No bot answers at unix:")


@pytest.mark.parametrize("address", ["", "bot.example", "127.0.0.1:0", ":50051", "[::1]:x"])
def test_an_address_that_cannot_be(address: str, data: Path) -> None:
    told = fails("bot", "add", address, "--data", str(data), code=2)
    assert f"'{address}' is no address: give HOST:PORT, with a port of 1 to 65535," in told


def test_no_ladder_in_the_folder(tmp_path: Path) -> None:
    told = fails("bot", "list", "--data", str(tmp_path))
    assert told.startswith(f"Error: There is no ladder in {tmp_path}: start one with `santiago up`")


def test_the_environment_goes_before_the_folder(data: Path, tmp_path: Path, greedy: str) -> None:
    elsewhere = new_ladder(tmp_path / "elsewhere.db")
    told = run("bot", "add", greedy, "--data", str(data), DATABASE_URL=elsewhere).output
    assert told.startswith("Bot 1")
    assert succeeds("bot", "list", "--data", str(data)) == ""


def test_a_service_takes_no_bot_that_its_workers_would_not_dial(tmp_path: Path) -> None:
    url, address = new_ladder(tmp_path / "ladder.db"), f"127.0.0.1:{free_port()}"
    with served(RandomBot, address):
        refused = run("bot", "add", address, DATABASE_URL=url)
        added = run("bot", "add", address, DATABASE_URL=url, SANTIAGO_ALLOW_PRIVATE="1")
    assert refused.exit_code == 1
    assert "can allow it with SANTIAGO_ALLOW_PRIVATE=1" in refused.stderr
    assert added.output == f"Bot 1: random 1 at {address}\n"


def test_a_database_without_tables_of_a_wrong_kind_or_out_of_reach(tmp_path: Path) -> None:
    for url, sentence in (
        (f"sqlite:///{tmp_path}/empty.db", "make them with `santiago db upgrade`"),
        ("mysql://host/name", "DATABASE_URL names mysql"),
        ("rum", "DATABASE_URL is no database address"),
        ("postgresql://nobody:secret@127.0.0.1:5432x/none", "port in DATABASE_URL is no number"),
        ("postgresql://nobody:s@secret@127.0.0.1/none", "DATABASE_URL has two @"),
        ("postgresql://nobody:secret@127.0.0.1:9/none", "The database does not answer"),
    ):
        result = run("bot", "list", DATABASE_URL=url)
        assert result.exit_code == 1
        assert sentence in result.stderr
        assert "secret" not in result.stderr
