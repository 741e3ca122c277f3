"""Builds: make a bundle of a package, by the steps of its runtime and its own, in a sandbox.

The package is unpacked and checked outside; the steps run on a copy of it in the sandbox, with
neither network nor clock of their own, and the bundle is read when all processes are gone.
"""

import os
import platform
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Final

from referee.hosting import packages
from referee.hosting.archives import BadPackage, Limits
from referee.hosting.bubblewrap import SHARED, Mount
from referee.hosting.bundles import Built, differences, write_bundle
from referee.hosting.client import BuildFailed, HostRefuses
from referee.hosting.output import gap
from referee.hosting.packages import Manifest, package_limits
from referee.hosting.runtime import BuildStep, Runtime, installed
from referee.hosting.sandbox import Sandbox
from referee.hosting.settings import MB, HostSettings
from referee.hosting.usage import SandboxLimits

_Say = Callable[[str], None]
"""Called with each line of the log."""
SCRATCH: Final = ".build-"
"""Begins the names of folders that a build leaves below the host's if it is killed."""
_PACKAGE: Final = "/package"
_WORK: Final = "build"
_MOST_LINES: Final = 800  # that are said while a step runs, and again at its end
_LOOK_EVERY: Final = 0.1  # seconds between two looks at what a step printed
_COPY: Final = f"cp -R {_PACKAGE} {SHARED}/{_WORK} && cd {SHARED}/{_WORK} || exit"
_FOREIGN: Final = {
    b"MZ\x90\x00": "Windows",  # MZ alone also begins scripts
    b"\xcf\xfa\xed\xfe": "macOS",
    b"\xca\xfe\xba\xbe": "macOS",  # for several processors
}
"""How programs for other systems begin."""
_ELF: Final = b"\x7fELF"
_ELF_HEAD: Final = 20  # bytes
_ELF_MACHINE: Final = slice(18, 20)
_SAME_EVERY_TIME: Final = {
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "SOURCE_DATE_EPOCH": "315532800",  # 1980, the first year that a zip file knows
    "ZERO_AR_DATE": "1",
    "npm_config_update_notifier": "false",
}
"""Variables by which compilers and packers leave out what changes from one build to the next."""


def build(
    package: Path,
    to: Path,
    *,
    settings: HostSettings,
    say: _Say,
    cancelled: Callable[[], bool] = lambda: False,
    sandboxed: bool = True,
) -> Built:
    """Build a package; write the bundle into the folder `to`, under its SHA-256.

    If there are steps to run, they run twice, in two sandboxes, and the log says which files
    differ. Only authors build without a sandbox (`sandboxed`), on their own machines.

    Raises BadPackage and BuildFailed, HostRefuses if something outside killed the sandbox, and
    InvalidSetting if the machine has no sandboxes.
    """
    limits = package_limits(settings)
    with _unpacked(package, limits, settings.folder) as (folder, manifest):
        runtime = runtime_of(manifest, settings)
        runtime.command(manifest)
        steps = tuple(
            runtime.build_lines(folder, manifest, None if sandboxed else _variables(settings))
        )
        if not steps:
            say("Nothing to build: the package is the bundle.")
            return _readable(_bundle_of(folder, to, limits, say), limits, runtime)
        workshop: _Workshop | _Bench = _Bench(runtime, steps, folder)
        if sandboxed:
            workshop = _Workshop(runtime, steps, folder, settings, cancelled)
        built = workshop.build(to, limits, say)
        with tempfile.TemporaryDirectory(dir=settings.folder, prefix=SCRATCH) as again:
            say("Building again, to compare.")
            second = _second(workshop, Path(again), limits, say)
            built = _compared(built, second, say)
        return _readable(built, limits, runtime)


def sandbox_limits(settings: HostSettings) -> SandboxLimits:
    """Return what a sandbox may use on a host."""
    return SandboxLimits(
        settings.memory_mb * MB, settings.threads, settings.files_mb * MB, settings.output_kb * 1024
    )


def _variables(settings: HostSettings) -> dict[str, str]:
    """Return the variables in which runtimes find the operator's folders for builds."""
    names = {field: variable.name for field, (_, variable) in HostSettings.variables().items()}
    own = {names["wheelhouse"]: settings.wheelhouse, names["npm_cache"]: settings.npm_cache}
    return {**os.environ, **{name: str(folder) for name, folder in own.items() if folder}}


def runtime_of(manifest: Manifest, settings: HostSettings) -> Runtime:
    """Return a package's runtime. Raises BuildFailed if this host has none of this name."""
    runtimes = installed(settings.runtimes)
    if manifest.runtime not in runtimes:
        names = ", ".join(sorted(runtimes))
        raise BuildFailed(f"This host has no runtime {manifest.runtime!r}, only {names}.")
    return runtimes[manifest.runtime]


