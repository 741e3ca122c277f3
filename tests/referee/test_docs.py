"""What docs/ tells bot authors is true: its programs run, its numbers are right."""

import hashlib
import hmac
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from google.protobuf import text_format
from google.protobuf.message import Message

from referee import match
from referee.clock import Clock
from referee.faults import FaultCode
from referee.game import Luck
from referee.proof import Meeting, workers_proof
from referee.rules.pieces import DICE
from referee.seats import remote
from referee.wire import bot_pb2, game_pb2
from tests.docs.pages import DOCS, type_into_shell
from tests.hostile_bots import ACCEPT, HostileBot, Request, choice
from tests.referee.games import match_of, play

PROJECT = DOCS.parent
pytestmark = pytest.mark.usefixtures("forked_python")


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """The fenced blocks of a page, each with its language."""
    text = (DOCS / page).read_text()
    for fence in re.finditer(r"^( *)```(\w*)\n(.*?)^ *```$", text, re.M | re.S):
        indent, language, body = fence.groups()
        yield language, re.sub(rf"^{indent}", "", body, flags=re.M)


def programs(page: str) -> dict[str, str]:
    """The Python programs of a page, by the name under which it says to save them."""
    names = re.findall(r"[Ss]ave (?:this|it) as\s+`(\w+\.py)`", (DOCS / page).read_text())
    return dict(zip(names, (b for kind, b in blocks(page) if kind == "python"), strict=True))


def commands(page: str) -> list[str]:
    """The lines that a page says to type, in order."""
    return [line for kind, body in blocks(page) if kind == "sh" for line in body.splitlines()]


@pytest.mark.timeout(1800)  # four commands
def test_write_a_bot(tmp_path: Path) -> None:
    written = programs("write-a-bot.md")
    assert list(written) == ["mybot.py", "grasping.py"]
    for name, text in written.items():
        (tmp_path / name).write_text(text)
    typed = commands("write-a-bot.md")
    assert len(typed) == 4
    said = [type_into_shell(command, tmp_path, COLUMNS="200") for command in typed]
    for bot in ("mybot", "grasping", "random"):
        assert bot in said[1]
    assert "faulted" not in said[0] + said[1]
    assert len(list((tmp_path / "replays").iterdir())) == 6
    assert said[2].startswith('{"type":"setup"')
    assert ": right" in said[3]


def test_the_smallest_bot(tmp_path: Path) -> None:
    """A bot that knows the .proto files alone."""
    ((name, text),) = programs("protocol.md").items()
    (tmp_path / name).write_text(text)
    shutil.copytree(PROJECT / "proto", tmp_path / "proto")
    said = [
        type_into_shell(command, tmp_path, COLUMNS="200") for command in commands("protocol.md")
    ]
    assert "first-move" in said[-1]
    assert "faulted" not in said[-1]


@pytest.mark.parametrize("page", ["write-a-bot.md", "protocol.md", "dice.md"])
def test_links_lead_somewhere(page: str) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", (DOCS / page).read_text()):
        target, _, anchor = link.partition("#")
        path = (DOCS / target).resolve() if target else DOCS / page
        assert path.exists(), link
        assert not anchor or anchor in headings(path), link


def headings(page: Path) -> set[str]:
    """The anchors of a page."""
    lines = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", line).lower().replace(" ", "-") for line in lines}


# The protocol.


