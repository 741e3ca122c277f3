"""Runtimes: what a bot of a language is built and run with. Each is a folder with a runtime.toml.

An operator adds one by a folder of such folders in SANTIAGO_RUNTIMES; docs/hosting.md explains the
description. A sandbox sees the bundle at /bot, and nothing else but the runtime's mounts.
"""

import shlex
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, Final, Self

from referee.errors import InvalidSetting
from referee.hosting import parts
from referee.hosting.bubblewrap import Mount
from referee.hosting.client import BuildFailed
from referee.hosting.packages import Manifest

OWN: Final = Path(__file__).parent / "runtimes"
"""The folder of the runtimes that come with the project."""
BOT: Final = "/bot"
"""The bundle's folder in a sandbox, and its working directory."""
_FILE: Final = "runtime.toml"
_WORDS: Final = "{words}"
_PLACES: Final = {"{pip}": f"{parts.python()} {parts.PIP}", "{python}": parts.python()}
"""The marks in a step's line, and the words for them in a sandbox."""


@dataclass(frozen=True, slots=True)
class BuildStep:
    """One step of a build: a line for the shell."""

    run: str
    shown: str = ""
    """The log shows it in place of the line, if it is not empty."""
    has: str = ""
    """The step is made only if the package has this file or folder."""
    lacks: str = ""
    """The step is made only if the package lacks it; `{entry}` is the entry point's first word."""
    entry: str = "*"
    """The step is made only if the entry point fits this pattern."""
    drop: tuple[str, ...] = ()
    """Files and folders that the bundle needs no more after it."""
    hint: str = ""
    """The log says it if the step fails."""

    def applies(self, package: Path, manifest: Manifest) -> bool:
        """Return True if the step is to be made for an unpacked package."""
        lacks = self.lacks.replace("{entry}", manifest.entry.split()[0])
        fits = _holds(package, self.has) and fnmatchcase(manifest.entry, self.entry)
        return fits and not (lacks and _holds(package, lacks))


@dataclass(frozen=True)
class Runtime:
    """One runtime, as its description says."""

    name: str
    title: str
    language: str
    folder: Path
    """The folder of the description."""
    probe: tuple[str, ...]
    """The command that prints the language's version."""
    starts: tuple[tuple[str, tuple[str, ...]], ...]
    """Patterns of entry points, each with the command that starts such a bot."""
    own_parts: tuple[str, ...] = ()
    own_mounts: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables in the sandbox."""
    steps: tuple[BuildStep, ...] = ()
    """The first that applies is made in each build, before the package's own step."""
    defaults: tuple[BuildStep, ...] = ()
    """The first that applies is made if the package names no step."""
    build_parts: tuple[str, ...] = ()
    build_mounts: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the description in a folder. Raises InvalidSetting."""
        try:
            fields = tomllib.loads((folder / _FILE).read_text())
            build = fields.get("build", {})
            return cls(
                name=fields["name"],
                title=fields["title"],
                language=fields["language"],
                folder=folder,
                probe=tuple(fields["probe"]),
                starts=tuple((each["entry"], tuple(each["command"])) for each in fields["start"]),
                own_parts=tuple(fields.get("parts", ())),
                own_mounts=tuple(fields.get("mounts", ())),
                environment=fields.get("environment", {}),
                steps=_steps(build.get("steps", ())),
                defaults=_steps(build.get("defaults", ())),
                build_parts=tuple(build.get("parts", ())),
                build_mounts=build.get("mounts", {}),
            )
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise InvalidSetting(f"The runtime {folder} cannot be read: {error}.") from None
        except (KeyError, TypeError) as error:
            raise InvalidSetting(f"{folder / _FILE} lacks or misuses {error}.") from None

    def command(self, manifest: Manifest) -> tuple[str, ...]:
        """Return the command that starts a bot in its sandbox, in the directory /bot.

        It listens where SANTIAGO_ADDRESS says. Raises BuildFailed for an entry point that this
        runtime does not know.
        """
        for pattern, command in self.starts:
            if fnmatchcase(manifest.entry, pattern):
                return tuple(_filled(command, manifest))
        patterns = " or ".join(pattern for pattern, _ in self.starts)
        raise BuildFailed(
            f"The entry point {manifest.entry!r} does not fit the runtime {self.name}, "
            f"which starts {patterns}."
        )

    def version_command(self, sandboxed: bool) -> list[str]:
        """Return the command that prints the language's version."""
        own = parts.python() if sandboxed else sys.executable
        return [own if word == "{python}" else word for word in self.probe]

    def command_outside(self, manifest: Manifest) -> tuple[str, ...]:
        """Return the command that starts a bot without a sandbox, in the folder of its bundle."""
        own = parts.python()
        return tuple(sys.executable if w == own else w for w in self.command(manifest))

    def environment_outside(self, bundle: Path) -> dict[str, str]:
        """Return the variables of a bot without a sandbox, in place of `environment`."""
        places = {BOT: str(bundle), parts.KIT: str(Path(__file__).parents[2])}
        changed = {key: _swapped(value, places) for key, value in self.environment.items()}
        return {key: value for key, value in changed.items() if key != "PATH"}

    def mounts(self, folder: Path) -> tuple[Mount, ...]:
        """Return what a sandbox of this runtime reads; copies are made once below `folder`."""
        here = tuple(Mount(Path(at), at) for at in self.own_mounts if Path(at).exists())
        return (*here, *_parts(self.own_parts, folder))

    def mounts_of_build(self, folder: Path, environ: Mapping[str, str]) -> tuple[Mount, ...]:
        """Return what a build reads in addition, such as the operator's wheels if they are set.

        Raises InvalidSetting if a variable names what is not there.
        """
        mounts = []
        for at, name in self.build_mounts.items():
            if source := environ.get(name[1:], ""):
                if not Path(source).exists():
                    raise InvalidSetting(f"{name[1:]} is {source!r}, which does not exist.")
                mounts.append(Mount(Path(source).absolute(), at))
        return (*mounts, *_parts(self.build_parts, folder))

    def build_lines(
        self, package: Path, manifest: Manifest, outside: Mapping[str, str] | None = None
    ) -> Iterator[BuildStep]:
        """Yield the steps that build an unpacked package; none if it is the bundle already.

        `outside`: the variables of this process, if the steps are to run without a sandbox.
        """
        places = _PLACES if outside is None else self._places_outside(outside)
        own = manifest.build
        for steps in (self.steps, () if own else self.defaults):
            for step in _first(steps, package, manifest):
                yield replace(step, run=_swapped(step.run, places))
        if own:
            yield BuildStep(shlex.join(own), shown=own[2] if own[:2] == ("sh", "-c") else "")

    def _places_outside(self, environ: Mapping[str, str]) -> dict[str, str]:
        own = shlex.quote(sys.executable)
        outside = {at: environ.get(name[1:], at) for at, name in self.build_mounts.items()}
        return {"{pip}": f"{own} -m pip", "{python}": own, **outside}


