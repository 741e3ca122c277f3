"""The host of the embedded service, the sample bot that it plays, and the core they play with.

The first thing that one sees is the path of every author's bot: packed, built in a sandbox, checked
and tried. If no sandbox can run here, the bot is a process as the others are.

A wheel may have it within (`santiago --version` says so). In a clone `make demo` compiles it, if a
C compiler is there, into a folder of the environment: a whole copy of what bots import. The service
itself and tests run the source.
"""

import filecmp
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import packages, submitting
from ladder.bots.submitting import Package
from ladder.config import HOSTS, SECRET_KEY
from ladder.matches.tables import needs_host
from ladder.model import Bot, BotState, Conduct, HostRow, User, Version, VersionState
from ladder.people.accounts import HOUSE
from referee.hosting import packages as format_
from referee.hosting.guards import guards
from referee.hosting.settings import HostSettings
from referee.processes import ChildProcess
from referee.rules import CORE
from referee.ways import GATEWAY_KEY

UPLOADED: Final = "greedy"
"""The sample bot that comes in by upload where a host runs."""
_FOLDER: Final = "SANTIAGO_HOST_FOLDER"
_NOT_FOR_HOSTS: Final = ("DATABASE_URL", "REDIS_URL", SECRET_KEY, GATEWAY_KEY)
_MANIFEST: Final = """name = "{name}"
version = "{version}"
runtime = "python"
entry = "{entry}"
"""

_COMPILED: Final = Path(sys.prefix) / "compiled"
_PACKAGES: Final = ("referee", "sample_bots")


@dataclass(frozen=True, slots=True)
class OwnHost:
    """A host of our own: where it listens, on a unix socket, and its folder."""

    address: str
    folder: Path
    temporary: bool
    """True if the folder goes when the service ends."""

    def start(self, log: Path) -> ChildProcess:
        """Start it; it learns nothing of the database, of Redis and of the ladder's keys."""
        command = [sys.executable, "-P", "-m", "ladder.cli.main", "host", "--listen", self.address]
        extra = dict.fromkeys(_NOT_FOR_HOSTS, "") | {_FOLDER: str(self.folder)}
        return ChildProcess(command, extra | dict(compiled_core()), log)


def own_host(
    data: Path, sockets: Path, stack: ExitStack, say: Callable[[str], None]
) -> OwnHost | None:
    """Return the host to start; None if there is to be none, and `say` why.

    Its folder is in the data folder or, if that is closed to the users of sandboxes, a temporary
    one, which `stack` removes.
    """
    if os.environ.get(HOSTS, "").strip():
        return None  # the operator's own hosts, or none
    missing = guards(HostSettings.from_environment().uids).missing
    address = f"unix:{sockets / 'hosts' / 'host.sock'}"
    if missing is None and (folder := _folder(data)) is not None:
        return OwnHost(address, folder, temporary=False)
    if missing is None and (above := _open_folder()) is not None:
        made = tempfile.TemporaryDirectory(prefix="santiago-host-", dir=above)
        folder = Path(stack.enter_context(made))
        folder.chmod(0o711)
        return OwnHost(address, folder, temporary=True)
    say(f"No uploads here: {missing or 'other users cannot enter the folder for temporary files.'}")
    return None


def forget_hosts(session: Session) -> None:
    """Forget the hosts of this folder that have ended; the caller commits."""
    model.write(session)
    session.execute(delete(HostRow).where(HostRow.address.startswith("unix:")))


def upload(session: Session, name: str, version: str, target: str) -> int:
    """Upload an installed bot (`module:Class`) as an author does; return its id.

    What was registered of it as a process becomes an older version; a version that was uploaded
    before goes on. The caller commits.
    """
    house = session.scalars(select(User.id).where(User.name == HOUSE)).one()
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:
        file = _packed(name, version, target, Path(folder))
        with file.open("rb") as stream:
            sha256 = packages.store(session, stream, user_id=house)
    give_way(session, name, version, hosted=False)
    package = Package(sha256, f"{name}.zip", name, version, "python")
    bot_id = submitting.register_package(session, package)
    take_in(session, bot_id, hosted=True)
    return bot_id


