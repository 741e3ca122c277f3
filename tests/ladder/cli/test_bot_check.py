"""A report is told in a few lines, however many checks failed by one error."""

import pytest

from ladder.cli.bot_check import failed_lines, print_summary
from referee.conformance.check import CheckResult, CheckState
from tests.ladder.cli.terminal import fails

CHOSE = "It ended the stream (UNKNOWN: ana chose {}, which is not one of decision.moves: {}.). "


PRINTED = "(UNKNOWN: The program printed {}, which is not a legal {} move: {}.). "
NO_MOVE = (
    "(UNKNOWN: The program printed {}, which is not a {} move such as '{}': "
    "all else belongs on standard error.). "
)

REASONS = (("drive", "It sleeps."), ("visit", "It ended."))


def check(name: str, told: str, state: str = "failed") -> dict[str, str]:
    return {"name": name, "state": state, "told": told}


def test_each_reason_once() -> None:
    drive = CHOSE.format("0", "33 (drive 1)") + "It had been asked for a drive decision (id 2)."
    visit = CHOSE.format("5", "6 (visit bank)") + "It had been asked for a visit decision (id 3)."
    found = [
        check("describe", "", "passed"),
        check("drive", drive),
        check("several-games", "No choice came within 10 s."),
        check("against-itself", "No choice came within 10 s."),
        check("short-time", "No choice came within 1 s."),
        check("visit", visit),
        check("pick", "First mend drive.", "not tried"),
        check("demand", "First mend drive.", "not tried"),
    ]
    assert failed_lines(found) == [
        f"failed: drive - {drive}",
        "for the same reason: visit",
        "failed: several-games - No choice came within 10 s.",
        "for the same reason: against-itself",
        "failed: short-time - No choice came within 1 s.",
        "not tried: 2",
    ]
    assert failed_lines(found[:1]) == []


def test_each_reason_once_of_a_program_that_prints_moves() -> None:
    found = [
        check("drive", PRINTED.format("'hello'", "drive", "drive 1, drive 2")),
        check("visit", PRINTED.format("'goodbye'", "visit", "visit bank and …")[:-4] + "). "),
        check("function", NO_MOVE.format("'hello'", "function", "lower")),
        check("deliver", NO_MOVE.format("'it's'", "deliver", "pass")),
        check("pick", "It ended. It had been asked for a pick move."),
        check("lawyer", "It ended. It had been asked for a lawyer move."),
    ]
    first, _, no_move, _, ended, _ = [f"failed: {one['name']} - {one['told']}" for one in found]
    same = "for the same reason: {}".format
    assert failed_lines(found) == [
        *(first, same("visit")),
        *(no_move, same("deliver")),
        *(ended, same("lawyer")),
    ]


def test_checks_that_could_not_be_made_are_no_pass(capsys: pytest.CaptureFixture[str]) -> None:
    states = (CheckState.PASSED, CheckState.NOT_TRIED)
    found = [CheckResult(state.value, "It plays.", state) for state in states]
    assert not print_summary(found)
    assert capsys.readouterr().out == "0 of 2 checks failed, 1 was not tried.\n"


def test_what_to_mend_first_is_said_if_several_checks_failed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    failed = [
        CheckResult(name, "It plays.", CheckState.FAILED, explanation=told)
        for name, told in REASONS
    ]
    assert not print_summary(failed[:1])
    assert not print_summary(failed)
    assert capsys.readouterr().out.splitlines() == [
        "1 of 1 checks failed, 0 were not tried.",
        "2 of 2 checks failed, 0 were not tried.",
        "First mend: drive - It sleeps.",
    ]


def test_the_path_of_a_socket_may_be_too_long() -> None:
    path = f"unix:/{'x' * 107}"
    assert f"The path in {path} is too long: it has 107 bytes at most." in fails(
        "bot", "check", path
    )
