"""Listens, then has the name of its socket lead elsewhere, as often and as fast as it can."""

import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

_AT = "/run/santiago/bot.sock"


def commit(targets: Mapping[str, Any]) -> NoReturn:
    """Put in turn a link to each target, a link to a link, a pipe, a folder and a real socket."""
    os.symlink("/proc/1/root/run", "/run/santiago/up")  # noqa: PTH211
    listeners: list[socket.socket] = []
    while True:
        for path in targets["sockets"]:
            _replace(partial(os.symlink, path))
            _replace(partial(os.link, path))
        _replace(partial(os.symlink, "up/../bot.sock"))
        _replace(os.mkfifo)
        _replace(lambda at: os.close(os.open(at, os.O_CREAT | os.O_WRONLY)))
        listener = socket.socket(socket.AF_UNIX)
        _replace(listener.bind)
        listeners = [*listeners[-30:], listener]
        listener.listen()


def _replace(make: Any) -> None:
    with suppress(OSError):
        os.unlink("/run/santiago/new")  # noqa: PTH108
    with suppress(OSError):
        make("/run/santiago/new")
        os.rename("/run/santiago/new", _AT)  # noqa: PTH104