def take_in(session: Session, bot_id: int, *, hosted: bool, **values: object) -> None:
    """Make a bot one of the house, active whatever its state was; the caller commits.

    Its active version, if it is of this kind, is within reach and without a fault from now on.
    `values` are further columns of it to set.
    """
    session.execute(update(Bot).where(Bot.id == bot_id).values(house=True, state=BotState.ACTIVE))
    fit = {"conduct": Conduct.GOOD, "offline_since": None, "unreached_since": None}
    own = Version.bot_id == bot_id, Version.active, _is_of_kind(hosted=hosted)
    session.execute(update(Version).where(*own).values(faulted_in_a_row=0, **fit, **values))


def give_way(session: Session, name: str, version: str, *, hosted: bool) -> None:
    """Have the house bot's versions of one kind, hosted or dialled, give way to the other kind.

    One of this name gets another name; the active one cannot be reached any more. The caller
    commits.
    """
    own = (
        select(Version)
        .join(Bot, Bot.id == Version.bot_id)
        .join(User, User.id == Bot.user_id)
        .where(Bot.name == name, User.name == HOUSE, _is_of_kind(hosted=hosted))
    )
    for row in session.scalars(own):
        if row.name == version:
            row.name = f"{row.name} ({'upload' if hosted else 'process'} {row.id})"
        if row.active:
            row.offline_since = row.offline_since or model.now(session)
    session.flush()


def progress(session: Session, bot_id: int) -> tuple[VersionState, str | None]:
    """Return how far the newest uploaded version of a bot is, and why it waits or was rejected."""
    newest = (
        select(Version)
        .where(Version.bot_id == bot_id, Version.package.is_not(None))
        .order_by(Version.id.desc())
        .limit(1)
    )
    row = session.scalars(newest, execution_options={"populate_existing": True}).one()
    return row.state, row.reason


@cache
def compiled_core(folder: Path = _COMPILED) -> Mapping[str, str]:
    """Return the environment in which bots play with the compiled core; empty if there is none.

    One that was made of another source than ours does not count. A process compares once.
    """
    if CORE == "compiled" or not all(_is_ours(folder, package) for package in _PACKAGES):
        return {}
    return {"PYTHONPATH": str(folder)}


def _is_of_kind(*, hosted: bool) -> ColumnElement[bool]:
    return needs_host() if hosted else ~needs_host()


def _packed(name: str, version: str, target: str, folder: Path) -> Path:
    module, _, class_name = target.partition(":")
    found = find_spec(module)
    assert found is not None
    assert found.origin is not None
    source, own = Path(found.origin), folder / name
    own.mkdir()
    (own / source.name).write_bytes(source.read_bytes())
    entry = f"{source.stem}:{class_name}"
    manifest = _MANIFEST.format(name=name, version=version, entry=entry)
    (own / "santiago.toml").write_text(manifest, encoding="utf-8")
    format_.pack(own, folder / f"{name}.zip")
    return folder / f"{name}.zip"


def _folder(data: Path) -> Path | None:
    """Return the folder that is to stay; None if the users of sandboxes could not reach it."""
    if setting := os.environ.get(_FOLDER, "").strip():
        return Path(setting)
    return data / "host" if os.geteuid() != 0 or _is_open(data) else None


def _open_folder() -> Path | None:
    """Return a folder for temporary files that other users can enter."""
    folders = (tempfile.gettempdir(), "/tmp", "/var/tmp")
    return next(filter(_is_open, map(Path, folders)), None)


def _is_open(folder: Path) -> bool:
    above = (folder, *folder.parents)
    return folder.exists() and all(part.stat().st_mode & 0o001 for part in above)


def _is_ours(folder: Path, package: str) -> bool:
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    ours = Path(spec.submodule_search_locations[0])
    found = [path for kind in ("*.py", "*.bin") for path in ours.rglob(kind)]
    sources = [path.relative_to(ours) for path in found]
    _, differing, missing = filecmp.cmpfiles(ours, folder / package, sources, shallow=False)
    return not differing and not missing
