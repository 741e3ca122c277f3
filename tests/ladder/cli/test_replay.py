"""`santiago replay` on files that are right, damaged and forged."""

import json
from io import BytesIO
from pathlib import Path

import pytest

from referee import replay
from referee.wire import replay_pb2
from tests.ladder.cli.terminal import fails, shell, succeeds
from tests.rules.checker.stream import check_stream

pytestmark = pytest.mark.usefixtures("quick_bots")


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the replays of two games."""
    folder = tmp_path_factory.mktemp("games") / "replays"
    words = ["random", "quiet", "random", "--seats", "3", "--games", "2"]
    succeeds("play", *words, "--replays", str(folder))
    return folder


@pytest.fixture
def file(games: Path, tmp_path: Path) -> Path:
    """A replay that a test may spoil."""
    copy = tmp_path / "game.santiago"
    copy.write_bytes((games / "00001.santiago").read_bytes())
    return copy


def test_right_replays(games: Path) -> None:
    files = [str(file) for file in sorted(games.iterdir())]
    lines = succeeds("replay", "verify", *files).splitlines()
    assert len(lines) == 2
    for file, line in zip(files, lines, strict=True):
        assert line.startswith(f"{file}: right. Ranks: ")
        assert "quiet" in line


def test_the_trace_is_right_by_the_independent_checker(games: Path) -> None:
    trace = succeeds("replay", "trace", str(games / "00001.santiago"))
    assert check_stream(BytesIO(trace.encode()))[0] == 1
    setup, *_, result = [json.loads(line) for line in trace.splitlines()]
    assert (setup["type"], result["type"]) == ("setup", "result")
    assert setup["seed"]


def test_damaged_files_are_told_apart(file: Path) -> None:
    whole = file.read_bytes()
    for damaged, sentence in (
        (b"", "This is not a replay"),
        (b"PK\3\4" + whole, "This is not a replay"),
        (b'{"type":"setup"}', "`santiago replay check-trace` checks a trace"),
        (whole[:-20], "cut short"),
        (whole + b"\0", "bytes after its end"),
        (whole[:8] + b"\x63" + whole[9:], "format version 99"),
        (whole[:9] + whole[40:], "damaged"),
    ):
        file.write_bytes(damaged)
        for command in ("verify", "trace"):
            told = fails("replay", command, str(file))
            assert sentence in told
            assert str(file) in told


def test_of_a_file_no_more_is_read_than_a_replay_can_have(tmp_path: Path) -> None:
    large = tmp_path / "large.santiago"
    with large.open("wb") as opened:
        opened.write(replay.MAGIC + bytes([replay.FORMAT_VERSION]))
        opened.truncate(2**40)  # takes no room on the disk
    for command in ("replay verify", "replay trace", "replay analyse", "replay debug", "show"):
        assert f"{large}: The replay is " in fails(*command.split(), str(large))
    assert len(replay.file_bytes(large)) == 2**25


def test_a_forged_move_dice_or_result_is_found(file: Path) -> None:
    original = file.read_bytes()

    def verified(record: replay_pb2.Replay) -> str:
        file.write_bytes(replay.write(record))
        return fails("replay", "verify", str(file))

    record = replay.read(original)
    entry = next(n for n, e in enumerate(record.entries, start=1) if e.HasField("chosen"))
    record.entries[entry - 1].chosen.action = 1 << 30
    assert f"Entry {entry} of the replay is wrong" in verified(record)

    record = replay.read(original)
    record.dice_seed = bytes(32)
    assert "not the one that was committed to" in verified(record)

    record = replay.read(original)
    record.result.ranks[:] = [1, 1, 1]
    assert "The result of the replay is not the one" in verified(record)


def test_one_wrong_file_among_right_ones(games: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.santiago"
    wrong.write_bytes(b"rum")
    right = str(games / "00001.santiago")
    told = fails("replay", "verify", right, str(wrong), right)
    assert told.count("\n") == 1
    assert str(wrong) in told


@pytest.mark.parametrize("command", ["verify", "trace"])
def test_files_that_cannot_be_read(command: str, tmp_path: Path) -> None:
    assert "does not exist" in fails("replay", command, str(tmp_path / "none"), code=2)
    assert "is a directory" in fails("replay", command, str(tmp_path), code=2)
    assert "Missing argument" in fails("replay", command, code=2)


def test_a_trace_on_a_full_disk(file: Path) -> None:
    ended = shell(f"santiago replay trace '{file}' > /dev/full")
    assert (ended.returncode, ended.stderr) == (1, "Error: No space left on device\n")


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file of Linux")
def test_a_file_that_breaks_off_is_named() -> None:
    assert "Error: /proc/self/mem: " in fails("replay", "trace", "/proc/self/mem")
