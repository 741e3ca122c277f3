"""What an author is told of a fault."""

from collections.abc import Callable, Iterator

import pytest

from referee.bot import Bot
from referee.errors import ReplayError
from referee.fault_reports import fault_reports, in_words, readable
from referee.faults import FaultCode
from referee.replay import frames, read, simulate, start, write
from referee.wire import bot_pb2, game_pb2, replay_pb2
from tests import hostile_bots as hostile
from tests.hostile_bots import HostileBot
from tests.referee.games import PATIENT, DrawingBot, FaultyBot, local_game, match_of
from tests.referee.test_faults import judged

NewAddress = Callable[[], str]


def a_choice(decision_id: int = 0, index: int = 0) -> bytes:
    choice = bot_pb2.Choice(decision_id=decision_id, index=index)
    return bot_pb2.PlayResponse(choice=choice).SerializeToString()


@pytest.mark.parametrize(
    ("received", "words"),
    [
        (a_choice(decision_id=7, index=80), "choice{decision_id: 7, index: 80}"),
        (a_choice(), "choice{decision_id: 0, index: 0}"),
        (hostile.ACCEPT, "accept{}"),
        (
            bot_pb2.PlayResponse(accept=bot_pb2.Accept(nonce=b"x" * 33)).SerializeToString(),
            "accept{nonce: 33 bytes}",
        ),
        (b"\x12\x04\x08\x01\x78\x05", "choice{decision_id: 1, index: 0, unknown field 15}"),
        (bytes(range(8, 80, 8)), "9 bytes that are not a PlayResponse"),
        (b"\xff\xfe\xfd", "3 bytes that are not a PlayResponse"),
        (b"\xc8\x01\x05", "unknown field 25"),
        (
            b"".join(bytes([n << 3, 1]) for n in range(3, 13)),
            "unknown field 3, unknown field 4, "
            "unknown field 5, unknown field 6, unknown field 7, 5 more unknown fields",
        ),
        (b"x" * 200, "a message of 200 bytes or more, of which the first 200 are recorded"),
        (b"", ""),
    ],
)
def test_what_was_received_in_words(received: bytes, words: str) -> None:
    assert in_words(FaultCode.PROTOCOL, received) == words


def test_a_message_that_was_cut_has_its_length() -> None:
    assert in_words(FaultCode.PROTOCOL, b"x" * 200, 5000) == (
        "a message of 5000 bytes, of which the first 200 are recorded"
    )


def test_the_words_with_which_a_bot_ended_its_stream_are_shown_as_they_are() -> None:
    assert in_words(FaultCode.CLOSED, b"\x1b[2Jno idea\xff") == "\\x1b[2Jno idea\\xff"


@pytest.mark.parametrize("others", [1, 2])
async def test_a_report_of_a_bot_elsewhere(
    new_address: NewAddress, good_bot: str, others: int
) -> None:
    asked: list[hostile.Request] = []

    def far_off(request: hostile.Request, _: hostile.Context) -> Iterator[bytes]:
        asked.append(request)
        yield a_choice(decision_id=request.decision.id, index=80)

    with HostileBot(new_address(), far_off) as bot:
        replay = await judged(match_of([bot.address, *[good_bot] * others]))
    (report,) = fault_reports(read(write(replay)))
    (decision,) = [request.decision for request in asked]
    assert (report.seat, report.code) == (0, "illegal-index")
    assert report.decision_id == decision.id
    assert list(report.legal) == [move.text for move in decision.legal]
    assert report.received == f"choice{{decision_id: {decision.id}, index: 80}}"
    assert bytes.fromhex(report.received_hex) == a_choice(decision_id=decision.id, index=80)
    assert decision.time_left_ms <= 30_000 == report.time_left_ms
    assert report.bank_left_ms is not None
    assert decision.bank_left_ms <= report.bank_left_ms + 1  # rounded twice
    fault = bot.told[-1].fault
    assert report.think_ms == round(fault.think_us / 1000, 1)
    assert (fault.decision_id, fault.time_left_ms) == (decision.id, 30_000)
    assert fault.received_length == len(fault.received)
    kinds = [frame["type"] for frame in frames(replay)["frames"]]
    assert kinds.index("fault") == report.step + 1
    shown = frames(replay)["frames"][report.step + 1]
    assert (shown["kind"], tuple(shown["legal"])) == (report.kind, report.legal)


@pytest.mark.parametrize(
    "bots",
    [[FaultyBot, DrawingBot, DrawingBot], [None, FaultyBot, FaultyBot, DrawingBot]],
    ids=["one", "some and one absent"],
)
def test_faults_that_an_older_referee_recorded_are_told_too(bots: list[type[Bot] | None]) -> None:
    replay = local_game(bots, clock=PATIENT)
    now = fault_reports(replay)
    recorded = [entry.fault for entry in replay.entries if entry.HasField("fault")]
    assert [report.decision_id for report in now] == [one.decision_id or None for one in recorded]
    for fault in recorded:
        for field in ("decision_id", "time_left_ms", "bank_left_ms", "think_us", "received_length"):
            fault.ClearField(field)
    for new, old, fault in zip(now, fault_reports(replay), recorded, strict=True):
        assert old.think_ms is None
        assert (old.seat, old.decision_id, old.kind, old.legal, old.step) == (
            fault.seat,
            new.decision_id,
            new.kind,
            new.legal,
            new.step,
        )
        assert old.bank_left_ms == new.bank_left_ms


def test_a_sentence_that_somebody_wrote_into_the_file_is_one_printable_line() -> None:
    record = local_game([DrawingBot, FaultyBot])
    next(entry.fault for entry in record.entries if entry.HasField("fault")).sentence = "\x1b[2J\n"
    (report,) = fault_reports(record)
    assert report.sentence == r"\x1b[2J\n"


def test_the_step_is_that_of_the_replay() -> None:
    replay = local_game([FaultyBot, DrawingBot], clock=PATIENT)
    (report,) = fault_reports(replay)
    position = start(replay)
    for step, _ in enumerate(simulate(position, replay)):
        if step == report.step:
            break
    assert tuple(position.legal_texts()) == report.legal
    assert (position.kind, position.turn) == (report.kind, report.turn)


def test_a_game_without_a_fault_has_no_report() -> None:
    assert fault_reports(local_game([DrawingBot, DrawingBot], clock=PATIENT)) == ()
    fault = replay_pb2.Entry(fault=game_pb2.Fault(code=game_pb2.FAULT_CODE_TIMEOUT))
    with pytest.raises(ReplayError, match="rules version"):
        fault_reports(replay_pb2.Replay(entries=[fault]))


def test_what_was_received_is_text_that_every_database_takes() -> None:
    assert readable(b"\x00\xffabc \xc3\xa9") == "\\x00\\xffabc é"
