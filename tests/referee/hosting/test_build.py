"""Builds: what comes of a package, and what is said of one that cannot be built."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.hosting.archives import Limits
from referee.hosting.bubblewrap import Bubblewrap
from referee.hosting.build import BuildLog, build
from referee.hosting.bundles import Built, differences, write_bundle
from referee.hosting.client import BuildFailed, HostRefuses
from referee.hosting.guards import guards
from referee.hosting.output import Kept
from referee.hosting.packages import pack, unpack
from referee.hosting.settings import HostSettings
from tests.conftest import missing


@pytest.fixture(scope="module")
def host() -> Iterator[HostSettings]:
    """A host with a folder that other users may enter, where sandboxes have users of their own."""
    before = os.umask(0o077)  # as on hardened machines
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:
        Path(folder).chmod(0o755)
        yield HostSettings(folder=Path(folder))
    os.umask(before)


class Author:
    """An author's folder, and what the builds of it say."""

    def __init__(self, folder: Path, host: HostSettings) -> None:
        self.folder, self.host = folder, host
        self.log: list[str] = []
        folder.mkdir()

    def build(
        self,
        step: str = "",
        *,
        sandboxed: bool = True,
        cancelled: Callable[[], bool] = lambda: False,
        **manifest: str,
    ) -> Built:
        if step and sandboxed and guards().missing:
            missing("bubblewrap")
        given = {"name": "ana", "version": "1", "runtime": "native", "entry": "./bot", **manifest}
        lines = [f'{key} = "{value}"' for key, value in given.items()]
        (self.folder / "santiago.toml").write_text(
            "\n".join([*lines, f"build = '''{step}'''" if step else ""])
        )
        package = self.folder.with_suffix(".zip")
        package.unlink(missing_ok=True)
        pack(self.folder, package, Limits())
        to = Path(tempfile.mkdtemp(dir=self.folder.parent))
        settings, say = self.host, self.log.append
        return build(
            package, to, settings=settings, say=say, cancelled=cancelled, sandboxed=sandboxed
        )

    def files(self, built: Built) -> dict[str, str]:
        """The files of a bundle, and what they hold."""
        folder = Path(tempfile.mkdtemp(dir=self.folder.parent), "bundle")
        unpack(built.path, folder, Limits())
        return {
            str(path.relative_to(folder)): path.read_text(errors="replace")
            for path in folder.rglob("*")
            if path.is_file() and path.name != "santiago.toml"
        }


@pytest.fixture
def author(tmp_path: Path, host: HostSettings) -> Author:
    return Author(tmp_path / "bot", host)


def test_step_runs_on_a_copy_without_network_and_nothing_is_left(author: Author) -> None:
    built = author.build("mkdir out; echo made > out/file; ls /sys/class/net /proc/net/unix; pwd")
    assert author.files(built) == {"out/file": "made\n"}
    assert "/run/santiago/build" in author.log
    assert author.log[-1] == "Built twice, with the same bytes."
    assert built.path.name == built.sha256
    assert built.size == built.path.stat().st_size
    assert {path.name for path in author.host.folder.iterdir()} <= {"parts"}


def test_log_names_the_files_that_differ(author: Author) -> None:
    built = author.build("cat /proc/sys/kernel/random/uuid > luck; echo same > fate")
    assert author.log[-2:] == [
        "Built twice, with different bytes:",
        "  luck differs (37 and 37 bytes).",
    ]
    assert built.differences == ("luck differs (37 and 37 bytes).",)


def test_what_a_step_prints_is_no_difference(author: Author) -> None:
    built = author.build("echo 'Built twice, with different bytes:'; echo '  luck differs.'")
    assert "Built twice, with different bytes:" in author.log
    assert built.differences == ()


def test_time_stamps_of_compilers_are_always_the_same(author: Author) -> None:
    (author.folder / "bot.c").write_text("int main(void) { return __DATE__ __TIME__[0]; }")
    (author.folder / "Makefile").write_text("bot: bot.c\n\tcc -g -o bot bot.c && ar rc lib.a bot\n")
    built = author.build("make")
    assert {"bot", "lib.a"} <= author.files(built).keys()
    assert author.log[-1] == "Built twice, with the same bytes."


