"""The embedded service: Redis, worker, scheduler, site and house bots run by one command.

One folder holds all that lasts: the database, the key to its secrets, the logs. Sockets are in a
folder of their own that only this user can enter; it is removed when the service ends. Redis
listens on a unix socket only and keeps nothing on disk.

The house bots are the sample bots, which play on every ladder whenever others wait. They belong to
a user who cannot sign in, and they may meet each other. One of them is the anchor: its rating never
changes, so that ratings mean the same next year.
"""

import fcntl
import os
import stat
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from os.path import samestat
from pathlib import Path
from time import monotonic
from typing import IO, Final, Self

from sqlalchemy import select
from sqlalchemy.orm import Session

import ladder.wiring  # noqa: F401  (sets what follows from a match)
from ladder import model, secrets
from ladder.bots import versions
from ladder.bots.addresses import private_while_alone
from ladder.config import HOSTS, LADDER_PACE, SECRET_KEY, Environment
from ladder.embedded import hosting
from ladder.embedded.hosting import compiled_core
from ladder.embedded.settings import check_ports, metrics_port
from ladder.embedded.supervisor import (
    ServiceError,
    Supervisor,
    redis_answers,
    redis_command,
    redis_url,
    site_answers,
    site_command,
    site_environment,
)
from ladder.errors import Refused, SettingsError
from ladder.jobs import attempts
from ladder.local.entrants import installed_bots
from ladder.local.guardian import Guardian, socket_folder
from ladder.model import VersionState
from ladder.people.accounts import HOUSE
from ladder.ratings import ledger
from ladder.variables import at_port, without_brackets
from referee.processes import BotProcess, ChildProcess, may_listen
from referee.serving import load

ANCHOR: Final = "random"
"""The bot whose rating is pinned."""
SLOTS: Final = 16
"""Games that a house bot plays at once: more than its share of what a laptop can play."""

_ASK_EVERY: Final = 0.03  # seconds, and below
_FIRST_WORD: Final = 5.0
_NEXT_WORD: Final = 10.0


