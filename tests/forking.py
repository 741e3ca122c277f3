"""Processes for tests, forked from one that has already imported what they need.

A fresh `python -m ...` spends most of its time on imports. Each process here has an id,
signals, output and an end of its own all the same. One server forks for all processes of a run.
"""

import atexit
import gc
import importlib
import marshal
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from fcntl import F_DUPFD, fcntl
from functools import cache
from io import TextIOWrapper
from multiprocessing import set_executable
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NoReturn, TextIO

from tests.stand_in import LONGEST, OPTIONS

ROOT: Final = Path(__file__).parents[1]
_IMPORTED: Final = (
    "celery.app.amqp",
    "celery.app.control",
    "celery.app.events",
    "celery.app.log",
    "celery.apps.worker",
    "celery.backends.base",
    "celery.bin.celery",
    "celery.concurrency.solo",
    "celery.concurrency.thread",
    "celery.events.dispatcher",
    "celery.events.receiver",
    "celery.fixups.django",
    "celery.worker.autoscale",
    "celery.worker.components",
    "celery.worker.consumer.delayed_delivery",
    "celery.worker.strategy",
    "encodings.idna",
    "grpc._server",
    "jinja2.ext",
    "kombu.transport.redis",
    "psycopg",
    "sqlite3",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.dialects.sqlite.pysqlite",
    "ladder.cli.bot",
    "ladder.cli.bot_check",
    "ladder.cli.bot_package",
    "ladder.cli.bot_site",
    "ladder.cli.bot_try",
    "ladder.cli.bot_upload",
    "ladder.cli.games",
    "ladder.cli.host",
    "ladder.cli.play",
    "ladder.cli.ratings",
    "ladder.cli.replay",
    "ladder.cli.health",
    "ladder.cli.service",
    "ladder.cli.up",
    "ladder.local.hosting",
    "ladder.model.migrate",
    "ladder.ratings.strength",
    "tests.ladder.process",
    "web.server",
    "web.viewer.local",
    "tests.referee.games",
    "referee.serving",
    "sample_bots.random_bot",
)
_FOLDER: Final = "SANTIAGO_TEST_FORKING"
"""The variable with the folder in which the server's socket is."""
TEMPLATES: Final = "SANTIAGO_TEST_TEMPLATES"
"""The variable with the folder for compiled templates, if there is one."""
GARBAGE: Final = (5_000, 20, 10)
"""When to look for garbage, for `gc`: seldom, since what tests leave is little."""


class Forked:
    """A process, as subprocess.Popen would have it."""

    def __init__(
        self,
        *arguments: str,
        env: Mapping[str, str],
        cwd: Path = ROOT,
        piped: bool = False,
        log: Path | None = None,
    ) -> None:
        """The arguments are those that follow `python -m`: a module and what it gets.

        What it says goes to pipes, into a log, or where the tests print.
        """
        self.returncode: int | None = None
        outputs, self._pipes = [1, 2], list[TextIO]()
        if piped:
            pairs = [os.pipe() for _ in range(2)]
            outputs = [write for _, write in pairs]
            self._pipes = [os.fdopen(read) for read, _ in pairs]
        elif log is not None:
            outputs = [os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)] * 2
        self._parent = _parent()
        self.pid = self._parent.start(self, ["-m", *arguments], env, cwd, outputs)
        for output in set(outputs) - {1, 2}:
            os.close(output)

    @property
    def stdout(self) -> TextIO:
        return self._pipes[0]

    @property
    def stderr(self) -> TextIO:
        return self._pipes[1]

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it may just have ended by itself
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def poll(self) -> int | None:
        self._parent.listen(0)
        return self.returncode

    def wait(self, timeout: float | None = 100) -> int:
        while self.returncode is None:
            if not self._parent.listen(timeout):
                raise TimeoutError(f"process {self.pid} has not ended")
        return self.returncode

    def communicate(self, timeout: float | None = 100) -> tuple[str, str]:
        """Wait for the end; what it said on stdout and stderr, which must not be much."""
        self.wait(timeout)
        return self.stdout.read(), self.stderr.read()

    def __enter__(self) -> "Forked":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.wait()
        for pipe in self._pipes:
            pipe.close()