def _holds(package: Path, name: str) -> bool:
    """Return True if a package has a file or folder of this name.

    Authors choose names, and must not learn what else is on this machine: absolute paths, those
    with `..` and what a link leads to count as absent.
    """
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        return False
    try:
        linked = any((package / part).is_symlink() for part in (path, *path.parents[:-1]))
        return not linked and (package / path).exists()
    except OSError:  # no name of a file, such as one that is too long
        return False


def _swapped(text: str, places: Mapping[str, str]) -> str:
    for before, after in places.items():
        text = text.replace(before, after)
    return text


def _steps(tables: Iterable[Mapping[str, Any]]) -> tuple[BuildStep, ...]:
    return tuple(
        BuildStep(
            run=each["run"].strip(),
            has=each.get("has", ""),
            lacks=each.get("lacks", ""),
            entry=each.get("entry", "*"),
            drop=tuple(each.get("drop", ())),
            hint=each.get("hint", ""),
        )
        for each in tables
    )


def _first(steps: Sequence[BuildStep], package: Path, manifest: Manifest) -> list[BuildStep]:
    return [step for step in steps if step.applies(package, manifest)][:1]


def _parts(names: Iterable[str], folder: Path) -> tuple[Mount, ...]:
    return tuple(mount for name in names for mount in parts.mount(name, folder))


def _filled(command: Sequence[str], manifest: Manifest) -> Iterator[str]:
    """Yield a command's words; `{words}` becomes the words of the entry point."""
    values = {
        "{python}": parts.python(),
        "{entry}": manifest.entry,
        "{name}": manifest.name,
        "{version}": manifest.version,
    }
    for word in command:
        if word == _WORDS:
            yield from shlex.split(manifest.entry)
        else:
            yield values.get(word, word)


def installed(folders: Iterable[Path] = ()) -> dict[str, Runtime]:
    """Return the project's runtimes and those in further folders, by name.

    A later one takes the place of an earlier one of its name. Raises InvalidSetting.
    """
    files = (file for folder in (OWN, *folders) for file in sorted(folder.glob(f"*/{_FILE}")))
    runtimes = [Runtime.read(file.parent) for file in files]
    return {runtime.name: runtime for runtime in runtimes}
