"""The pages for authors of bots do what they say: their commands run, their tables are complete."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.conformance.suite import checks, proof_check
from referee.faults import FaultCode
from referee.proof import Meeting
from referee.rules import Position
from tests.conftest import missing
from tests.docs.pages import DOCS, blocks, type_into_shell
from tests.ladder.cli.terminal import succeeds

PAGES = ("why-did-my-bot-lose.md", "write-a-bot-anywhere.md", "write-a-bot-node.md")


def lines(page: str) -> Iterator[tuple[str, str]]:
    """Language and text of each fenced block, shell commands one by one."""
    for block in blocks(page):
        if block.language == "sh":
            yield from (("sh", hurried(line)) for line in block.text.splitlines())
        else:
            yield block.name or block.language, block.text


def hurried(command: str) -> str:
    """The same without the seconds for which a checked bot has to wait."""
    return f"{command} --pause 0.05" if command.startswith("santiago bot check") else command


def rows(page: str) -> list[str]:
    """What stands as code in the first column of tables."""
    return re.findall(r"^\| `([a-z0-9-]+)` \|", (DOCS / page).read_text(), re.M)


def test_why_did_my_bot_lose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: dict[str, str] = {}
    for kind, text in lines("why-did-my-bot-lose.md"):
        if text.startswith("santiago bot check"):  # test_conformance.py runs all checks
            type_into_shell(f"{text} --only describe", tmp_path)
        elif kind == "sh":
            said[text] = type_into_shell(text, tmp_path)
        else:
            (tmp_path / kind).write_text(text)
    file = "six-games/00001.santiago"
    played, looked = next(iter(said.values())), said[f"python look.py {file}"]
    assert re.search(r"^random did not win six-games/", played, re.M)
    assert re.search(r"^greedy \{.*'deliver': \d+.*\}$", looked, re.M)
    games = sorted((tmp_path / "six-games").glob("*.santiago"))  # not every game has every thing
    all_looked = (
        type_into_shell(f"python look.py six-games/{game.name}", tmp_path) for game in games
    )
    points = (re.findall(r"^\w+ \{(.*)\}$", looked, re.M) for looked in all_looked)
    assert any("others' moves" in of_a_seat for of_seats in points for of_a_seat in of_seats)
    slowest = re.findall(r"^\w+ thought [\d.]+ ms at step (\d+): (.+)$", looked, re.M)
    assert len(slowest) == 5
    monkeypatch.chdir(tmp_path)
    for step, move in slowest:
        shown = succeeds("show", file, "--at", step, "--text")
        assert move in Position.parse(shown).legal_texts()


REFEREES = bytes(range(32))
BOTS = bytes(range(0xA0, 0xB0))
"""The challenges of the example in protocol.md."""
PRINTS = {
    "python": "print(proof({args}).hex())",
    "js": 'console.log(proof({args}).toString("hex"));',
    "cpp": "#include <cstdio>\n"
    'int main() {{ for (unsigned char byte : proof({args})) std::printf("%02x", byte); }}',
}
RUNS = {
    "python": ("proof.py", "python proof.py"),
    "js": ("proof.js", "node proof.js"),
    "cpp": ("proof.cc", "g++ -O0 -o proof proof.cc -lcrypto", "./proof"),
}
PARTS = {"js": ("node", "Node.js with npm"), "cpp": ("grpc_cpp_plugin", "gRPC for C++")}


def array(data: bytes, language: str) -> str:
    """The bytes as they stand in a program."""
    if language == "cpp":
        escaped = "".join(f"\\{byte:03o}" for byte in data)
        return f'std::string("{escaped}", {len(data)})'
    return (
        f'bytes.fromhex("{data.hex()}")'
        if language == "python"
        else f'Buffer.from("{data.hex()}", "hex")'
    )


def proofs() -> dict[str, str]:
    """The code that computes a proof, by language."""
    found = (block for block in blocks("write-a-bot-anywhere.md") if "proof(" in block.text)
    return {block.language: block.text for block in found}  # the last of each


@pytest.mark.parametrize("language", PRINTS)
def test_ten_lines_prove_the_secret(language: str, tmp_path: Path) -> None:
    program, part = PARTS.get(language, ("python", ""))
    if part and shutil.which(program) is None:
        missing(part)
    challenges = [array(data, language) for data in (REFEREES, BOTS)]
    words = ['"an example, kept by nobody"', '"bot->referee"', *challenges, '1, 1, "match-5"']
    file, *commands = RUNS[language]
    shown = PRINTS[language].format(args=", ".join(words))
    (tmp_path / file).write_text(f"{proofs()[language]}{shown}\n")
    due = Meeting(REFEREES, BOTS, "match-5", 1, 1).bots_proof("an example, kept by nobody")
    assert due.hex() in (DOCS / "protocol.md").read_text()
    said = [type_into_shell(command, tmp_path) for command in commands]
    assert said[-1].strip() == due.hex()


def test_a_bare_bot_proves_its_secret(tmp_path: Path) -> None:
    """The smallest bot of the protocol's page, with the lines of the other page."""
    (bare,) = (block.text for block in blocks("protocol.md") if block.language == "python")
    snippet = next(b.text for b in blocks("write-a-bot-anywhere.md") if "meeting =" in b.text)
    accepts = re.search(r'^ +if what == "start":\n.*\n', bare, re.M)
    assert accepts is not None
    imports = "import secrets\nfrom proof import proof\n"
    (tmp_path / "bare.py").write_text(bare)
    (tmp_path / "proving.py").write_text(imports + bare.replace(accepts[0], snippet))
    (tmp_path / "proof.py").write_text(proofs()["python"])
    generate = next(
        block.text.splitlines()[0] for block in blocks("protocol.md") if block.language == "sh"
    )
    shutil.copytree(DOCS.parent / "proto", tmp_path / "proto")
    type_into_shell(generate, tmp_path)
    command = "santiago bot check 'python {}' --only secret --only describe"
    proves = type_into_shell(command.format("proving.py"), tmp_path, SANTIAGO_SECRET="s" * 16)
    assert re.search(r"^ok +secret ", proves, re.M)
    with pytest.raises(AssertionError, match="The shared secret"):
        type_into_shell(command.format("bare.py"), tmp_path, SANTIAGO_SECRET="s" * 16)