class _Parent:
    """The server that imports and forks, as one process of the tests knows it."""

    def __init__(self) -> None:
        if _FOLDER not in os.environ:
            begin()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.connect(_address())
        self._running: dict[int, Forked] = {}

    def start(
        self,
        process: Forked,
        words: list[str],
        env: Mapping[str, str],
        cwd: Path,
        outputs: list[int],
    ) -> int:
        wanted = {
            "words": words,
            "environ": dict(env),
            "folder": str(cwd),
            "files": [1, 2],
            "program": sys.executable,
        }
        self._tell(wanted, outputs)
        pid = int(self._answer("began"))
        self._running[pid] = process
        return pid

    def listen(self, timeout: float | None) -> bool:
        """Note what has ended; whether anything has."""
        heard = False
        while select.select([self._socket], [], [], 0 if heard else timeout)[0]:
            self._hear()
            heard = True
        return heard

    def cpu(self) -> float:
        """Seconds that those used which have ended."""
        self._tell({}, [])
        return self._answer("used")

    def _tell(self, wanted: dict[str, Any], files: list[int]) -> None:
        message = marshal.dumps({"owner": _owner(), **wanted})
        socket.send_fds(self._socket, [message], files)

    def _answer(self, kind: str) -> float:
        while True:
            heard, number = self._hear()
            if heard == kind:
                return number

    def _hear(self) -> tuple[str, float]:
        answer = self._socket.recv(LONGEST)
        assert answer, "the process that forks has ended"
        kind, number, code = marshal.loads(answer)
        if kind == "ended":
            self._running.pop(number).returncode = code
        return kind, number

    def end(self) -> None:
        self._socket.close()


@cache
def _parent() -> _Parent:
    return _Parent()


def _owner() -> str:
    """Who is charged for what a process uses."""
    return str(os.getpid())


def _address() -> str:
    return f"{os.environ[_FOLDER]}/socket"


_until_the_end = 0.0
"""What `cpu` told when `end` was called."""


def cpu() -> float:
    """CPU seconds of those that this process had forked, and that have ended."""
    return _parent().cpu() if _parent.cache_info().currsize else _until_the_end


def shared(name: str) -> Path:
    """A folder that all processes of the run share and any user may enter; it goes with them."""
    folder = Path(os.environ[_FOLDER], name)
    folder.mkdir(exist_ok=True)
    return folder


def begin() -> None:
    """Start the server, for this process and those that it starts. It imports nothing as yet."""
    folder = tempfile.mkdtemp(prefix="santiago-", dir="/tmp")
    Path(folder).chmod(0o711)
    os.environ[_FOLDER] = folder
    near, far = socket.socketpair()
    with far, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(_address())
        listener.listen(100)
        passed = [far.fileno(), listener.fileno()]
        command = [sys.executable, "-m", "tests.forking", *map(str, passed)]
        single = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # others would wait, busily
        server = subprocess.Popen(
            command, cwd=ROOT, env=single, pass_fds=passed, stdin=subprocess.DEVNULL
        )

    def stop() -> None:
        near.close()
        server.wait()
        shutil.rmtree(folder)
        del os.environ[_FOLDER]

    atexit.register(stop)


def end() -> None:
    """End all that was started here and still runs."""
    global _until_the_end
    if _parent.cache_info().currsize:
        _until_the_end = cpu()
        _parent().end()
        _parent.cache_clear()


def programs(folder: Path) -> Path:
    """Put `python` and `santiago` that are forked into a folder for a PATH."""
    _parent()  # it soon imports what they need
    path = os.environ.get("PYTHONPATH", "")
    ours = f'"{sys.executable}" -IS "{ROOT}/tests/stand_in.py" "{_address()}" {_owner()} "{path}"'
    scripts = {"python": "", "santiago": f'"{Path(sys.executable).parent}/santiago"'}
    for name, script in scripts.items():
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {ours} "{folder}/python" {script} "$@"\n')
        program.chmod(0o755)
    return folder


@dataclass(frozen=True)
class _Wanted:
    """A process that somebody asks for, and its open files."""

    words: list[str]
    environ: dict[str, str]
    folder: str
    files: list[int]
    """The numbers that `opened` have to get."""
    opened: list[int]
    program: str
    """What it starts as Python."""


@dataclass(frozen=True)
class _Child:
    pid: int
    owner: str
    caller: int
    """The number of the connection that asked for it."""