async def test_the_transcript_is_of_a_real_game(
    new_address: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line of it stands in the game's messages, in that order."""
    for module in (remote, match):
        monkeypatch.setattr(module, "monotonic", lambda: 0.0)
    with HostileBot(new_address()) as other, HostileBot(new_address()) as bot:
        await play(match_of([other.address, bot.address], Clock()))
    actual = iter([line for request in bot.told for line in exchange(request)])
    ((_, transcript),) = (block for block in blocks("protocol.md") if block[0] == "")
    for line in transcript.splitlines():
        assert line.strip() in ("", "…") or line in actual, line


def exchange(request: Request) -> Iterator[str]:
    """A request and its answer as lines of the transcript."""
    yield "referee -> bot"
    yield from lines_of(request)
    if request.HasField("start"):
        yield "bot -> referee"
        yield from lines_of(bot_pb2.PlayResponse.FromString(ACCEPT))
    elif request.HasField("decision"):
        yield "bot -> referee"
        asked = request.decision
        answer = choice(asked.id, asked.id % len(asked.legal))  # what the honest bot says
        yield from lines_of(bot_pb2.PlayResponse.FromString(answer))


def lines_of(message: Message) -> list[str]:
    return text_format.MessageToString(message).splitlines()


def test_all_faults_are_explained() -> None:
    rows = re.findall(
        r"^\| `([A-Z_]+)` \| `([a-z-]+)` \|", (DOCS / "protocol.md").read_text(), re.M
    )
    assert dict(rows) == {code.name: code.word for code in FaultCode}


def test_all_kinds_are_explained() -> None:
    rows = re.findall(r"^\| `([A-Z]+)` \|", (DOCS / "protocol.md").read_text(), re.M)
    kinds = [kind.removeprefix("DECISION_KIND_") for kind in game_pb2.DecisionKind.keys()[1:]]
    assert sorted(row for row in rows if row in kinds) == sorted(kinds)


# The shared secret.


def test_the_proofs_of_the_example() -> None:
    text = (DOCS / "protocol.md").read_text()
    rows = dict(re.findall(r"^\| (secret|\w+'s (?:challenge|proof)) \| `(.+)` \|$", text, re.M))
    meeting = Meeting(
        bytes.fromhex(rows["referee's challenge"]),
        bytes.fromhex(rows["bot's challenge"]),
        "match-5",
        attempt=1,
        seat=1,
    )
    assert meeting.bots_proof(rows["secret"]).hex() == rows["bot's proof"]
    assert meeting.referees_proof(rows["secret"]).hex() == rows["referee's proof"]
    proof = workers_proof(rows["secret"], meeting.referee_challenge, "ana", "match-5/1/1")
    assert f"seat `match-5/1/1` is\n`{proof.hex()}`" in text
    parts = re.findall(r"printf '(.+?)'(?: \| (xxd) -r -p)?$", text, re.M)[-4:]
    signed = b"".join(bytes.fromhex(part) if xxd else part.encode() for part, xxd in parts)
    digest = hmac.digest(rows["secret"].encode(), signed, "sha256")
    assert digest.hex() == rows["bot's proof"]


# The dice.


def cells(pattern: str) -> list[tuple[str, ...]]:
    """What the groups of a pattern match in the rows of the tables of docs/dice.md."""
    text = (DOCS / "dice.md").read_text()
    return [row.groups() for row in re.finditer(pattern, text, re.M)]


def numbers(cell: str) -> list[int]:
    return [int(word) for word in cell.split() if word.isdigit()]


def test_faces_are_those_of_the_dice() -> None:
    faces = cells(r"^\| (?:sugar|citrus|tobacco|rum|cigars) \| ([\d ]+) \|$")
    assert [tuple(numbers(row)) for (row,) in faces] == list(DICE)


SEED = bytes(range(32))
SALT = bytes.fromhex("000000010003c0ffee")


def digest(text: bytes) -> bytes:
    return hmac.digest(SEED, SALT + text, "sha256")


def test_seed_and_commitment_of_the_example() -> None:
    given = cells(r"^\| (seed|commitment) \| `(\w+)` \|$")
    told = {"seed": SEED.hex(), "commitment": hashlib.sha256(SEED).hexdigest()}
    assert given == list(told.items())


def test_rolls_of_the_example() -> None:
    luck = Luck(SEED, 1, [b"", bytes.fromhex("c0ffee")])
    rolls = [luck.roll() for _ in range(30)]
    rows = cells(r"^\| (\d+) \| `([0-9a-f ]+)` \| ([\d– ]+) \| ([\d ]+) \|$")
    assert len(rows) == 3
    for number, block, rests, dice in rows:
        begins = bytes.fromhex(block)
        assert digest(int(number).to_bytes(4, "big") + bytes(4)).startswith(begins)
        assert numbers(rests) == [byte % 6 for byte in begins if byte < 252]
        assert tuple(numbers(dice)) == rolls[int(number)]


def test_moves_of_the_caretaker_in_the_example() -> None:
    luck = Luck(SEED, 1, [b"", bytes.fromhex("c0ffee")])
    rows = cells(r"^\| (\d+) \| `([0-9a-f]+)` \| (\d) \|$")
    assert len(rows) == 4
    for number, begins, rest in rows:
        whole = digest(b"caretaker" + int(number).to_bytes(4, "big"))
        assert whole.hex().startswith(begins)
        assert int(begins, 16) % 7 == int(rest) == luck.choose(range(7))
