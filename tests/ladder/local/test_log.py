"""The log of a local tournament: what it keeps, and what it refuses."""

import json
from dataclasses import replace
from itertools import islice
from math import nan
from pathlib import Path
from random import Random

import pytest

from ladder.errors import Refused
from ladder.local.entrants import LocalEntrant
from ladder.local.log import Terms, opened
from ladder.local.tournament import Pairing, PlannedGame, PlayedGame, plan
from referee.clock import Clock

BOTS = [LocalEntrant("./ana", "ana", "1", "us"), LocalEntrant("luz", "luz", "3", "us")]
TERMS = Terms(BOTS, 2, Pairing.ROUND_ROBIN, False, Clock())


def planned(seed: int, games: int = 4) -> list[PlannedGame]:
    return list(islice(plan(2, 2, Random(seed)), games))


def played(game: PlannedGame) -> PlayedGame:
    return PlayedGame(game, (1, 2), (40, 30), ((1, "Too “late”.\n"),), (0.25, 0.5), (90, 85))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of two games."""
    path = tmp_path / "log"
    with opened(path, TERMS, 7) as record:
        for game in planned(7)[:2]:
            record.add(played(game))
    return path


def test_what_was_put_on_record_is_there_again(log: Path) -> None:
    with opened(log, TERMS, None) as record:
        assert (record.seed, record.last) == (7, 2)
        assert record.played(planned(7)) == [played(game) for game in planned(7)[:2]]


def test_without_a_file_nothing_is_kept() -> None:
    with opened(None, TERMS, 7) as record:
        record.add(played(planned(7)[0]))
        assert (record.seed, record.last, record.played(planned(7))) == (7, 0, [])
    with opened(None, TERMS, None) as one, opened(None, TERMS, None) as other:
        assert one.seed != other.seed


@pytest.mark.parametrize("kept", [1, 10, 60, -1])
def test_a_torn_last_line_is_cut_and_its_game_played_again(log: Path, kept: int) -> None:
    whole = log.read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    before = whole.removesuffix(last)
    log.write_bytes(before + last[:kept])
    with opened(log, TERMS, None) as record:
        assert record.last == 1
        record.add(played(planned(7)[1]))
    assert log.read_bytes() == whole


def test_a_first_line_that_is_torn_is_written_anew(log: Path) -> None:
    log.write_bytes(log.read_bytes()[:30])
    with opened(log, TERMS, 9) as record:
        assert (record.seed, record.last) == (9, 0)


@pytest.mark.parametrize(
    "content",
    [
        *("my shopping list", "rum\n", "[1]\n", '{"a": 1}\n', "{}\n{}\n"),
        *('{"type":"santiago play"}\n', "[" * 100_000 + "\n"),
    ],
)
def test_a_file_that_is_no_log_stays_as_it_is(tmp_path: Path, content: str) -> None:
    path = tmp_path / "file"
    path.write_text(content)
    with pytest.raises(Refused, match="not a log"), opened(path, TERMS, None):
        pass
    assert path.read_text() == content


def test_a_line_that_is_damaged_in_the_middle(log: Path) -> None:
    first, second, third = log.read_text().splitlines()
    log.write_text(f"{first}\n{second[:-9]}\n{third}\n")
    with pytest.raises(Refused, match=r"Line 2 of .* is damaged"), opened(log, TERMS, None):
        pass


@pytest.mark.parametrize(
    ("terms", "difference"),
    [
        (replace(TERMS, bots=BOTS[::-1]), r"bots \[\["),
        (replace(TERMS, bots=[replace(BOTS[0], version="2"), BOTS[1]]), '"ana", "2"'),
        (replace(TERMS, seats=3), "seats 2, not 3"),
        (replace(TERMS, pairing=Pairing.GAUNTLET), 'pairing "round robin", not "gauntlet"'),
        (replace(TERMS, shared_dice=True), "shared_dice false, not true"),
        (replace(TERMS, clock=Clock(move_limit=1.0)), "clock "),
    ],
)
def test_a_log_of_another_tournament(log: Path, terms: Terms, difference: str) -> None:
    with (
        pytest.raises(Refused, match=f"is of another tournament: .*{difference}"),
        opened(log, terms, None),
    ):
        pass


def test_a_log_of_another_seed(log: Path) -> None:
    with pytest.raises(Refused, match="seed 7, not 8"), opened(log, TERMS, 8):
        pass


def test_two_runs_at_once(log: Path) -> None:
    with opened(log, TERMS, None), pytest.raises(Refused, match="in use"), opened(log, TERMS, None):
        pass


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"game": 1}, "twice"),
        *(({"game": number}, "not a game") for number in (-2, "two", [1], 10**9)),
    ],
)
def test_game_numbers_that_make_no_sense(
    log: Path, changed: dict[str, object], sentence: str
) -> None:
    *before, last = log.read_text().splitlines()
    log.write_text("\n".join([*before, json.dumps(json.loads(last) | changed)]) + "\n")
    with pytest.raises(Refused, match=sentence), opened(log, TERMS, None):
        pass


@pytest.mark.parametrize(
    "changed",
    [
        *({"ranks": [2, 2]}, {"vp": [1, None]}, {"think": [1]}, {"faults": [[2, "late"]]}),
        *({"think": [1, nan]}, {"decisions": [1, 10**400]}, {"faults": [[1.0, "late"]]}),
    ],
)
def test_a_game_that_nobody_can_have_played(log: Path, changed: dict[str, object]) -> None:
    *before, last = log.read_text().splitlines()
    log.write_text("\n".join([*before, json.dumps(json.loads(last) | changed)]) + "\n")
    with opened(log, TERMS, None) as record, pytest.raises(Refused, match="damaged"):
        record.played(planned(7))


def test_games_that_were_not_planned(log: Path) -> None:
    with opened(log, TERMS, None) as record:
        with pytest.raises(Refused, match="not the one that was planned"):
            record.played([replace(game, deal=5) for game in planned(7)])
        with pytest.raises(Refused, match="damaged"):
            record.played(planned(7)[:1])
