"""Runtimes: a package of each is built, served in the sandbox, and plays a game."""

import hashlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from referee.errors import InvalidSetting
from referee.hosting.archives import Limits
from referee.hosting.bubblewrap import Mount
from referee.hosting.build import build, runtime_of
from referee.hosting.client import BuildFailed
from referee.hosting.guards import guards
from referee.hosting.packages import Manifest, pack, unpack
from referee.hosting.runtime import BOT, OWN, Runtime, installed
from referee.hosting.sandbox import Sandbox
from referee.hosting.settings import HostSettings
from referee.seats.description import describe
from tests.conftest import missing, run_in
from tests.docs.pages import blocks
from tests.referee.games import match_of, play
from tests.referee.hosting.hosts import share_parts

SAME = "Built twice, with the same bytes."
SED = """
name = "sed"
title = "sed"
language = "sed"
probe = ["sed", "--version"]
parts = ["python", "kit"]
mounts = ["/usr", "/bin", "/lib", "/lib64"]

[environment]
PYTHONPATH = "/opt/kit"

[[start]]
entry = "*.sed"
command = ["{python}", "-m", "referee.hosting.lines", "--name", "{name}", "sed", "-unf", "{entry}"]
"""


@pytest.fixture(scope="module")
def host() -> Iterator[HostSettings]:
    """A host with a folder that other users may enter, where sandboxes have users of their own."""
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:
        Path(folder).chmod(0o755)
        share_parts(Path(folder))
        yield HostSettings(folder=Path(folder))


def manifest_text(runtime: str, entry: str, *more: str) -> str:
    return "\n".join(
        ('name = "ana"', 'version = "2"', f'runtime = "{runtime}"', f'entry = "{entry}"', *more)
    )


@contextmanager
def seated(folder: Path, host: HostSettings, log: list[str]) -> Iterator[str]:
    """The address of the bot in a folder: packed, built, unpacked, and started in a sandbox."""
    if guards().missing:
        missing("bubblewrap")
    package, bundle = folder.with_suffix(".tar.gz"), Path(tempfile.mkdtemp(dir=host.folder))
    pack(folder, package, Limits())
    built = build(package, bundle, settings=host, say=log.append)
    bundle.chmod(0o755)
    manifest = unpack(built.path, bundle / "bot", Limits())
    runtime = runtime_of(manifest, host)
    mounts = (*runtime.mounts(host.folder), Mount(bundle / "bot", BOT))
    with Sandbox.start(
        runtime.command(manifest), mounts=mounts, environment=runtime.environment, directory=BOT
    ) as sandbox:
        while (path := sandbox.socket_path()) is None:
            assert sandbox.exit_code is None, sandbox.output()
        yield f"unix:{path}"


async def plays_a_game(address: str, other: str) -> None:
    replay = await play(match_of([address, other]))
    assert not any(entry.HasField("fault") for entry in replay.entries)
    assert len(replay.result.scores) == 2


@pytest.mark.parametrize("runtime", ["python", "lines", "native"])
async def test_the_smoke_bot_of_a_runtime(
    runtime: str, tmp_path: Path, host: HostSettings, good_bot: str
) -> None:
    log: list[str] = []
    folder = smoke_bot(runtime, tmp_path)
    if runtime == "lines":  # whose bots are not in the kit's process, and so their modules neither
        (folder / "queue.py").write_text("raise ImportError")
    with seated(folder, host, log) as address:
        assert (said := describe(address)).name == "smoke"
        assert said.version == "1"
        await plays_a_game(address, good_bot)
    assert log[-1] in ("Nothing to build: the package is the bundle.", SAME)


def smoke_bot(runtime: str, folder: Path) -> Path:
    """A copy, without links, as it is in the wheel."""
    return shutil.copytree(OWN / runtime / "smoke", folder / "smoke")