def test_native_sources_are_made_if_the_entry_point_is_missing(author: Author) -> None:
    (author.folder / "Makefile").write_text("bot:\n\techo made > bot\n")
    if guards().missing:
        missing("bubblewrap")
    assert author.files(author.build())["bot"] == "made\n"
    (author.folder / "bot").write_text("ready")
    assert author.files(author.build())["bot"] == "ready"
    assert author.log[-1].startswith("Nothing to build")


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ("echo oh; exit 3", "The build step ended with exit code 3."),
        ("head -c 3000000 /dev/zero > big", "The bundle has more than 2,097,152 bytes."),
        (
            "head -c 1500000 /dev/urandom > big",
            "The bundle is larger than 1,048,576 bytes, packed.",
        ),
        ("for i in $(seq 12); do echo > f$i; done", "The bundle has more than 10 files."),
        ("p=.; for i in $(seq 40); do p=$p/d; done; mkdir -p $p", "more than 32 folders"),
        ("echo > \"$(printf 'a\\nb')\"", "its name has characters that can't be printed"),
        ("echo > Bot; echo > bot", "can't be unpacked: bot: It clashes with Bot"),
        ("sed -i s/native/node/ santiago.toml", "The build changed the runtime to 'node'."),
        ("rm santiago.toml", "can't be unpacked: It has no santiago.toml at its top"),
        (
            "cd /; mv /run/santiago/build /run/santiago/gone",
            "It left no folder to make a bundle of.",
        ),
    ],
)
def test_a_build_that_fails_says_why(step: str, sentence: str, author: Author) -> None:
    author.host = replace(author.host, package_mb=1, unpacked_mb=2, package_files=10)
    with pytest.raises(BuildFailed) as failed:
        author.build(step)
    assert sentence in str(failed.value)