@contextmanager
def _unpacked(package: Path, limits: Limits, below: Path) -> Iterator[tuple[Path, Manifest]]:
    """Yield a folder with the package, which other users may read, and its manifest."""
    below.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=below, prefix=SCRATCH) as temporary:
        folder = Path(temporary, "package")
        manifest = packages.unpack(package, folder, limits)
        for directory in (folder.parent, folder, *(path for path in folder.rglob("*/"))):
            directory.chmod(0o755)
        yield folder, manifest


def _bundle_of(folder: Path, to: Path, limits: Limits, say: _Say) -> Built:
    root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return write_bundle(root, to, limits, say)
    finally:
        os.close(root)


def _readable(built: Built, limits: Limits, runtime: Runtime) -> Built:
    """Return the bundle if a host can unpack and start it.

    A build may have made names that clash, or another manifest.
    """
    try:
        manifest = packages.read(built.path, limits)
        if manifest.runtime != runtime.name:
            raise BuildFailed(f"The build changed the runtime to {manifest.runtime!r}.")
        runtime.command(manifest)
        if sys.platform == "linux":
            _check_program(built.path, manifest.entry.split()[0])
    except BadPackage as error:
        built.path.unlink()
        raise BuildFailed(f"The bundle can't be unpacked: {error}") from None
    except BuildFailed:
        built.path.unlink()
        raise
    return built


def _check_program(bundle: Path, entry: str) -> None:
    """Raise BuildFailed if the entry point is a program that was compiled for another system.

    The kernel would not know it, and a shell would be started for it.
    """
    with tarfile.open(bundle) as files:
        name = entry.removeprefix("./")
        if name == entry or name not in files.getnames():
            return
        file = files.extractfile(name)
        head = file.read(_ELF_HEAD) if file is not None else b""
    system = next((name for magic, name in _FOREIGN.items() if head.startswith(magic)), "")
    if head.startswith(_ELF) and head[_ELF_MACHINE] != _own_head()[_ELF_MACHINE]:
        system = "another processor"
    if system:
        raise BuildFailed(
            f"The entry point {entry} is a program for {system}: compile it for Linux on "
            f"{platform.machine()}."
        )


def _own_head() -> bytes:
    with Path("/proc/self/exe").open("rb") as file:
        return file.read(_ELF_HEAD)


def _second(workshop: "_Workshop | _Bench", to: Path, limits: Limits, say: _Say) -> Built:
    """Build a second time, and say what that prints only if it fails. Raises BuildFailed."""
    lines: list[str] = []
    try:
        return workshop.build(to, limits, lines.append)
    except BuildFailed:
        for line in ("The second build failed:", *lines):
            say(line)
        raise


def _compared(first: Built, second: Built, say: _Say) -> Built:
    """Return the first with how the second differs from it, and say so."""
    if first.sha256 == second.sha256:
        say("Built twice, with the same bytes.")
        return first
    found = differences(first.path, second.path)
    say("Built twice, with different bytes:")
    for line in found:
        say(f"  {line}")
    return replace(first, differences=found)


class _Workshop:
    """Runs the steps of one package's build, each time in a new sandbox."""

    def __init__(
        self,
        runtime: Runtime,
        steps: Sequence[BuildStep],
        package: Path,
        settings: HostSettings,
        cancelled: Callable[[], bool],
    ) -> None:
        self._settings = settings
        self._cancelled = cancelled
        self._command = ("/bin/sh", "-c", "\n".join((_COPY, _script(runtime, steps))))
        self._environment = {**runtime.environment, **_SAME_EVERY_TIME, "HOME": f"{SHARED}/tmp"}
        self._mounts = (
            *runtime.mounts(settings.folder),
            *runtime.mounts_of_build(settings.folder, _variables(settings)),
            Mount(package, _PACKAGE),
        )

    def build(self, to: Path, limits: Limits, say: _Say) -> Built:
        """Run the steps once, and write the bundle into `to`."""
        with ExitStack() as stack:
            sandbox = stack.enter_context(self._sandbox())
            root = sandbox.open_folder()
            stack.callback(os.close, root)
            self._run(sandbox, say)
            try:
                work = os.open(_WORK, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=root)
            except OSError:
                raise BuildFailed("It left no folder to make a bundle of.") from None
            stack.callback(os.close, work)
            return write_bundle(work, to, limits, say)

    def _sandbox(self) -> Sandbox:
        return Sandbox.start(
            self._command,
            mounts=self._mounts,
            limits=sandbox_limits(self._settings),
            environment=self._environment,
            uids=self._settings.uids,
        )

    def _run(self, sandbox: Sandbox, say: _Say) -> None:
        """Wait until the steps are over, and end what they left. Raises as `build` does."""
        log = BuildLog(sandbox.stdout_after, say, self._settings.output_kb * 1024)
        until = monotonic() + self._settings.build_seconds
        while (code := sandbox.wait(_LOOK_EVERY)) is None:
            log.follow()
            if over := sandbox.over:
                raise BuildFailed(over)
            if monotonic() > until:
                raise BuildFailed(f"It took more than {self._settings.build_seconds:g} seconds.")
            if self._cancelled():
                raise BuildFailed("It was cancelled.")
        sandbox.stop()  # with that, all of its output has been read
        log.end()
        if over := sandbox.over:
            raise BuildFailed(over)
        if sandbox.killed_from_outside:
            raise HostRefuses("The sandbox of a build was killed from outside.")
        if code:
            raise BuildFailed(f"The build step ended with exit code {code}.")


