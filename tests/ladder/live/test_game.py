import asyncio
from random import Random

from ladder.live.game import GAP, GameSoFar, frame
from ladder.live.stream import Cells, Frame, LiveEvent
from referee.clock import Clock
from referee.game import Game
from referee.match import Match, Seat, play_table
from referee.replay import frames
from referee.rules import Layout
from referee.seats.player import LocalSeat
from tests.web.arena import AnyMove, GivesUp

LAYOUT = Layout.shuffled(Random(7))


def game(*, gives_up_after: int = 1000) -> tuple[list[LiveEvent], list[Frame]]:
    """What is told of a game of three while it is played, and the frames of its replay."""
    told: list[tuple[Frame, Cells]] = []
    match = Match("9", 1, LAYOUT, bytes(32), Clock(), (Seat("", "ana", "1", "compay"),) * 3)

    def hear(at: Game) -> None:
        told.append((frame(at.newest), at.position.cells[:]))

    table = [LocalSeat(AnyMove(1)), LocalSeat(GivesUp(gives_up_after)), LocalSeat(AnyMove(3))]
    replay = asyncio.run(play_table(match, table, hear))
    events = [LiveEvent(9, 1, n, *what) for n, what in enumerate(told, 1)]
    return events, frames(replay)["frames"]


def so_far(events: list[LiveEvent], attempt: int = 1) -> GameSoFar:
    made = GameSoFar(LAYOUT, 3, attempt)
    for event in events:
        made.take(event)
    return made


def without_times(frames: list[Frame]) -> list[Frame]:
    """Nor with what the caretaker's luck came from, and what a bot that faulted was asked."""
    asked = {"fault": ("kind", "legal")}
    return [
        {
            key: value
            for key, value in frame.items()
            if key not in ("think_ms", "drawn", *asked.get(frame["type"], ()))
        }
        for frame in frames
    ]


def test_the_frames_are_those_of_the_replay_but_for_thinking_times_and_the_end() -> None:
    events, kept = game(gives_up_after=12)
    expected = without_times(kept[:-1])
    assert any(frame["type"] == "fault" for frame in expected)
    assert so_far(events).frames == expected


def test_no_seed_is_known() -> None:
    assert GameSoFar(LAYOUT, 3, 1).setup["seed"] is None


def test_an_event_counts_once_and_in_its_own_attempt() -> None:
    events, _ = game()
    made = so_far([*events[:5], *events[:5]])
    assert len(made.frames) == 6
    assert len(so_far(events[:5], attempt=2).frames) == 1


def test_the_rules_know_the_states_that_are_not_told() -> None:
    events, _ = game(gives_up_after=12)
    assert so_far([event._replace(cells=None) for event in events]).frames == so_far(events).frames


def test_after_a_gap_all_goes_on_with_the_next_position_that_is_told() -> None:
    events, kept = game()
    run = [event._replace(cells=None) for event in events[29:32]]
    shown = so_far([*events[:20], *run, *events[32:40]]).frames
    assert shown[:21] == without_times(kept[:21])
    assert shown[21]["type"] == GAP
    assert shown[21]["state"] == kept[33]["state"]
    assert shown[22:] == without_times(kept[34:41])


def test_moves_that_our_rules_do_not_know_are_shown_all_the_same() -> None:
    events, kept = game()
    foreign = [e._replace(frame=e.frame | {"move": "dance"}) for e in events[:6]]
    shown = so_far(foreign).frames
    assert [frame["state"] for frame in shown] == [frame["state"] for frame in kept[:7]]