def test_a_sandbox_that_something_outside_kills_is_no_fault_of_the_author(
    author: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = Bubblewrap.go

    def killed(bubblewrap: Bubblewrap) -> None:
        go(bubblewrap)
        bubblewrap.process.kill()

    monkeypatch.setattr(Bubblewrap, "go", killed)
    with pytest.raises(HostRefuses, match="killed from outside"):
        author.build("sleep 600")


def test_a_second_build_that_fails_says_what_it_printed(author: Author, tmp_path: Path) -> None:
    again = tmp_path / "again"
    step = f"echo compiling; test ! -e {again} || {{ echo out of luck; exit 1; }}; touch {again}"
    with pytest.raises(BuildFailed, match="exit code 1"):
        author.build(step, sandboxed=False)
    at = author.log.index("The second build failed:")
    assert author.log[at - 1] == "Building again, to compare."
    assert author.log[-2:] == ["compiling", "out of luck"]


def test_a_build_without_a_sandbox_prints_what_it_likes(author: Author) -> None:
    author.build(r"printf '\351\n' && touch bot", sandboxed=False)
    assert "�" in author.log


@pytest.mark.parametrize(("every", "whole"), [(1, True), (20, True), (100, False), (300, False)])
def test_a_long_log_says_each_line_once_and_how_much_is_left_out(every: int, whole: bool) -> None:
    """Of 300 lines; one that looks `every` so many lines can miss some."""
    read, write = os.pipe()
    kept, said = Kept(os.fdopen(read, "rb"), 1000), list[str]()
    log = BuildLog(kept.after, said.append, 5000 if whole else 1000)
    lines = [f"line {number:04}" for number in range(300)]
    for number, line in enumerate(lines, 1):
        os.write(write, f"{line}\n".encode())
        if number % every == 0:
            log.follow()
    os.close(write)
    kept.join()
    log.end()
    marks = [line for line in said if line.startswith("[... ")]
    others = [line for line in said if line not in marks]
    assert others == sorted(set(others))
    missed = 10 * (300 - len(others))
    assert marks == ([] if whole else [f"[... {missed:,} bytes left out ...]"])
    assert (others[0], others[-1]) == (lines[0], lines[-1])


@pytest.mark.parametrize("follows", [False, True])
def test_of_many_lines_the_first_and_the_last_are_said(follows: bool) -> None:
    """Each costs host and worker a message: 64 KiB of empty lines took them 17 seconds."""
    lines, said = [str(number) for number in range(10_000)], list[str]()
    written = "".join(f"{line}\n" for line in lines).encode()
    there = 300 if follows else 0
    log = BuildLog(
        lambda at: (written[at:there] if there else written[at:], 0, b""), said.append, 65_536
    )
    if follows:
        log.follow()
        there = 0
    log.follow()
    before = len(said)
    log.end()
    assert before < 1000
    assert len(said) - before == 801, "and how many lines are missing"
    assert (said[0], said[-1]) == (lines[0], lines[-1])
    assert sum("lines left out" in line for line in said) == 1
    kept = [line for line in said if "left out" not in line]
    assert kept == sorted(set(kept), key=int)


def test_a_build_has_its_time(author: Author) -> None:
    author.host = replace(author.host, build_seconds=0.2)
    with pytest.raises(BuildFailed, match=r"It took more than 0\.2 seconds\."):
        author.build("sleep 100")


def test_a_build_that_nobody_wants_any_more_ends(author: Author) -> None:
    with pytest.raises(BuildFailed, match=r"It was cancelled\."):
        author.build("sleep 100", cancelled=lambda: True)


def test_a_runtime_or_an_entry_point_that_is_not_there(author: Author) -> None:
    with pytest.raises(BuildFailed, match="no runtime 'cobol', only lines, native, node, python"):
        author.build(runtime="cobol")
    with pytest.raises(
        BuildFailed, match=r"'bot' does not fit the runtime python, which starts \*\.py or \*:\*\."
    ):
        author.build(runtime="python", entry="bot")


@pytest.mark.parametrize(
    ("program", "system"),
    [
        (b"\xcf\xfa\xed\xfe" + bytes(60), "macOS"),
        (b"MZ\x90\x00" + bytes(60), "Windows"),
        (b"\x7fELF\x02\x01" + bytes(58), "another processor"),
    ],
)
def test_a_program_for_another_system(author: Author, program: bytes, system: str) -> None:
    """Else a shell reads it, and the author reads of a syntax error."""
    (author.folder / "bot").write_bytes(program)
    said = f"The entry point ./bot is a program for {system}: compile it for Linux on "
    with pytest.raises(BuildFailed, match=said):
        author.build()


@pytest.mark.parametrize(
    "program", [Path(sys.executable).read_bytes()[:64], b"MZqFpD='\n", b"echo 1", b""]
)
def test_a_program_that_may_run_here(author: Author, program: bytes) -> None:
    (author.folder / "bot").write_bytes(program)
    author.build()


def test_the_folder_of_a_build_has_the_same_path_each_time(author: Author) -> None:
    """Compilers write it into what they make."""
    author.build("pwd > bot; mkdir kept; touch kept/file; chmod a-w kept", sandboxed=False)
    assert "Built twice, with the same bytes." in author.log


def test_links_become_copies_and_what_is_no_file_is_left_out(author: Author) -> None:
    built = author.build(
        "mkdir lib; echo 1 > lib/a.so.1; ln -s a.so.1 lib/a.so; ln -s ../../../etc/passwd out; "
        "ln -s lib/a.so chain; ln -s lib all; mkfifo pipe"
    )
    assert author.files(built) == {"lib/a.so.1": "1\n", "lib/a.so": "1\n"}
    left_out = {line for line in author.log if line.startswith("Left out")}
    assert len(left_out) == 4
    assert "Left out: pipe, which is no file." in left_out
    assert "Left out: out, a link to no file of the bundle." in left_out


def test_only_some_of_what_is_left_out_is_named(author: Author) -> None:
    author.build("for i in $(seq 30); do mkfifo p$i; done")
    left_out = [line for line in author.log if line.startswith("Left out")]
    assert len(left_out) == 21
    assert left_out[-1] == "Left out: 10 more."


def bundle(folder: Path, to: Path) -> Built:
    to.mkdir(exist_ok=True)
    root = os.open(folder, os.O_RDONLY)
    try:
        return write_bundle(root, to, Limits(), print)
    finally:
        os.close(root)


def test_a_folder_that_its_build_has_closed_makes_the_build_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may look into any folder, so the refusal is put in here."""
    look = os.stat

    def refused(name: str, **options: Any) -> os.stat_result:
        if name == "hidden":
            raise PermissionError(13, "Permission denied", name)
        return look(name, **options)

    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "hidden").touch()
    monkeypatch.setattr("referee.hosting.bundles.os.stat", refused)
    with pytest.raises(BuildFailed, match="cannot be read"):
        bundle(tmp_path / "closed", tmp_path / "to")


def test_what_differs_between_two_bundles(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        (folder / "same").write_text("same")
        (folder / "text").write_text(folder.name)
        (folder / folder.name).write_text("")
    (one / "mode").touch(mode=0o755)
    (other / "mode").touch(mode=0o644)
    os.utime(other / "same", (0, 0))
    first, second = bundle(one, tmp_path / "to"), bundle(other, tmp_path / "to")
    assert differences(first.path, second.path) == (
        "mode differs (0 and 0 bytes).",
        "one is only in the first.",
        "other is only in the second.",
        "text differs (3 and 5 bytes).",
    )
    assert differences(first.path, first.path) == ()
