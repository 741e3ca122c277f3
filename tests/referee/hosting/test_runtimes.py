"""Runtimes: a package of each is built, served in the sandbox, and plays a game."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.errors import InvalidSetting
from referee.hosting.build import build, runtime_of
from referee.hosting.guards import guards
from referee.hosting.packages import Limits, pack, unpack
from referee.hosting.runtime import BOT, OWN, Runtime, installed
from referee.hosting.sandbox import Mount, Sandbox
from referee.hosting.settings import HostSettings
from referee.match import play
from referee.seats.description import describe
from tests.conftest import missing
from tests.referee.games import match_of

FIVE_LINES = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "decision":
        print(asked["legal"][0])
"""
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
        runtime.command(manifest),
        mounts=mounts,
        environment=runtime.environment,
        directory=BOT,
    ) as sandbox:
        while (path := sandbox.socket_path()) is None:
            assert sandbox.exit_code is None, sandbox.output()
        yield f"unix:{path}"


async def plays_a_game(address: str, other: str) -> None:
    replay = await play(match_of([address, other]))
    assert not any(entry.HasField("fault") for entry in replay.entries)
    assert len(replay.result.scores) == 2


async def test_a_program_that_reads_lines(
    tmp_path: Path, host: HostSettings, good_bot: str
) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.py").write_text(FIVE_LINES)
    (folder / "santiago.toml").write_text(manifest_text("lines", "python3 bot.py"))
    log: list[str] = []
    with seated(folder, host, log) as address:
        said = describe(address)
        assert (said.name, said.version) == ("ana", "2")
        await plays_a_game(address, good_bot)
    assert log == ["Nothing to build: the package is the bundle."]


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
    with pytest.raises(InvalidSetting, match=r"folder of runtimes .* does not exist"):
        installed([tmp_path / "none"])