async def test_node_with_modules_from_either_place(
    tmp_path: Path,
    host: HostSettings,
    good_bot: str,
    node_project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log: list[str] = []
    folder = smoke_bot("node", tmp_path)
    monkeypatch.delenv("SANTIAGO_NPM_CACHE", raising=False)
    with pytest.raises(BuildFailed), seated(folder, host, log):
        pass
    assert "Pack node_modules, too" in log[-1]
    cache = host.folder / "npm"
    ours = run_in(tmp_path, "npm", "config", "get", "cache").stdout.splitlines()[-1]
    shutil.copytree(Path(ours, "_cacache"), cache / "_cacache")
    monkeypatch.setenv("SANTIAGO_NPM_CACHE", str(cache))
    with seated(folder, host, log) as address:
        await plays_a_game(address, good_bot)
    assert log[-1] == SAME
    shutil.copytree(node_project / "node_modules", folder / "node_modules", symlinks=True)
    with seated(folder, host, log) as address:
        await plays_a_game(address, good_bot)
    assert log[-1].startswith("Nothing to build")


def wheel(folder: Path) -> Path:
    """A wheel of the package `cubana`, as a wheelhouse has them."""
    path = folder / "cubana-1.0-py3-none-any.whl"
    info = "cubana-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("cubana.py", "MOVE = -1\n")
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: cubana\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        names = ("cubana.py", f"{info}/METADATA", f"{info}/WHEEL", f"{info}/RECORD")
        archive.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in names))
    return path


async def test_wheels_of_the_package_and_of_the_operator(
    tmp_path: Path, host: HostSettings, good_bot: str
) -> None:
    log: list[str] = []
    folder = smoke_bot("python", tmp_path)
    (folder / "bot.py").write_text("import cubana\n" + (folder / "bot.py").read_text())
    (folder / "wheels").mkdir()
    wheel(folder / "wheels")
    with seated(folder, host, log) as address:
        await plays_a_game(address, good_bot)
    assert log[-1] == SAME
    shutil.rmtree(folder / "wheels")
    (folder / "requirements.txt").write_text("cubana==1.0")
    house = host.folder / "wheelhouse"
    house.mkdir()
    digest = hashlib.sha256(wheel(house).read_bytes()).hexdigest()
    host = replace(host, wheelhouse=house)
    with pytest.raises(BuildFailed), seated(folder, host, log):
        pass
    assert any("--require-hashes" in line for line in log)
    with pytest.raises(InvalidSetting, match="SANTIAGO_WHEELHOUSE is '/nowhere', which does not"):
        build(
            folder.with_suffix(".tar.gz"),
            tmp_path,
            settings=replace(host, wheelhouse=Path("/nowhere")),
            say=print,
        )
    (folder / "requirements.txt").write_text(f"cubana==1.0 --hash=sha256:{digest}")
    with seated(folder, host, log) as address:
        await plays_a_game(address, good_bot)
    assert log[-1] == SAME


