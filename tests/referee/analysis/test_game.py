"""The analysis of a recorded game: each moment, each decision, each roll."""

import json
import zlib

import pytest

from referee.analysis import Phase, analyse, document, pack, unpack
from referee.analysis.results import turning_points
from referee.engine.evaluation import rank_chances
from referee.errors import ReplayError
from referee.replay import frames, read, simulate, start, write
from tests.referee.analysis.games import TABLES, analysis_of, replay_of

EACH_TABLE = pytest.mark.parametrize("table", TABLES)


@EACH_TABLE
def test_each_frame_of_the_viewer_has_its_chances(table: str) -> None:
    chances = analysis_of(table).chances
    assert len(chances) == len(frames(replay_of(table))["frames"])
    for moment in chances:
        for rows in (moment, zip(*moment, strict=True)):
            assert [sum(row) for row in rows] == pytest.approx([1.0] * len(moment), abs=0.003)


def test_a_lead_means_less_in_a_game_that_is_played_by_chance() -> None:
    record, told = replay_of("two"), analysis_of("two").chances
    position = start(record)
    for moment, _ in enumerate(simulate(position, record)):
        usual = rank_chances(position)[0][0]
        assert abs(told[moment][0][0] - 0.5) < abs(usual - 0.5)


@EACH_TABLE
def test_the_last_moment_is_the_result(table: str) -> None:
    result = analysis_of(table).chances[-1]
    assert [row.index(max(row)) + 1 for row in result] == list(replay_of(table).result.ranks)


@EACH_TABLE
def test_the_decisions_are_the_frames_that_a_bot_chose(table: str) -> None:
    shown = frames(replay_of(table))["frames"]
    chosen = {
        moment: (frame["seat"], frame["kind"], frame["move"], sorted(frame["legal"]))
        for moment, frame in enumerate(shown)
        if frame["type"] == "move" and frame["by"] == "bot"
    }
    assert {
        one["moment"]: (
            one["seat"],
            one["kind"],
            one["move"],
            sorted(value["move"] for value in one["values"]),
        )
        for one in document(analysis_of(table))["decisions"]
    } == chosen


@EACH_TABLE
def test_the_ship_in_the_harbour_says_the_phase(table: str) -> None:
    shown = frames(replay_of(table))["frames"]
    for decision in analysis_of(table).decisions:
        ship = shown[decision.moment - 1]["state"]["ship"]
        assert decision.phase is (
            Phase.OPENING if ship <= 2 else Phase.MIDDLE if ship <= 5 else Phase.END
        )


@EACH_TABLE
def test_what_a_decision_cost_is_the_distance_to_the_best_move(table: str) -> None:
    for decision in analysis_of(table).decisions:
        shares = [value.share for value in decision.values]
        assert shares == sorted(shares, reverse=True)
        assert decision.gap == round(shares[0] - shares[1], 3)
        assert decision.cost == pytest.approx(shares[0] - decision.share)
        assert decision.line[0] == decision.values[0].move


@EACH_TABLE
def test_each_roll_has_its_luck(table: str) -> None:
    shown = frames(replay_of(table))["frames"]
    rolls = [moment for moment, frame in enumerate(shown) if frame["type"] == "roll"]
    assert [roll.moment for roll in analysis_of(table).rolls] == rolls
    for roll in analysis_of(table).rolls:
        assert sum(roll.luck) == pytest.approx(0.0, abs=0.003)


def test_a_seat_that_faulted_is_last_from_then_on() -> None:
    shown = frames(replay_of("fault"))["frames"]
    fault = next(moment for moment, frame in enumerate(shown) if frame["type"] == "fault")
    chances = analysis_of("fault").chances
    assert chances[fault - 1][1][2] < 1.0
    assert {moment[1] for moment in chances[fault:]} == {(0.0, 0.0, 1.0)}


def test_who_is_left_is_compared_with_the_others_who_are_left() -> None:
    """At a table of three nobody can lose more than half of the points to one other bot."""
    found = analysis_of("fault")
    fault = next(moment for moment, seats in enumerate(found.chances) if seats[1][2] == 1.0)
    after = [decision for decision in found.decisions if decision.moment > fault]
    assert after
    assert all(0.5 <= value.share <= 1.0 for one in after for value in one.values)
    assert {roll.luck[1] for roll in found.rolls if roll.moment > fault} == {0.0}


def test_seats_that_were_empty_from_the_start_share_the_last_ranks() -> None:
    chances = analysis_of("absent").chances
    assert {moment[seat] for moment in chances[2:] for seat in (0, 2)} == {(0.0, 0.0, 0.5, 0.5)}


def test_a_caretakers_moves_are_no_decisions() -> None:
    summaries = document(analysis_of("absent"))["seats"]
    assert [bool(one["decisions"]) for one in summaries] == [False, True, False, True]
    assert [bool(one["caretaker"]) for one in summaries] == [True, False, True, False]


@EACH_TABLE
def test_the_same_game_gives_the_same_analysis(table: str) -> None:
    assert analyse(read(write(replay_of(table))), looks=2) == analysis_of(table)


def test_chances_and_luck_do_not_depend_on_the_depth() -> None:
    deeper = analyse(replay_of("two"), looks=4)
    assert deeper.chances == analysis_of("two").chances
    assert deeper.rolls == analysis_of("two").rolls


@EACH_TABLE
def test_what_is_stored_is_the_whole_analysis(table: str) -> None:
    assert unpack(pack(analysis_of(table))) == analysis_of(table)


def test_the_summaries_add_up() -> None:
    analysis = analysis_of("two")
    for summary in document(analysis)["seats"]:
        own = [one for one in analysis.decisions if one.seat == summary["seat"]]
        assert summary["decisions"] == len(own)
        assert summary["loss"] == pytest.approx(sum(one.cost for one in own))
        for parts in (summary["by_kind"], summary["by_phase"]):
            assert sum(part["decisions"] for part in parts.values()) == len(own)
        assert sum(summary["marks"].values()) == sum(one.mark is not None for one in own)


def test_a_game_turns_five_times_at_most_and_not_twice_in_four_moments() -> None:
    chances = [0.9, 0.9, 0.4, 0.4] * 8
    told = turning_points([((chance, 1 - chance), (1 - chance, chance)) for chance in chances])
    assert told == (2, 6, 10, 14, 18)


def test_damaged_bytes_are_no_analysis() -> None:
    for data in (b"", b"no analysis", pack(analysis_of("two"))[:-40]):
        with pytest.raises(ReplayError, match="damaged"):
            unpack(data)


def test_an_analysis_of_another_format_says_so() -> None:
    """Whatever it holds."""
    later = zlib.compress(b'[2, "turquino 9"]')
    with pytest.raises(ReplayError, match="has format 2; this program reads 1"):
        unpack(later)


def test_a_forged_game_is_not_analysed() -> None:
    forged = read(write(replay_of("two")))
    forged.result.ranks[0], forged.result.ranks[1] = 2, 2
    with pytest.raises(ReplayError, match="result"):
        analyse(forged, looks=1)


def test_the_document_is_plain_json() -> None:
    found = document(analysis_of("fault"))
    assert json.loads(json.dumps(found))["decisions"] == found["decisions"]
