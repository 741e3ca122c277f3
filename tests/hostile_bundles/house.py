"""A process that starts sandboxes as a host does: as root, or as an operator without privileges."""

import ctypes
import json
import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

from referee.hosting import guards, seccomp
from referee.hosting.archives import Limits
from referee.hosting.bubblewrap import Mount
from referee.hosting.build import build, runtime_of
from referee.hosting.client import BuildFailed
from referee.hosting.output import ProgramOutput
from referee.hosting.packages import Manifest, pack, unpack
from referee.hosting.runtime import BOT, installed
from referee.hosting.sandbox import Sandbox
from referee.hosting.settings import HostSettings
from referee.hosting.usage import SandboxLimits

CRIMES: Final = Path(__file__).parent / "crimes"
SECRET: Final = "the-secret-of-the-host"
_ENDLESS: Final = frozenset(("attacker", "bombs", "links"))
"""Crimes that go on beside the game."""
_WITHIN: Final = 300.0
_PR_SET_DUMPABLE: Final = 4
_MANIFEST: Final = """
name = "criminal"
version = "1"
runtime = "python"
entry = "bot.py"
"""


@dataclass(frozen=True)
class Report:
    """What came of a sandbox that has been stopped."""

    output: ProgramOutput
    over: str | None
    exit_code: int | None
    peak_memory: int
    cpu_seconds: float

    @property
    def deeds(self) -> list[str]:
        """What the bundle achieved and should not have."""
        return [line for line in self.output.stdout.splitlines() if line.startswith("DEED")]

    @property
    def tried_all(self) -> bool:
        return "OVER" in self.output.stdout.splitlines()


@dataclass
class _Process:
    """What the host's process knows; it lives there alone."""

    settings: HostSettings
    manifests: dict[Path, Manifest] = field(default_factory=dict)
    sandboxes: dict[int, Sandbox] = field(default_factory=dict)


_here: list[_Process] = []
Built = tuple[list[str], Path | None]
"""A build's log, and where the bundle is; None if it failed."""


class House:
    """The tests' side of the process. `operator`: it is not root's."""

    def __init__(self, folder: Path, operator: bool, uids: range) -> None:
        self.folder, self.uids = folder, uids
        # In no test does gRPC run in this process: it may start others by a fork.
        context = multiprocessing.get_context("spawn")
        arguments = (folder, uids, operator)
        self._pool = ProcessPoolExecutor(1, context, initializer=_settle, initargs=arguments)
        self.pid: int = self._pool.submit(os.getpid).result()

    def do(self, function: Any, *arguments: Any) -> Any:
        """Return what a function of this module returns there."""
        return self._pool.submit(function, *arguments).result()

    @contextmanager
    def bundle(self, crime: str, stage: str, targets: Mapping[str, Any]) -> Iterator[Path]:
        """A bundle that commits a crime at a stage: built by its package's steps."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            package = _package(Path(folder), crime, stage, targets)
            log, built = self.do(make_bundle, package)
            assert built is not None, log
            try:
                yield built
            finally:
                self.do(shutil.rmtree, built)

    @contextmanager
    def seat(self, bundle: Path, limits: SandboxLimits | None = None) -> Iterator["Seat"]:
        """A sandbox in which a bundle runs."""
        seat = Seat(self, self.do(start, bundle, limits))
        try:
            yield seat
        finally:
            seat.stop()

    def built(self, crime: str, targets: Mapping[str, Any], **more: int) -> tuple[list[str], bool]:
        """Build a package whose build step is a crime: its log, and if it became a bundle."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            package = _package(Path(folder), crime, "build", targets)
            log, built = self.do(make_bundle, package, more)
            if built is not None:
                self.do(shutil.rmtree, built)
            return log, built is not None

    def close(self) -> None:
        self._pool.shutdown()


