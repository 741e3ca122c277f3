"""Processes for tests, forked from one that has already imported what they need.

A fresh `python -m ...` spends most of its time on imports. Each process here has an id,
signals, output and an end of its own all the same.
"""

import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, TextIO

from flask import Flask
from jinja2 import FileSystemBytecodeCache

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
    "ladder.cli.games",
    "ladder.cli.host",
    "ladder.cli.play",
    "ladder.cli.service",
    "ladder.cli.up",
    "ladder.model.migrate",
    "ladder.ratings.strength",
    "tests.ladder.process",
    "web.server",
    "tests.referee.games",
    "referee.serving",
    "sample_bots.random_bot",
)
_LONGEST: Final = 1 << 17  # bytes of a message
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
        self.pid = self._parent.start(self, arguments, env, cwd, outputs)
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
    """The process that imports and forks, as the tests' side knows it."""

    def __init__(self) -> None:
        self._socket, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with far:
            command = [sys.executable, "-m", "tests.forking", str(far.fileno())]
            self._process = subprocess.Popen(command, cwd=ROOT, pass_fds=[far.fileno()])
        self._running: dict[int, Forked] = {}
        self.cpu = 0.0  # seconds that those used which have ended

    def start(
        self,
        process: Forked,
        arguments: tuple[str, ...],
        env: Mapping[str, str],
        cwd: Path,
        outputs: list[int],
    ) -> int:
        wanted = json.dumps([arguments, dict(env), str(cwd)]).encode()
        socket.send_fds(self._socket, [wanted], outputs)
        while True:
            pid, code = self._heard()
            if code is None:
                self._running[pid] = process
                return pid

    def listen(self, timeout: float | None) -> bool:
        """Note what has ended; whether anything has."""
        heard = False
        while select.select([self._socket], [], [], 0 if heard else timeout)[0]:
            self._heard()
            heard = True
        return heard

    def _heard(self) -> tuple[int, int | None]:
        answer = self._socket.recv(_LONGEST)
        assert answer, "the process that forks has ended"
        pid, code, cpu = json.loads(answer)
        if code is not None:
            self._running.pop(pid).returncode = code
            self.cpu += cpu
        return pid, code

    def end(self) -> None:
        self._socket.close()
        self._process.wait()


@cache
def _parent() -> _Parent:
    return _Parent()


def cpu() -> float:
    """CPU seconds of those that have ended; 0 after `end`, when this process itself counts them."""
    return _parent().cpu if _parent.cache_info().currsize else 0.0


def end() -> None:
    """End all that still runs."""
    if _parent.cache_info().currsize:
        _parent().end()
        _parent.cache_clear()


def _serve(near: socket.socket) -> list[str]:
    """Forks as it is told. Returns in each child, with the arguments."""
    children: dict[int, int] = {}  # what polls a process, and its id
    while True:
        for ready in select.select([near.fileno(), *children], [], [])[0]:
            if ready in children:
                pid = children.pop(ready)
                os.close(ready)
                _, status, used = os.wait4(pid, 0)
                code = os.waitstatus_to_exitcode(status)
                _tell(near, pid, code, used.ru_utime + used.ru_stime)
                continue
            message, outputs, *_ = socket.recv_fds(near, _LONGEST, 2)
            if not message:
                for pid in children.values():
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                sys.exit()
            pid = os.fork()
            if pid == 0:
                for number in children:
                    os.close(number)
                near.close()
                return _become(json.loads(message), outputs)
            for output in outputs:
                os.close(output)
            children[os.pidfd_open(pid)] = pid
            _tell(near, pid, None, 0.0)


def _tell(near: socket.socket, pid: int, code: int | None, cpu: float) -> None:
    near.send(json.dumps([pid, code, cpu]).encode())


def _become(wanted: Any, outputs: list[int]) -> list[str]:
    arguments: list[str]
    arguments, environ, folder = wanted
    for number, output in enumerate(outputs, 1):
        os.dup2(output, number)
        os.close(output)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    sys.path[0] = folder
    return arguments


def keep_templates(folder: str) -> None:
    """Have all sites of this process compile their templates once for all processes of a run."""
    Flask.jinja_options = {"bytecode_cache": FileSystemBytecodeCache(folder)}


def _main(number: int) -> None:
    for module in _IMPORTED:
        importlib.import_module(module)
    if folder := os.environ.get(TEMPLATES):
        keep_templates(folder)
    gc.collect()
    gc.freeze()  # otherwise each child copies all that it looks through for garbage
    gc.set_threshold(*GARBAGE)
    module, *sys.argv[1:] = _serve(socket.socket(fileno=number))
    if not hasattr(sys.modules.get(module), "__path__"):
        sys.modules.pop(module, None)
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _main(int(sys.argv[1]))
