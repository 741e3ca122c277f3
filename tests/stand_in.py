"""Stands in for `python`: has tests.forking fork a process that has already imported everything.

`tests.forking.programs` puts it on a PATH. It passes on its words, environment, folder and open
files, then signals; it ends as that process ends, and that process ends with it.
"""

import json
import os
import signal
import socket
import sys
from contextlib import suppress

OPTIONS = ("-B", "-P")
"""Those that are understood; for any other the real Python starts."""
SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)
LONGEST = 1 << 17  # bytes of a message


def main(address: str, owner: str, program: str, *words: str) -> None:
    """Have `program`, which stands for Python, called with `words`."""
    rest = [word for word in words if word not in OPTIONS]
    plain = bool(rest) and (rest[0] in ("-c", "-m") or not rest[0].startswith("-"))
    if not plain or os.environ.get("PYTHONPATH"):
        os.execv(sys.executable, [sys.executable, *words])
    numbers = map(int, os.listdir("/proc/self/fd"))  # noqa: PTH208  # pathlib costs 10 ms
    files = [number for number in numbers if _is_open(number)]
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.connect(address)
    wanted = {
        "words": list(words),
        "environ": dict(os.environ),
        "folder": os.getcwd(),  # noqa: PTH109
        "files": files,
        "owner": owner,
        "program": program,
    }
    socket.send_fds(server, [json.dumps(wanted).encode()], files)
    _, pid, _ = json.loads(server.recv(LONGEST))
    for number in SIGNALS:
        signal.signal(number, lambda number, _: _pass_on(pid, number))
    _, _, code = json.loads(server.recv(LONGEST))
    if code < 0:
        with suppress(OSError):  # SIGKILL has no other way
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _is_open(number: int) -> bool:
    with suppress(OSError):
        os.fstat(number)
        return True
    return False


def _pass_on(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


if __name__ == "__main__":
    main(*sys.argv[1:])