class Seat:
    """One sandbox in the host's process."""

    def __init__(self, house: House, number: int) -> None:
        self._house, self._number = house, number
        self.report: Report | None = None

    @property
    def address(self) -> str:
        """Where the bot listens. It waits until it does."""
        return f"unix:{self.do('socket_path', until=lambda path: path is not None)}"

    def do(self, name: str, *given: Any, until: Any = None) -> Any:
        """Call a method of the sandbox, or read a property: again until the answer fits."""
        began = monotonic()
        while True:
            answer = self._house.do(ask, self._number, name, given)
            if until is None or until(answer):
                return answer
            waits_for_nobody = name == "socket_path" and self.do("exit_code") is not None
            waited = monotonic() - began
            if waits_for_nobody or waited > _WITHIN:
                raise TimeoutError(f"{name}: {answer}, {self._house.do(output, self._number)}")
            sleep(0.005 + waited / 20)  # to look takes both processes their time

    def stop(self) -> Report:
        if self.report is None:
            self.report = self._house.do(stop, self._number)
        return self.report


def _package(folder: Path, crime: str, stage: str, targets: Mapping[str, Any]) -> Path:
    content = folder / "criminal"
    shutil.copytree(CRIMES, content, ignore=shutil.ignore_patterns("__pycache__"))
    if crime == "attacker":
        ours = Path(__file__).parents[1] / "hostile_bots"
        shutil.copytree(ours, content / "tests" / "hostile_bots")
    waits = crime not in _ENDLESS
    plan = {"crime": crime, "stage": stage, "waits": waits, "targets": dict(targets)}
    (content / "plan.json").write_text(json.dumps(plan))
    step = 'build = "python3 bot.py build"\n' if stage == "build" else ""
    (content / "santiago.toml").write_text(_MANIFEST + step)
    package = folder / "criminal.tar.gz"
    pack(content, package, Limits())
    folder.chmod(0o755)
    return package


# What follows runs in the host's process.


def _settle(folder: Path, uids: range, operator: bool) -> None:
    os.environ["SANTIAGO_TEST_SECRET"] = SECRET
    os.environ["DATABASE_URL"] = f"postgresql://{SECRET}@localhost"
    settings = HostSettings(folder=folder, uids=uids)
    for runtime in installed().values():  # what only root can read is copied as an installer would
        if runtime.name == "python":
            runtime.mounts(folder)
            runtime.mounts_of_build(folder, {})
    seccomp.missing()
    if operator:
        os.setgroups([])
        os.setgid(uids.start)
        os.setuid(uids.start)
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)  # as if it had been started so
    _here.append(_Process(settings))


def in_force() -> guards.Guards:
    return guards.guards(_here[0].settings.uids)


def make_bundle(package: Path, more: Mapping[str, int] | None = None) -> Built:
    """Build a package with further settings, and unpack what was built."""
    settings, log = _here[0].settings, list[str]()
    settings = replace(settings, **(more or {}))  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory(dir=settings.folder) as to:
        try:
            built = build(package, Path(to), settings=settings, say=log.append)
        except BuildFailed as failure:
            return [*log, str(failure)], None
        bundle = Path(tempfile.mkdtemp(dir=settings.folder))
        bundle.chmod(0o755)
        _here[0].manifests[bundle] = unpack(built.path, bundle / "bot", Limits())
    return log, bundle


def start(bundle: Path, limits: SandboxLimits | None) -> int:
    settings = _here[0].settings
    manifest = _here[0].manifests[bundle]
    runtime = runtime_of(manifest, settings)
    sandbox = Sandbox.start(
        runtime.command(manifest),
        mounts=(*runtime.mounts(settings.folder), Mount(bundle / "bot", BOT)),
        environment=runtime.environment,
        directory=BOT,
        limits=limits,
        uids=settings.uids,
    )
    number = len(_here[0].sandboxes)
    _here[0].sandboxes[number] = sandbox
    return number


def ask(number: int, name: str, given: tuple[Any, ...]) -> Any:
    found = getattr(_here[0].sandboxes[number], name)
    return found(*given) if callable(found) else found


def output(number: int) -> ProgramOutput:
    return _here[0].sandboxes[number].output()


def stop(number: int) -> Report:
    sandbox = _here[0].sandboxes[number]
    code = sandbox.exit_code
    sandbox.stop()
    return Report(
        sandbox.output(), sandbox.over, code, sandbox.peak_memory(), sandbox.cpu_seconds()
    )
