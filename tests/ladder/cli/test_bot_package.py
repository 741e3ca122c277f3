"""`santiago bot pack`, from the folder that `santiago bot new` made."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ladder.cli import starters
from ladder.cli.starters import LANGUAGES
from referee.hosting.packages import read
from tests.conftest import missing
from tests.ladder.cli.terminal import fails, succeeds


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def folder() -> Path:
    succeeds("bot", "new", "my-bot")
    return Path("my-bot")


def test_a_new_bot_gets_nothing_that_a_build_or_an_editor_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bot.py", ".env", "__pycache__/bot.pyc", "node_modules/left/index.js"):
        file = tmp_path / "python" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    monkeypatch.setattr(starters, "_HERE", tmp_path)
    succeeds("bot", "new", "my-bot")
    assert [path.name for path in Path("my-bot").rglob("*")] == ["bot.py"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_bot_can_be_packed_at_once(language: str) -> None:
    succeeds("bot", "new", "my-bot", "--language", language)
    said = succeeds("bot", "pack", "my-bot")
    runtime = language if language != "cpp" else "lines"
    assert said.startswith(f"my-bot-1.zip: my-bot 1 for {runtime}, ")
    assert ("Careful: there is no node_modules. Run `npm install`" in said) == (language == "node")
    assert said.count("Careful") == (language == "node")
    manifest = read(Path("my-bot-1.zip"))
    assert (manifest.name, manifest.version, manifest.runtime) == ("my-bot", "1", runtime)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["rum", "new-bot-2"])
def test_comments_of_a_new_bots_readme_stand_in_one_column(name: str, language: str) -> None:
    succeeds("bot", "new", name, "--language", language)
    lines = Path(name, "README.md").read_text().splitlines()
    assert len({line.index("  # ") for line in lines if "  # " in line}) == 1
    assert sum(f" && santiago bot try {name}-1.zip  " in line for line in lines) == 1


def test_modules_that_are_there_or_that_the_author_leaves_out_are_not_missed() -> None:
    succeeds("bot", "new", "my-bot", "--language", "node")
    module = Path("my-bot/node_modules/grpc/index.js")
    module.parent.mkdir(parents=True)
    module.touch()
    assert "Careful" not in succeeds("bot", "pack", "my-bot")
    Path("my-bot/.santiagoignore").write_text("node_modules/\n")
    said = succeeds("bot", "pack", "my-bot")
    assert "Left out: .santiagoignore, node_modules;" in said
    assert "Careful" not in said


def test_new_bots_by_lines_play(forked_python: None) -> None:
    """Against each other: without a fault, by the same moves."""
    if shutil.which("g++") is None:
        missing("g++")
    for language in ("lines", "cpp"):
        succeeds("bot", "new", f"my-{language}", "--language", language)
    subprocess.run(["g++", "-std=c++17", "-o", "my-cpp/bot", "my-cpp/bot.cpp"], check=True)
    one, other = "lines:python my-lines/bot.py", "lines:my-cpp/bot"
    table = succeeds("play", one, other, "--games", "2", "--seed", "1")
    assert re.findall(r"^│ bot .* │ +(\d+) │ [^│]+│$", table, re.M) == ["0", "0"]  # faults


def test_what_tools_leave_behind_and_what_the_author_names_is_left_out(folder: Path) -> None:
    for name in ("._bot.py", ".git/config", "__pycache__/bot.pyc", "notes/plan.md", "data/big.bin"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")
    (folder / ".santiagoignore").write_text("# mine\nnotes/\n*.bin\n\n")
    said = succeeds("bot", "pack", "my-bot", "-o", "my-bot/out.tar.gz")
    assert "Left out: ._bot.py, .git, .santiagoignore, __pycache__, data/big.bin, notes" in said
    assert "3 files" in said
    again = Path("my-bot/out.tar.gz").read_bytes()
    succeeds("bot", "pack", "my-bot", "-o", "my-bot/out.tar.gz")
    assert Path("my-bot/out.tar.gz").read_bytes() == again


@pytest.mark.parametrize(("size", "told"), [(50_000, "48 KB"), (1 << 20, "1.0 MB")])
def test_the_size_is_told_in_full_units(folder: Path, size: int, told: str) -> None:
    rest = size - sum(file.stat().st_size for file in folder.iterdir())
    (folder / "weights.bin").write_bytes(bytes(rest))
    assert f" KB ({told} unpacked)" in succeeds("bot", "pack", "my-bot")


def test_all_that_would_be_refused_is_named_at_once(folder: Path) -> None:
    (folder / "Bot.py").write_text("x")
    (folder / "out").symlink_to("/etc/passwd")
    (folder / "gone").symlink_to("nothing")
    os.mkfifo(folder / "pipe")
    (folder / "santiago.toml").write_text('name = "my-bot"\nversion = 1\n')
    said = fails("bot", "pack", "my-bot")
    assert said.splitlines() == [
        "Error: my-bot would be refused:",
        "  gone: It is a link to nothing.",
        "  out: It is a link out of the folder, to /etc/passwd.",
        "  pipe: It is neither a file nor a folder.",
        "  bot.py: It clashes with Bot.py: some machines see one name in both.",
        "  santiago.toml: It lacks runtime and entry. Also: version is not a text: put it in "
        'quotes, as version = "1.0".',
    ]
    assert not list(Path().glob("my-bot-*"))


def test_all_that_is_wrong_in_a_manifest_is_named_at_once(folder: Path) -> None:
    (folder / "santiago.toml").write_text(
        'name = "my-bot"\nversion = "!"\nruntime = "python"\nbuild = 1\ncolor = 1\nage = 2\n'
    )
    assert (
        "santiago.toml: It lacks entry. Also: It has 'age' and 'color', which are not known here. "
        "Also: version is '!': take up to 40 letters, digits and, between them, ._+- "
        "Also: build is neither a text nor a list of texts."
    ) in fails("bot", "pack", "my-bot")


def test_a_file_of_the_author_that_is_not_understood_is_named(folder: Path) -> None:
    ignored, manifest = folder / ".santiagoignore", folder / "santiago.toml"
    ignored.write_text("*.bin\n!weights.bin\n")
    assert fails("bot", "pack", "my-bot") == (
        "Error: .santiagoignore: It has '!weights.bin': patterns with ! are not known here.\n"
    )
    ignored.unlink()
    manifest.write_text(manifest.read_text() + "#" * 16_384)
    assert "  santiago.toml: It has more than 16,384 bytes.\n" in fails("bot", "pack", "my-bot")


def test_a_folder_without_a_manifest_is_told_so(folder: Path) -> None:
    (folder / "santiago.toml").unlink()
    assert "It has no santiago.toml: `santiago bot new` writes one" in fails(
        "bot", "pack", "my-bot"
    )


def test_an_output_that_cannot_be_written_is_blamed_and_not_the_folder(folder: Path) -> None:
    for output, sentence in (
        ("x.rar", "Invalid value for --output: x.rar ends neither with .zip nor with .tar.gz."),
        ("gone/x.zip", "gone is no folder: gone/x.zip cannot be written."),
    ):
        assert sentence in fails("bot", "pack", "my-bot", "-o", output, code=2)
    Path("my-bot-1.zip").mkdir()
    assert fails("bot", "pack", "my-bot") == "Error: my-bot-1.zip: Is a directory\n"


def test_the_limits_can_be_those_of_another_ladder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANTIAGO_PACKAGE_FILES", "2")
    assert "There are 3 files; 2 are allowed." in fails("bot", "pack", "my-bot")
    monkeypatch.setenv("SANTIAGO_PACKAGE_FILES", "two")
    assert "SANTIAGO_PACKAGE_FILES is 'two'" in fails("bot", "pack", "my-bot")


def test_too_many_files_or_folders_are_refused_in_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANTIAGO_PACKAGE_FILES", "4")
    for number in range(5):
        (folder / "data" / "old").mkdir(parents=True, exist_ok=True)
        (folder / "data" / "old" / f"{number}").touch()
    said = fails("bot", "pack", "my-bot")
    assert said.splitlines()[1:] == [
        "  There are 8 files; 4 are allowed. The folder with most of them is data (5)."
    ]
    shutil.rmtree(folder / "data")
    (folder / "a" / "b" / "c" / "d" / "e").mkdir(parents=True)
    (folder / "a" / "b" / "c" / "d" / "e" / "deep").touch()
    said = fails("bot", "pack", "my-bot")
    assert said.splitlines()[1:] == ["  There are more than 4 folders."]


def test_links_that_stay_inside_are_packed_as_what_they_point_to(folder: Path) -> None:
    (folder / "lib").mkdir()
    (folder / "lib" / "tables.txt").write_text("1 2 3")
    (folder / "tables.txt").symlink_to("lib/tables.txt")
    (folder / "copy").symlink_to("lib")
    (folder / "lib" / "around").symlink_to("..")
    assert "lib/around: It is a link to a folder that it lies in." in fails("bot", "pack", "my-bot")
    (folder / "lib" / "around").unlink()
    assert "6 files" in succeeds("bot", "pack", "my-bot")


def test_a_runtime_that_few_hosts_have_is_noticed(folder: Path) -> None:
    manifest = folder / "santiago.toml"
    manifest.write_text(manifest.read_text().replace('"python"', '"pyton"'))
    said = succeeds("bot", "pack", "my-bot")
    assert "Careful: pyton is none of the usual runtimes (lines, native, node, python);" in said


def test_an_entry_point_that_the_runtime_does_not_start_is_noticed(folder: Path) -> None:
    manifest = folder / "santiago.toml"
    manifest.write_text(manifest.read_text().replace("bot:MyBot", "bot"))
    said = succeeds("bot", "pack", "my-bot")
    misfit = "The entry point 'bot' does not fit the runtime python, which starts *.py or *:*."
    assert f"Careful: {misfit}" in said
    assert said.count("Careful") == 1


def test_an_entry_point_that_is_not_there_is_noticed(folder: Path) -> None:
    (folder / "bot.py").rename(folder / "brain.py")
    said = succeeds("bot", "pack", "my-bot")
    assert "Careful: santiago.toml names bot:MyBot, but there is no bot.py." in said


@pytest.mark.parametrize(
    ("runtime", "entry", "lacked"),
    [
        ("lines", "python3 brain.py --deep", "brain.py"),
        ("lines", "python3 -u -W ignore brain.py", "brain.py"),
        ("lines", "node src/brain.mjs", "src/brain.mjs"),
        ("lines", "java -jar brain.jar --depth 0.5", "brain.jar"),
        ("lines", "./bot", "bot"),
        ("native", "./build/bot", "build/bot"),
        ("native", "build/bot", "build/bot"),
        ("lines", "python3 bot.py", None),
        ("lines", "python3 -m brain.main", None),
        ("lines", "java -cp a.jar:b.jar Brain", None),
        ("lines", "node --require=./depth.js bot.py", None),
        ("lines", "env NET=small.bin python3 bot.py", None),
        ("lines", "python3 ../brain.py", None),
        ("native", "/usr/bin/env python3 bot.py", None),
        ("native", "brain", None),
    ],
)
def test_a_program_that_is_not_there_is_noticed_unless_something_builds_it(
    runtime: str, entry: str, lacked: str | None
) -> None:
    succeeds("bot", "new", "my-bot", "--language", "lines")
    manifest = Path("my-bot/santiago.toml")
    text = f'name = "my-bot"\nversion = "1"\nruntime = "{runtime}"\nentry = "{entry}"\n'
    manifest.write_text(text)
    said = succeeds("bot", "pack", "my-bot")
    assert said.count("Careful") == (lacked is not None)
    assert (f"santiago.toml names {entry}, but there is no {lacked}." in said) == bool(lacked)
    manifest.write_text(f'{text}build = "make it"\n')
    assert "Careful" not in succeeds("bot", "pack", "my-bot")
    manifest.write_text(text)
    Path("my-bot/Makefile").touch()
    made = runtime == "native" or entry.startswith("./")
    assert ("Careful" in succeeds("bot", "pack", "my-bot")) == (bool(lacked) and not made)


def test_older_packages_and_whole_paths_are_left_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    for name in ("data/deep/a.bin", "data/a.bin", "my-bot-9.zip", "weights.zip", "docs"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("x")
    Path(".santiagoignore").write_text("data/*.bin\ndocs/\n")
    for _ in range(2):
        said = succeeds("bot", "pack", ".")
        assert said.startswith("my-bot-1.zip: my-bot 1 for python, 6 files, ")
    assert "Left out: .santiagoignore, data/a.bin, my-bot-1.zip, my-bot-9.zip;" in said