class _Server:
    """Forks as it is told, and tells who asked when that ends."""

    def __init__(self, run: socket.socket, listener: socket.socket) -> None:
        self._run, self._listener = run, listener
        self._callers: dict[int, socket.socket] = {}
        self._children: dict[int, _Child] = {}  # by what polls each
        self._used = defaultdict[str, float](float)

    def serve(self) -> _Wanted:
        """Return in each child."""
        always = (self._run.fileno(), self._listener.fileno())
        while True:
            ready, _, _ = select.select([*always, *self._callers, *self._children], [], [])
            number = ready[0]
            if number in self._children:
                self._reap(number)
            elif number in self._callers:
                wanted = self._listen(number)
                if wanted is not None:
                    return wanted
            elif number == self._listener.fileno():
                accepted, _ = self._listener.accept()
                self._callers[accepted.fileno()] = accepted
            else:
                for caller in list(self._callers):
                    self._hang_up(caller)
                sys.exit()

    def _listen(self, number: int) -> _Wanted | None:
        caller = self._callers[number]
        message, opened = b"", list[int]()
        with suppress(ConnectionResetError):  # it was killed, and has not read all
            message, opened, *_ = socket.recv_fds(caller, LONGEST, 250)
        if not message:
            self._hang_up(number)
            return None
        wanted = marshal.loads(message)
        owner = wanted.pop("owner")
        if not wanted:
            self._tell(number, "used", self._used[owner])
            return None
        pid = os.fork()
        if pid == 0:
            self._forget()
            return _Wanted(**wanted, opened=opened)
        for file in opened:
            os.close(file)
        self._children[os.pidfd_open(pid)] = _Child(pid, owner, number)
        self._tell(number, "began", pid)
        return None

    def _forget(self) -> None:
        """Leave the connections to the server, of which this is a child."""
        for number in self._children:
            os.close(number)
        for held in (self._run, self._listener, *self._callers.values()):
            held.close()
        os.setsid()

    def _reap(self, number: int) -> None:
        child = self._children.pop(number)
        os.close(number)
        _, status, used = os.wait4(child.pid, 0)
        self._used[child.owner] += used.ru_utime + used.ru_stime
        if child.caller in self._callers:
            self._tell(child.caller, "ended", child.pid, os.waitstatus_to_exitcode(status))

    def _tell(self, number: int, kind: str, value: float, code: int | None = None) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # that comes to be heard, too
            self._callers[number].send(marshal.dumps([kind, value, code]))

    def _hang_up(self, number: int) -> None:
        self._callers.pop(number).close()
        for polls, child in list(self._children.items()):
            if child.caller == number:
                os.kill(child.pid, signal.SIGKILL)
                with suppress(ProcessLookupError):  # of those that it has started itself
                    os.killpg(child.pid, signal.SIGKILL)
                self._reap(polls)


def _become(wanted: _Wanted) -> None:
    """Give this process the files, folder and environment that were asked for."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run by nohup
    high = [fcntl(file, F_DUPFD, max(wanted.files) + 1) for file in wanted.opened]
    for file in wanted.opened:
        os.close(file)
    for file, number in zip(high, wanted.files, strict=True):
        os.dup2(file, number)
        os.close(file)
    os.chdir(wanted.folder)
    os.environ.clear()
    os.environ.update(wanted.environ)
    if isinstance(sys.stdout, TextIOWrapper):  # it knows from its start if it can seek
        sys.stdout = os.fdopen(
            sys.stdout.fileno(),
            "w",
            buffering=1 if "PYTHONUNBUFFERED" in wanted.environ else -1,
            encoding=sys.stdout.encoding,
            errors=sys.stdout.errors,
            closefd=False,
        )
    sys.executable = wanted.program
    set_executable(wanted.program)


def _run(words: list[str]) -> None:
    """Do what Python does with these words."""
    while words[0] in OPTIONS:
        if words.pop(0) == "-B":  # by the environment its own processes learn it, too
            os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = "PYTHONDONTWRITEBYTECODE" in os.environ
    first, *rest = words
    if first == "-m":
        module, *sys.argv[1:] = rest
        if not hasattr(sys.modules.get(module), "__path__"):
            sys.modules.pop(module, None)
        sys.path[0] = str(Path.cwd())
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    elif first == "-c":
        code, *rest = rest
        sys.argv[:] = ["-c", *rest]
        sys.path[0] = ""
        sys.modules["__main__"] = main = ModuleType("__main__")
        exec(compile(code, "<string>", "exec"), vars(main))
    else:
        sys.argv[:] = words
        sys.path[0] = str(Path(first).resolve().parent)
        runpy.run_path(first, run_name="__main__")


def keep_templates(folder: str) -> None:
    """Have all sites of this process compile their templates once for all processes of a run."""
    from flask import Flask
    from jinja2 import FileSystemBytecodeCache

    Flask.jinja_options = {"bytecode_cache": FileSystemBytecodeCache(folder)}


def _prepare() -> None:
    """Import what the processes need, as soon as somebody asks for the first."""
    for module in _IMPORTED:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # otherwise each child copies all that it looks through for garbage
    gc.set_threshold(*GARBAGE)


def _main(run: int, listener: int) -> None:
    sockets = [socket.socket(fileno=number) for number in (run, listener)]
    if sockets[0] in select.select(sockets, [], [])[0]:
        return
    _prepare()
    wanted = _Server(*sockets).serve()
    _become(wanted)
    if folder := os.environ.get(TEMPLATES):
        keep_templates(folder)
    try:
        _run(wanted.words)
    except SystemExit as end:
        if isinstance(end.code, str):
            raise
        _leave(end.code or 0)
    _leave(0)


def _leave(code: int) -> NoReturn:
    """End as Python does, but don't take all apart that was imported: that takes 0.1 s."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(ValueError):  # it may be closed
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    _main(*map(int, sys.argv[1:]))
