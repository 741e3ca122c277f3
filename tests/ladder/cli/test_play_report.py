"""What `santiago play` says, on games made by hand."""

import csv
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from ladder.cli.files import write_whole
from ladder.cli.play_report import print_report, sentences, write_csv
from ladder.local.entrants import LocalEntrant
from ladder.local.estimates import Hypotheses, SprtProgress, Verdict
from ladder.local.log import Terms
from ladder.local.results import PlayReport, report
from ladder.local.tournament import Pairing, PlayedGame
from referee.clock import Clock
from tests.ladder.local.test_results import game


def reported(
    games: Sequence[PlayedGame],
    names: Sequence[str] = ("ana", "luz"),
    planned: int = 0,
    test: SprtProgress | None = None,
) -> PlayReport:
    bots = [LocalEntrant(name, name, "1", "us") for name in names]
    terms = Terms(bots, len(games[0].ranks), Pairing.ROUND_ROBIN, False, Clock())
    return report(games, terms, planned or len(games), test)


def deals(*winners: int) -> list[PlayedGame]:
    """One game a deal; the winner is entrant 0 or 1, or nobody (2)."""
    ranks = ((1, 2), (2, 1), (1, 1))
    return [game(*ranks[winner], deal=deal) for deal, winner in enumerate(winners)]


def words(told: PlayReport) -> str:
    return "\n".join(sentences(told))


def test_a_clear_win() -> None:
    told = words(reported(deals(*[0] * 93, *[1] * 7)))
    assert told == "ana beats luz at 93 of 100 tables, certain (Elo +449, 95 %: +346 to +678)."


def test_an_open_comparison_says_how_many_games_it_needs() -> None:
    told = words(reported(deals(*[0] * 28, *[1] * 22)))
    assert told == (
        "ana and luz need about 220 more games to tell: ana beats luz at 28 of 50 tables "
        "(Elo +42, 95 %: -55 to +146)."
    )


def test_a_comparison_that_is_as_good_as_even_names_no_number_of_games() -> None:
    told = words(reported(deals(*[0] * 201, *[1] * 200)))
    assert told.startswith("ana and luz need more than ")


def test_equals() -> None:
    told = words(reported(deals(*[0, 1, 2] * 20)))
    assert told.startswith("ana and luz are even so far: ana beats luz")
    assert "at 20 of 60 tables (20 shared)" in told


def test_few_games_are_marked() -> None:
    told = words(reported(deals(*[0] * 10)))
    assert "ana beats luz at 10 of 10 tables, certain (Elo +∞, 95 %: ~+" in told
    assert "~ regularised: with fewer than 30 deals" in told


def test_who_faulted(capsys: pytest.CaptureFixture[str]) -> None:
    lost = game(1, 2, vp=(), faults=[(1, "No choice came within [1] s.")])
    print_report(reported([lost]))
    told = capsys.readouterr().out
    assert "–" in told  # no mean of the victory points
    assert "Game 1: luz faulted. No choice came within [1] s." in told


def test_many_faults_are_cut() -> None:
    told = words(reported([game(1, 2, deal=n, faults=[(1, "Too late.")]) for n in range(50)]))
    assert told.count("luz faulted") == 20
    assert "… and 30 faults more (--json tells all)." in told


def test_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(reported(deals(0, 0, 1), planned=10))
    told = capsys.readouterr().out
    assert told.startswith("3 of 10 games")
    for heading in ("Elo", "95 %", "LOS", "score", "mean VP", "faults", "think", "seat 1"):
        assert heading in told
    assert "after luz" in told
    assert "2/3" in told


def test_a_bot_that_has_not_played_has_no_row(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(reported(deals(0, 0, 1), ("ana", "luz", "rey"), planned=10))
    told = capsys.readouterr().out
    assert "Not played yet: rey." in told
    assert told.count("rey") == 1
    assert "Not played in so few games: rey." in words(
        reported(deals(0, 0, 1), ("ana", "luz", "rey"))
    )
    assert "Not played" not in words(reported(deals(0, 0, 1)))


def test_no_name_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("the-first-of-a-family-of-bots", "luz")
    print_report(reported(deals(*[0] * 28, *[1] * 22), names))
    told = capsys.readouterr().out
    assert f"│ {names[0]} │" in told
    assert f"┃ after {names[0]} ┃" in told
    assert "…" not in told


def test_a_name_with_brackets_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(reported(deals(0, 0, 1), ("ana [/x]", "luz [red] :rum:")))
    told = capsys.readouterr().out
    for name in ("ana [/x]", "luz [red] :rum:"):
        assert told.count(f"│ {name} ") == 2
        assert f"┃ after {name} ┃" in told


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_an_output_without_the_signs(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    output = TextIOWrapper(BytesIO(), encoding)
    monkeypatch.setattr("sys.stdout", output)
    print_report(reported(deals(*[0] * 10), ("ana", "łuz")))
    output.flush()
    told = output.buffer.getvalue().decode(encoding)
    assert "+inf" in told
    assert "| ?uz" in told
    assert "Elo +inf, 95 %" in told


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    link, file = tmp_path / "link", tmp_path / "file"
    for _ in ("new", "old"):
        link.unlink(missing_ok=True)
        link.symlink_to(file)
        write_whole(link, b"told")
        assert link.is_symlink()
        assert file.read_bytes() == b"told"
    assert sorted(tmp_path.iterdir()) == [file, link]


def test_a_link_to_itself_is_replaced(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(link)
    write_whole(link, b"told")
    assert link.read_bytes() == b"told"


def test_a_pipe_is_written_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(pipe.read_bytes)
        write_whole(pipe, b"told")
        assert read.result(60) == b"told"
    assert pipe.is_fifo()
    ours, theirs = os.pipe()  # as `--json >(jq .)` gives
    write_whole(Path(f"/dev/fd/{theirs}"), b"told")
    os.close(theirs)
    with os.fdopen(ours, "rb") as file:
        assert file.read() == b"told"


def test_the_sequential_test() -> None:
    test = SprtProgress(Hypotheses(0, 20), 80, 3.0, Verdict.H1)
    told = reported(deals(0, 0, 1), planned=10, test=test)
    assert words(told).startswith(
        "SPRT: ana is nearer to +20 Elo than to +0 (H1): LLR +3.00 of -2.94 to 2.94 after 80 deals."
        " Line-up A B, in every rotation; ana is A."
    )
    assert not told.unfinished


def test_the_sequential_test_after_a_single_deal() -> None:
    test = SprtProgress(Hypotheses(0, 20), 1, -0.1, Verdict.OPEN)
    assert " after 1 deal. Line-up" in words(reported(deals(0), planned=10, test=test))


def test_nothing_is_said_of_no_games(capsys: pytest.CaptureFixture[str]) -> None:
    bots = [LocalEntrant("ana", "ana", "1", "us")] * 2
    print_report(report([], Terms(bots, 2, Pairing.ROUND_ROBIN, False, Clock()), 5))
    assert capsys.readouterr().out == ""


def test_no_name_is_a_formula_in_a_spreadsheet(tmp_path: Path) -> None:
    write_csv(tmp_path / "told.csv", reported(deals(0, 1), ('=HYPERLINK("x")', "luz=")))
    with (tmp_path / "told.csv").open(newline="") as file:
        names = {row["bot"] for row in csv.DictReader(file)}
    assert names == {'\'=HYPERLINK("x")', "luz="}