async def test_an_operator_adds_a_runtime_by_a_folder(
    tmp_path: Path, host: HostSettings, good_bot: str
) -> None:
    (tmp_path / "runtimes" / "sed").mkdir(parents=True)
    (tmp_path / "runtimes" / "sed" / "runtime.toml").write_text(SED)
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.sed").write_text(r's/.*"legal":\["\([^"]*\)".*/\1/p')
    (folder / "santiago.toml").write_text(manifest_text("sed", "bot.sed"))
    further = HostSettings(folder=host.folder, runtimes=(tmp_path / "runtimes",))
    with seated(folder, further, []) as address:
        await plays_a_game(address, good_bot)


def test_the_example_in_the_docs_is_a_runtime(tmp_path: Path) -> None:
    (example,) = (block for block in blocks("hosting.md") if block.text.startswith('name = "ruby"'))
    (tmp_path / "runtime.toml").write_text(example.text)
    ruby = Runtime.read(tmp_path)
    manifest = Manifest("ana", "2", "ruby", "bot.rb")
    assert ruby.command(manifest)[-2:] == ("ruby", "bot.rb")
    assert list(ruby.build_lines(tmp_path, manifest)) == []
    (tmp_path / "Gemfile.lock").touch()
    assert [step.run for step in ruby.build_lines(tmp_path, manifest)] == ["bundle install --local"]


@pytest.mark.parametrize(
    ("entry", "there", "made"),
    [
        ("./bot", ["Makefile", "CMakeLists.txt"], ["make"]),
        ("./build/bot --fast", ["CMakeLists.txt"], ["cmake -S . -B build"]),
        ("./bot --fast", ["bot", "Makefile"], []),
        ("./bot", ["bot.c"], []),
    ],
)
def test_sources_in_c_are_made_for_native_and_for_lines(
    entry: str, there: list[str], made: list[str], tmp_path: Path
) -> None:
    for name in there:
        (tmp_path / name).touch()
    for runtime in (installed()["native"], installed()["lines"]):
        manifest = Manifest("zorro", "1", runtime.name, entry)
        lines = [step.run for step in runtime.build_lines(tmp_path, manifest)]
        assert [line[: len(start)] for line, start in zip(lines, made, strict=True)] == made


CMAKE = """#!/bin/sh
[ "$1" = -S ] || exit 0
mkdir -p build/CMakeFiles
echo program > build/bot
mktemp -u > build/CMakeFiles/CMakeOutput.log
"""
"""What CMake leaves in its folder: beside the program a log with names drawn anew each time."""


@pytest.mark.parametrize("runtime", ["native", "lines"])
def test_the_log_of_cmake_makes_no_other_bundle(
    runtime: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, tools = tmp_path / "bot", tmp_path / "tools"
    for made in (folder, tools):
        made.mkdir()
    (tools / "cmake").write_text(CMAKE)
    (tools / "cmake").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    (folder / "CMakeLists.txt").touch()
    (folder / "santiago.toml").write_text(manifest_text(runtime, "./build/bot"))
    log, settings = list[str](), HostSettings(folder=tmp_path)
    pack(folder, tmp_path / "bot.tar.gz", Limits())
    build(tmp_path / "bot.tar.gz", tmp_path, settings=settings, say=log.append, sandboxed=False)
    assert SAME in log


def test_lines_of_a_script_are_not_made(tmp_path: Path) -> None:
    (tmp_path / "Makefile").touch()
    manifest = Manifest("zorro", "1", "lines", "python3 bot.py")
    assert not [*installed()["lines"].build_lines(tmp_path, manifest)]


@pytest.mark.parametrize(
    ("entry", "is_there"),
    [
        ("bin/bot", True),
        ("./bin/bot", True),
        ("bin/other", False),
        ("/etc/passwd", False),
        ("bin/../../secret", False),
        ("linked/passwd", False),
        ("own", False),
        ("x" * 300, False),
    ],
)
def test_a_step_looks_at_no_file_but_the_packages_own(
    entry: str, is_there: bool, tmp_path: Path
) -> None:
    """If a package lacks its entry point, it is made."""
    package = tmp_path / "package"
    (package / "bin").mkdir(parents=True)
    (tmp_path / "secret").touch()
    for file in ("bin/bot", "Makefile"):
        (package / file).touch()
    (package / "linked").symlink_to("/etc")
    (package / "own").symlink_to("bin/bot")
    steps = list(installed()["native"].build_lines(package, Manifest("b", "1", "native", entry)))
    assert [step.run for step in steps] == ([] if is_there else ["make"])


def test_the_projects_own_runtimes() -> None:
    assert {"python", "lines"} <= set(installed())
    assert {path.name for path in OWN.iterdir()} == set(installed())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name = ", "cannot be read: Invalid value"),
        ('name = "x"', "lacks or misuses 'title'"),
        (None, "cannot be read: .* No such file"),
    ],
)
def test_a_description_that_is_wrong(text: str | None, sentence: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "runtime.toml").write_text(text)
    with pytest.raises(InvalidSetting, match=sentence):
        Runtime.read(tmp_path)
