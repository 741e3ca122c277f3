"""`santiago`, but the parts that it starts are forked, which saves each its imports.

A copy of the command, made before that has begun, forks them. They are its children all the same,
with the environment and the log that it gives them. `test_up` starts real ones.
"""

import ctypes
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import IO, Any, Final

from referee import processes

_PYTHON: Final = [sys.executable, "-P", "-m"]
"""How the command starts a part that is a module; what follows are the module and its words."""
_ADOPT: Final = 36  # PR_SET_CHILD_SUBREAPER: whose parent has ended becomes a child of this process
_LONGEST: Final = 1 << 17  # bytes of a message
_LOOK_EVERY: Final = 0.02  # seconds


class _Part:
    """As ChildProcess deals with a process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        if self._code is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if ended else None
        return self._code

    def terminate(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)

    def wait(self, timeout: float = 100.0) -> int:
        until = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(_LOOK_EVERY)
        return code


class _Nursery:
    """The copy that forks, as the command knows it."""

    def __init__(self, near: socket.socket) -> None:
        self._socket = near

    def start(
        self, command: Sequence[str], *, env: Mapping[str, str], stdout: IO[bytes], **more: Any
    ) -> _Part | subprocess.Popen[bytes]:
        """Start what is no module as ever."""
        if list(command[:3]) != _PYTHON:
            return subprocess.Popen(command, env=env, stdout=stdout, **more)
        wanted = json.dumps([command[3:], dict(env)]).encode()
        socket.send_fds(self._socket, [wanted], [stdout.fileno()])
        return _Part(int(self._socket.recv(_LONGEST)))


def _serve(near: socket.socket) -> None:
    """Fork as it is told, until the command has ended. Returns in each process when it has run."""
    while True:
        message, outputs, *_ = socket.recv_fds(near, _LONGEST, 1)
        if not message:
            return
        told, tells = os.pipe()
        between = os.fork()
        if between == 0:
            part = os.fork()
            if part:
                os.write(tells, str(part).encode())
                os._exit(0)
            for number in (told, tells, near.detach()):
                os.close(number)
            words, environ = json.loads(message)
            _run(words, environ, outputs[0])
            return
        os.waitpid(between, 0)  # from now on the part is a child of the command
        near.send(os.read(told, _LONGEST))
        for number in (told, tells, *outputs):
            os.close(number)


def _run(words: list[str], environ: dict[str, str], output: int) -> None:
    os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    os.environ.clear()
    os.environ.update(environ)
    module, *sys.argv[1:] = words
    if not hasattr(sys.modules.get(module), "__path__"):
        sys.modules.pop(module, None)  # as in tests.forking
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _main() -> None:
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    copy = os.fork()
    if copy == 0:
        near.close()
        return _serve(far)
    far.close()
    ctypes.CDLL(None).prctl(_ADOPT, 1)
    nursery = {"Popen": _Nursery(near).start}
    vars(processes)["subprocess"] = SimpleNamespace(**vars(subprocess) | nursery)
    try:
        runpy.run_module("ladder.cli.main", run_name="__main__", alter_sys=True)
    finally:
        near.close()
        os.waitpid(copy, 0)


if __name__ == "__main__":
    _main()
