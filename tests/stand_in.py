"""Stands in for `python`: has tests.forking fork a process that has already imported everything.

`tests.forking.programs` puts it on a PATH. It passes on its words, environment, folder and open
files, then signals; it ends as that process ends, and that process ends with it. It imports nothing
but what is compiled in: to import json, signal and socket takes longer than all else.
"""

import _signal as signal  # type: ignore[import-not-found]
import _socket as socket
import marshal
import os
import sys

OPTIONS = ("-B", "-P")
"""Those that are understood; for any other the real Python starts."""
SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)
LONGEST = 1 << 17  # bytes of a message


def main(address: str, owner: str, path: str, program: str, *words: str) -> None:
    """Have `program`, which stands for Python, called with `words`.

    `path` is the PYTHONPATH of what has imported everything: with another one, the real Python
    starts.
    """
    rest = [word for word in words if word not in OPTIONS]
    plain = bool(rest) and (rest[0] in ("-c", "-m") or not rest[0].startswith("-"))
    if not plain or os.environ.get("PYTHONPATH", "") != path:
        os.execv(sys.executable, [sys.executable, *words])
    opened = map(int, os.listdir("/proc/self/fd"))  # noqa: PTH208  # pathlib costs 10 ms
    files = [number for number in opened if _is_open(number)]
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
    numbers = b"".join(number.to_bytes(4, sys.byteorder) for number in files)
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)
    server.sendmsg([marshal.dumps(wanted)], [rights])
    _, pid, _ = marshal.loads(server.recv(LONGEST))
    for number in SIGNALS:
        signal.signal(number, lambda number, _: _pass_on(pid, number))
    _, _, code = marshal.loads(server.recv(LONGEST))
    if code < 0:
        if -code != signal.SIGKILL:  # which has no other way
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _pass_on(pid: int, number: int) -> None:
    try:  # noqa: SIM105  # contextlib would be imported
        os.kill(pid, number)
    except ProcessLookupError:
        pass


if __name__ == "__main__":
    main(*sys.argv[1:])
