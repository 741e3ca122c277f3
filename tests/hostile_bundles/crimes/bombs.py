"""Takes more than its share, of whatever there is; nothing here ends by itself."""

import mmap
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NoReturn

_MB = 1 << 20


def commit(targets: Mapping[str, Any]) -> Iterator[str]:
    """Set off the bomb that `targets["bomb"]` names."""
    BOMBS[targets["bomb"]]()
    return iter(())


def forks() -> NoReturn:
    """Fork in all children, too; those who cannot try again."""
    while True:
        with suppress(OSError):
            os.fork()


def threads() -> None:
    """Start threads without end."""
    waits = threading.Event()
    with suppress(RuntimeError):
        while True:
            threading.Thread(target=waits.wait, daemon=True).start()
    waits.wait()


def memory() -> NoReturn:
    """Fill memory in several processes at once."""
    os.fork()
    os.fork()
    kept = []
    while True:
        kept.append(b"x" * _MB * 8)


def hidden_memory() -> None:
    """Fill memory that belongs to no process: shared, and given back by whoever wrote it."""
    kept = []
    with suppress(OSError):
        for _ in range(200):
            kept.append(mmap.mmap(-1, 8 * _MB))  # of Python's own accord it is shared
            kept[-1].write(b"x" * 8 * _MB)
            kept[-1].madvise(mmap.MADV_DONTNEED)
    memory()


def files() -> None:
    """Fill the disk: with a file, with one that has no name, and with empty ones."""
    for path in ("/tmp/large", "/run/santiago/unnamed", "/dev/shm/x"):
        with suppress(OSError), open(path, "wb", buffering=0) as file:  # noqa: PTH123
            if "unnamed" in path:
                os.unlink(path)  # noqa: PTH108
            while True:
                file.write(b"x" * _MB)
    with suppress(OSError):
        for number in range(1 << 30):
            os.close(os.open(f"/run/santiago/tmp/{number}", os.O_CREAT | os.O_WRONLY))


def output() -> NoReturn:
    """Print without end, to both streams."""
    os.fork()
    line = b"endless " * 1000
    while True:
        os.write(1, line)
        os.write(2, line)


def survivor() -> NoReturn:
    """Leave a child of another session behind, which hears no signal, and go."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(1, 65):
                with suppress(OSError, ValueError):
                    signal.signal(number, signal.SIG_IGN)
            while True:
                os.write(2, b"") if os.getppid() else None
    os._exit(7)


def burners() -> None:
    """Keep every core busy while others think, and ask to be woken when frozen."""
    for _ in range(8):
        if os.fork() == 0:
            signal.signal(signal.SIGALRM, lambda *_: None)
            signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
            parent = os.getppid()
            while True:
                with suppress(OSError):
                    os.kill(parent, signal.SIGCONT)
                    os.kill(-1, signal.SIGCONT)


def readers() -> None:
    """Be in the kernel when it is time to stop: a call reads 2 GB that are nowhere into 2 MB."""
    source = os.open("/tmp/sparse", os.O_CREAT | os.O_RDWR)
    os.truncate(source, 2 << 30)
    room = mmap.mmap(-1, 2 * _MB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for _ in range(16):
        if os.fork() == 0:
            while True:
                os.preadv(source, [room] * 1024, 0)


BOMBS: dict[str, Callable[[], None]] = {
    bomb.__name__: bomb
    for bomb in (forks, threads, memory, hidden_memory, files, output, survivor, burners, readers)
}