class EmbeddedService:
    """The whole service on this machine, while the context is open.

    Raises ServiceError if a part can't start, or if another service uses the folder. Waits by
    calling `pause`, which may raise to end everything; says what for if it takes long.
    """

    def __init__(
        self,
        folder: Path,
        host: str,
        port: int,
        pause: Callable[[float], None],
        pace: float,
        *,
        house: Mapping[str, str] | None = None,
        adds_house: bool = False,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Prepare to start.

        `pace`: the number of ladder matches that are made in a minute. `house`: what is added to
        the environment of the house bots, which run only on a ladder that has them already, unless
        `adds_house`. `say` takes sentences.
        """
        self._folder = folder.absolute()
        self._database = self._folder / "ladder.db"
        self._listen_on = without_brackets(host)
        self._port = port
        self._pause = pause
        self._pace = pace
        self._house = house or {}
        self._adds_house = adds_house
        self._say = say
        self._stack = ExitStack()
        self.house_bots: list[int] = []
        """Their ids."""
        self.uploaded: int | None = None
        """The id of the one that was uploaded; None if no host of ours runs."""
        self.uploaded_now = False
        """True if it was not on the ladder before."""

    @property
    def url(self) -> str:
        """The URL of the site."""
        return f"http://{at_port(self._listen_on, self._port)}"

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def hosts(self) -> bool:
        """Return True if a host of ours runs: people can upload bots."""
        return self._host is not None

    def session(self) -> Session:
        """Open a session on the ladder's database."""
        return self._sessions()

    def check(self) -> list[str]:
        """Restart what has ended; return a sentence for each. Raises ServiceError.

        Raises SettingsError if the tables have become another release's: every part ends then. A
        database out of reach is for the parts to tell of, but not one whose file has been moved
        away: those that have it open would go on with it, and others make an empty one.
        """
        if not self._has_its_file():
            raise ServiceError(
                f"The file {self._database} was moved, removed or replaced while santiago ran. "
                "Bring it back with those beside it (-wal, -shm) before you start again. To use "
                "another file, such as a back-up, remove both first: they would damage it."
            )
        with suppress(*model.OUT_OF_REACH), self.session() as session:
            if complaint := model.other_release(session):
                raise SettingsError(complaint)
        return self._supervisor.check()

    def _start(self) -> None:
        _make_closed(self._folder)
        self._stack.enter_context(_locked(self._folder / "lock"))
        check_ports(self._listen_on, self._port)
        self._sockets = Path(self._stack.enter_context(socket_folder()))
        self._environment = self._settings()
        self._host = hosting.own_host(self._folder, self._sockets, self._stack, self._say)
        if self._host is not None:
            self._environment[HOSTS] = self._host.address
        self._open_database(self._environment["DATABASE_URL"])
        self._opened = self._database.stat()
        self._start_parts(self._stack.enter_context(Guardian()))

    def _open_database(self, url: str) -> None:
        model.upgrade(url, regardless=True)  # the lock says that our own parts are gone
        engine = model.engine(url)
        self._stack.callback(engine.dispose)
        self._sessions = model.session_factory(engine)
        with self.session() as session, session.begin():
            hosting.forget_hosts(session)
            attempts.lose_messages(session)  # the Redis that had them kept nothing

    def _has_its_file(self) -> bool:
        try:
            return samestat(self._database.stat(), self._opened)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True

    def _start_parts(self, guardian: Guardian) -> None:
        guardian.guard_folder(self._sockets)
        if self._host is not None and self._host.temporary:
            guardian.guard_folder(self._host.folder)
        self._supervisor = Supervisor(self._folder / "logs", guardian)
        self._supervisor.starting = True
        self._stack.callback(self._supervisor.stop)
        redis_socket = self._sockets / "redis"
        self._add("redis", redis_command(redis_socket), needed=True)
        self._add("site", site_command())
        if self._host is not None:
            self._supervisor.add("host", self._host.start, needed=True)
        self._start_house()
        self._wait("redis", lambda: redis_answers(redis_socket))
        if self._host is not None:
            self._wait("host", partial(may_listen, self._host.address))
        self._add("worker", _santiago("worker"))
        self._add("scheduler", _santiago("scheduler"))
        self._wait("site", lambda: site_answers(self.url))
        self._supervisor.starting = False

    def _start_house(self) -> None:
        """Start and register the house bots, and wait for them: the worker dials them at once.

        One of them is uploaded instead if there is a host.
        """
        targets = sorted(installed_bots().items()) if self._has_house() else []
        uploaded = [one for one in targets if self._host and one[0] == hosting.UPLOADED]
        targets = [one for one in targets if one not in uploaded]
        started = [(name, load(target), self._add_bot(name, target)) for name, target in targets]
        for name, bot, address in started:
            self._wait(f"bot-{name}", partial(may_listen, address))
            with self.session() as session, session.begin():
                self.house_bots.append(
                    register(session, name=bot.name, version=bot.version, address=address)
                )
        for name, target in uploaded:
            try:
                self._upload(target)
            except Refused as refusal:  # an admin has banned it
                self._say(f"{name} is not uploaded: {refusal}.")

    def _add_bot(self, name: str, target: str) -> str:
        """Start an installed bot (`module:Class`) as a process and return its address."""
        address = f"unix:{self._sockets / name}.bot"
        command = [sys.executable, "-P", "-m", "referee.serving", target]
        environment = {**compiled_core(), **self._house}
        self._supervisor.add(
            f"bot-{name}", lambda log: BotProcess(command, address, log, environment), needed=True
        )
        return address

    def _has_house(self) -> bool:
        """Return True if house bots run: trials and people play against those of the ladder."""
        if self._adds_house:
            return True
        with self.session() as session:
            return bool(house_addresses(session))

    def _upload(self, target: str) -> None:
        bot = load(target)
        with self.session() as session, session.begin():
            self.uploaded = hosting.upload(session, bot.name, bot.version, target)
            self.house_bots.append(self.uploaded)
            state, _ = hosting.progress(session, self.uploaded)
            self.uploaded_now = state is not VersionState.ACTIVE

    def _settings(self) -> dict[str, str]:
        folder = self._folder
        return {
            "DATABASE_URL": model.sqlite_url(self._database),
            "REDIS_URL": redis_url(self._sockets / "redis"),
            SECRET_KEY: Environment.from_environment().secret_key or secrets.key_of_folder(folder),
            **private_while_alone(self._listen_on),
            LADDER_PACE: f"{self._pace:g}",
            **site_environment(self._listen_on, self._port),
        }

    def _add(self, name: str, command: list[str], *, needed: bool = False) -> None:
        environment = {**self._environment, **metrics_port(name)}
        self._supervisor.add(
            name, lambda log: ChildProcess(command, environment, log), needed=needed
        )

    def _wait(self, name: str, ready: Callable[[], bool]) -> None:
        """Wait until a part is ready, for as long as it does not end again and again."""
        began = monotonic()
        next_word = began + _FIRST_WORD
        while not ready():
            for sentence in self.check():
                self._say(sentence)
            if monotonic() >= next_word:
                waited = f"{monotonic() - began:.0f} s so far"
                log = self._folder / "logs" / f"{name}.log"
                self._say(f"Waiting for the {name} ({waited}); it prints to {log}.")
                next_word += _NEXT_WORD
            self._pause(_ASK_EVERY)


def _santiago(command: str) -> list[str]:
    return [sys.executable, "-P", "-m", "ladder.cli.main", command]


def _make_closed(folder: Path) -> None:
    """Make the data folder if needed; close it to other users, with the database in it.

    A folder that others share (another user's, or such as /tmp) stays open; its files do not.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # it holds secrets
    logs = folder / "logs"
    logs.mkdir(exist_ok=True)
    logs.chmod(0o700)
    about = folder.stat()
    if about.st_uid == os.geteuid() and not about.st_mode & stat.S_ISVTX:
        folder.chmod(0o700)
    for file in folder.glob("ladder.db*"):
        with suppress(OSError):  # it is another user's, or SQLite has just removed it
            file.chmod(0o600)


def _locked(path: Path) -> IO[str]:
    """Return an open file that only one service at a time can hold."""
    lock = path.open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise ServiceError(
            f"Another santiago runs in {path.parent}: end it, or name another folder with --data."
        ) from None
    return lock


def register(session: Session, *, name: str, version: str, address: str) -> int:
    """Make a house bot active at this address, whatever its state was; return its id.

    It has just been started; a version that was uploaded gives way to it. The caller commits.
    """
    ledger.lock(session)
    hosting.give_way(session, name, version, hosted=True)
    bot_id = versions.register(
        session, name=name, author=HOUSE, address=address, version=version
    ).id
    hosting.take_in(session, bot_id, hosted=False, slots=SLOTS)
    if name == ANCHOR:
        ledger.pin(session, bot_id)
    return bot_id


def house_addresses(session: Session) -> dict[str, str]:
    """Return the address of each house bot that is registered, by its name."""
    query = (
        select(model.Bot.name, model.Version.address)
        .join(model.Version, model.Version.bot_id == model.Bot.id)
        .where(model.Bot.house, model.Version.active)
    )
    return dict(session.execute(query).all())