class _Bench:
    """Runs the steps of one package's build on this machine itself.

    Each time they run on a new copy in the same place, whose path may come into the bundle.
    """

    def __init__(self, runtime: Runtime, steps: Sequence[BuildStep], package: Path) -> None:
        self._package, self._work = package, package.parent / _WORK
        self._script = _script(runtime, steps, sandboxed=False)
        self._environment = {**os.environ, **_SAME_EVERY_TIME}

    def build(self, to: Path, limits: Limits, say: _Say) -> Built:
        """Run the steps once, and write the bundle into `to`. Raises BuildFailed."""
        with tempfile.TemporaryDirectory(dir=self._package.parent) as removed:
            shutil.copytree(self._package, self._work)
            try:
                self._run(say)
                return _bundle_of(self._work, to, limits, say)
            finally:
                self._work.rename(Path(removed, _WORK))

    def _run(self, say: _Say) -> None:
        with subprocess.Popen(
            ["/bin/sh", "-c", self._script],
            stdout=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            cwd=self._work,
            env=self._environment,
        ) as process:
            for line in process.stdout or ():
                say(line.rstrip())
        if process.returncode:
            raise BuildFailed(f"The build step ended with exit code {process.returncode}.")


def _script(runtime: Runtime, steps: Sequence[BuildStep], *, sandboxed: bool = True) -> str:
    """Return the lines of shell that run steps, each printed before it runs."""
    lines = ["exec 2>&1", f"{shlex.join(runtime.version_command(sandboxed))} | head -n 1", "set -e"]
    for step in steps:
        shown = (step.shown or step.run).replace("\n", "\n$ ")
        hint = shlex.quote(f"[ $? = 0 ] || echo {shlex.quote(step.hint)}")
        lines.append(f"trap {hint} EXIT" if step.hint else "trap - EXIT")
        lines.append(f"printf '%s\\n' {shlex.quote('$ ' + shown)}")
        lines.append(step.run)
        lines += [f"rm -rf {shlex.quote(name)}" for name in step.drop]
    return "\n".join(lines)


class BuildLog:
    """Says what a step prints, a line at a time: all up to two bounds, and of the rest the end."""

    def __init__(
        self, after: Callable[[int], tuple[bytes, int, bytes]], say: _Say, most: int
    ) -> None:
        """Follow what `after` returns (see `Kept.after`) as it comes, up to `most` bytes."""
        self._after, self._say, self._most = after, say, most
        self._said = self._lines = 0  # bytes, lines

    def follow(self) -> None:
        """Say the lines that are whole by now."""
        new, left_out, _ = self._after(self._said)
        whole = new[: new.rfind(b"\n") + 1]
        lines = _lines(whole)
        if not left_out and self._said < self._most and self._lines + len(lines) <= _MOST_LINES:
            for line in lines:
                self._say(line)
            self._said += len(whole)
            self._lines += len(lines)

    def end(self) -> None:
        """Say the rest, and how much of it was left out."""
        begin, left_out, end = self._after(self._said)
        lines = [*_lines(begin), *([gap(left_out).strip()] if left_out else ()), *_lines(end)]
        if (more := len(lines) - _MOST_LINES) > 0:
            half = _MOST_LINES // 2
            lines = [*lines[:half], gap(more, "lines").strip(), *lines[-half:]]
        for line in lines:
            self._say(line)


def _lines(text: bytes) -> list[str]:
    return text.decode(errors="replace").splitlines()
