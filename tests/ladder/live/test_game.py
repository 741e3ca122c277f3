import asyncio
from random import Random

from ladder.live import GAP, Event, Frame, GameSoFar
from ladder.live.frames import newest_frame
from referee.clock import Clock
from referee.match import Match, Seat, play_table
from referee.replay import frames
from referee.rules import Layout
from referee.seats.local import LocalSeat
from tests.web.arena import AnyMove, GivesUp

LAYOUT = Layout.shuffled(Random(7))


def game(*, gives_up_after: int = 1000) -> tuple[list[Event], list[Frame]]:
    """What is told of a game of three while it is played, and the frames of its replay."""
    told: list[Frame] = []
    match = Match("9", 1, LAYOUT, bytes(32), Clock(), (Seat("", "ana", "1", "compay"),) * 3)
    table = [LocalSeat(AnyMove(1)), LocalSeat(GivesUp(gives_up_after)), LocalSeat(AnyMove(3))]
    replay = asyncio.run(play_table(match, table, lambda at: told.append(newest_frame(at))))
    return [Event(9, 1, n, frame) for n, frame in enumerate(told, 1)], frames(replay)["frames"]


def so_far(events: list[Event], attempt: int = 1) -> GameSoFar:
    made = GameSoFar(LAYOUT, 3, attempt)
    for event in events:
        made.take(event)
    return made


def test_the_frames_are_those_of_the_replay_but_for_thinking_times_and_the_end() -> None:
    events, kept = game(gives_up_after=12)
    expected = [{k: v for k, v in frame.items() if k != "think_ms"} for frame in kept[:-1]]
    assert any(frame["type"] == "fault" for frame in expected)
    assert so_far(events).frames == expected


def test_no_seed_is_known() -> None:
    assert GameSoFar(LAYOUT, 3, 1).setup["seed"] is None


def test_an_event_counts_once_and_in_its_own_attempt() -> None:
    events, _ = game()
    made = so_far([*events[:5], *events[:5]])
    assert len(made.frames) == 6
    assert len(so_far(events[:5], attempt=2).frames) == 1


def test_after_a_gap_the_states_go_on() -> None:
    events, kept = game()
    shown = so_far(events[:20] + events[29:40]).frames
    assert [frame["state"] for frame in shown[:21]] == [frame["state"] for frame in kept[:21]]
    assert shown[21]["type"] == GAP
    assert [frame["state"] for frame in shown[21:]] == [frame["state"] for frame in kept[30:41]]
    assert shown[22]["changes"] == kept[31]["changes"]
    assert not any("legal" in frame for frame in shown[21:])


def test_moves_that_our_rules_do_not_know_are_shown_all_the_same() -> None:
    events, _ = game()
    foreign = [Event(9, 1, e.sequence, e.frame | {"move": "dance"}) for e in events[:6]]
    shown = so_far(foreign).frames
    assert [frame["state"] for frame in shown[1:]] == [event.frame["state"] for event in events[:6]]
