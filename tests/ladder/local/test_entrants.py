"""Words of the command line, and the bots that they mean."""

import asyncio
from pathlib import Path

import pytest

from ladder.local.entrants import (
    LocalEntrant,
    candidate_of,
    gathered,
    installed_bots,
    labels,
    last_lines,
)
from referee.clock import Clock
from referee.conformance.games import NOT_MEANT
from referee.errors import InvalidBot
from referee.processes import BotProcess

pytestmark = pytest.mark.usefixtures("forked_python")
BOTS = "python -m tests.ladder.local.bots"


def entrant(word: str, name: str, version: str = "1") -> LocalEntrant:
    return LocalEntrant(word, name, version, "us")


def test_the_sample_bots_are_installed() -> None:
    assert {"random", "greedy", "planner"} <= set(installed_bots())


def test_a_name_means_a_bot_in_this_process() -> None:
    with gathered(["greedy", "greedy"]) as (one, other):
        assert one == other
        assert (one.name, one.target, one.address) == (
            "greedy",
            "sample_bots.greedy:GreedyBot",
            None,
        )


def test_a_command_means_a_process_for_as_long_as_it_is_needed(tmp_path: Path) -> None:
    with gathered([f"{BOTS} quiet", f"{BOTS} quiet"]) as (one, other):
        assert one.name == other.name == "quiet"
        assert one.address is not None
        assert one.address != other.address
        socket = Path(one.address.removeprefix("unix:"))
        assert socket.is_socket()
    assert not socket.parent.exists()


def test_an_address_means_a_bot_that_runs(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/bot"
    command = ["python", "-m", "tests.ladder.local.bots", "quiet"]
    with BotProcess(command, address) as process:
        process.wait_until_ready()
        with gathered([address]) as (found,):
            assert (found.name, found.address) == ("quiet", address)


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("gredy", "'gredy' is not an installed bot .*greedy.*, not an address .* or .*my_bot.[.]$"),
        ("", "'' is not an installed bot"),
        ("bot 'unfinished", "is not a command: No closing quotation"),
        ("127.0.0.1:99999", "'127.0.0.1:99999' is not .*, not an address .* of 1 to 65535"),
        ("127.0.0.1:0", "not an address"),
        ("./no/such/bot", "The bot './no/such/bot' does not start"),
        ("unix:/no/such/socket", "No bot answers at unix:/no/such/socket"),
        (f"{BOTS} broken", "ended with exit code 1 (?s:.*)I have no rum left"),
    ],
)
def test_a_word_that_means_nothing_is_told_why(word: str, sentence: str) -> None:
    with pytest.raises(InvalidBot, match=sentence), gathered(["greedy", word]):
        pass


def test_what_bots_are_called_in_tables() -> None:
    assert labels([entrant("a", "ana"), entrant("b", "luz"), entrant("b", "luz")]) == [
        *("ana", "luz", "luz")
    ]
    versions = [entrant("old", "ana", "1"), entrant("new", "ana", "2"), entrant("c", "luz")]
    assert labels(versions) == ["ana 1", "ana 2", "luz"]
    alike = [entrant("./old", "ana"), entrant("./new", "ana")]
    assert labels(alike) == ["ana (./old)", "ana (./new)"]


def test_the_last_lines_without_the_fault_that_the_suite_pretends() -> None:
    printed = f"one\ntwo\nFault at seat 0: {NOT_MEANT}\nthree\n"
    assert last_lines(printed.encode(), 2) == ["two", "three"]


def test_of_equal_lines_in_a_row_one_stays_with_their_number() -> None:
    printed = "one\n" + "It chose 3.\n" * 40 + "\n\nIt chose 3.\nlast\n"
    told = ["It chose 3. (40 times)", "", "It chose 3.", "last"]
    assert last_lines(printed.encode(), 5) == ["one", *told]
    assert last_lines(printed.encode(), 4) == told


def test_the_last_lines_do_not_steer_a_terminal() -> None:
    assert last_lines(b"\x1b]0;mine\x07\n") == [r"\x1b]0;mine\x07"]


def test_of_an_error_of_node_the_last_lines_have_what_was_thrown() -> None:
    own = ["Error: Cannot find module 'left-pad'", "    at Game.choose (/bot/bot.js:4:1)"]
    theirs = (
        "    at Module._load (node:internal/modules/cjs/loader:1038:27)\n"
        "    at node:internal/main/run_main_module:28:49\n"
        "    at Server.send (/bot/node_modules/@grpc/grpc-js/build/src/server.js:1637:20)\n"
    )
    printed = "\n".join([*own, theirs * 5, "Node.js v20.20.2"])
    assert [line for line in last_lines(printed.encode()) if line] == [*own, "Node.js v20.20.2"]


JAVA = (
    "java.lang.IllegalStateException: no rum\n\tat JavaBot$1.onNext(JavaBot.java:18)",
    "\tat io.grpc.internal.ContextRunnable.run(ContextRunnable.java:37)\n"
    "\tat java.base/java.lang.Thread.run(Thread.java:840)\n"
    "\tat jdk.compiler/com.sun.tools.javac.launcher.Main.run(Main.java:192)\n",
)
GO = (
    "panic: no rum\nmain.best(0x0)\n\t/home/me/mybot/main.go:9 +0x1d",
    "google.golang.org/grpc.(*Server).serveStreams.func1.2()\n"
    "\t/home/me/go/pkg/mod/google.golang.org/grpc@v1.60.0/server.go:871 +0x98\n"
    "created by google.golang.org/grpc.(*Server).serveStreams.func1\n",
)


@pytest.mark.parametrize(("own", "of_libraries"), [JAVA, GO])
def test_of_an_error_of_java_or_go_the_last_lines_have_what_was_thrown(
    own: str, of_libraries: str
) -> None:
    printed = f"{own}\n{of_libraries * 9}".encode()
    assert last_lines(printed) == own.expandtabs().splitlines()


def test_of_an_error_of_a_python_module_the_last_lines_have_its_own_files() -> None:
    own = '  File "/home/me/my_bot.py", line 2, in <module>'
    launcher = '  File "<frozen runpy>", line 88, in _run_code'
    assert last_lines(f"{launcher}\n{own}\n".encode()) == [own]


def test_a_python_without_the_kit() -> None:
    *_, hint = last_lines(b"ModuleNotFoundError: No module named 'referee'\n")
    assert "activate the environment" in hint


async def test_who_waits_no_more_for_a_bot_to_start_ends_it() -> None:
    with candidate_of("sleep 999", Clock(), 1.0) as started:
        waiting = asyncio.ensure_future(started.suite[0].run(started.candidate))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert started.process is not None
        assert await asyncio.to_thread(started.process.wait, 60.0) is not None