def test_the_smallest_bot_prints_what_it_raises(tmp_path: Path) -> None:
    (text,) = (block.text for block in blocks("protocol.md") if block.language == "python")
    broken = text.replace("index=0", "index=1 // 0")
    assert broken != text
    (tmp_path / "bare.py").write_text(broken)
    generate, play = next(
        block.text.splitlines() for block in blocks("protocol.md") if block.language == "sh"
    )
    shutil.copytree(DOCS.parent / "proto", tmp_path / "proto")
    type_into_shell(generate, tmp_path)
    said = type_into_shell(f"{play} --bot-output printed", tmp_path)
    assert "first-move faulted" in said
    assert "ZeroDivisionError" in (tmp_path / "printed" / "2-python-bare.py.log").read_text()


def test_every_fault_has_a_cure() -> None:
    assert rows("why-did-my-bot-lose.md") == [code.word for code in FaultCode]


def test_nobody_is_told_to_end_a_version_that_plays_in_a_tournament() -> None:
    text = " ".join(" ".join(page.read_text().split()) for page in sorted(DOCS.glob("*.md")))
    told = re.findall(r"end the old one[^.]*\.", text, re.IGNORECASE)
    assert len(told) >= 2, "at an address, and through the gateway"
    assert all("unless it plays in a tournament" in sentence for sentence in told)


def test_every_check_is_told() -> None:
    page = (DOCS / "write-a-bot-anywhere.md").read_text()
    told = dict(re.findall(r"^\| `([a-z0-9-]+)` \| (.*) \|$", page, re.M))
    assert told.pop("start").startswith("Its command starts it")
    assert told.pop("secret").startswith(proof_check().sentence)
    assert told == {check.name: check.sentence for check in checks()}


def test_the_node_page(node_project: Path, tmp_path: Path) -> None:
    """What npm would install is already there."""
    folder, said = tmp_path, ""
    for kind, text in lines("write-a-bot-node.md"):
        if kind == "js":
            (folder / "bot.js").write_text(text)
        elif text.startswith("cd "):
            folder = folder / text.removeprefix("cd ")
        elif text == "npm install":
            shutil.copytree(node_project / "node_modules", folder / "node_modules")
        else:
            said += type_into_shell(text, folder)
    assert "my-bot" in said
    assert "faulted" not in said
    assert "All 35 checks passed." in said


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", (DOCS / page).read_text()):
        target, _, anchor = link.partition("#")
        path = (DOCS / (target or page)).resolve()
        assert path.exists(), link
        assert not anchor or f"\n## {anchor.replace('-', ' ')}" in path.read_text().lower().replace(
            ",", ""
        ), link
