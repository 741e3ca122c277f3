"""System calls by number, on x86-64, as a program makes them that trusts no library."""

import ctypes
import errno
import os
from collections.abc import Iterator

_LIBC = ctypes.CDLL(None, use_errno=True)

Given = int | bytes | None


def call(number: int, *given: Given) -> int:
    """Make a call; return what it returned, or minus its errno."""
    values = [ctypes.c_long(value) if isinstance(value, int) else value for value in given]
    result = int(_LIBC.syscall(ctypes.c_long(number), *values))
    return -ctypes.get_errno() if result == -1 else result


def succeeded(calls: dict[str, tuple[int, tuple[Given, ...]]]) -> Iterator[str]:
    """Yield the names of the calls that do not fail as the filter has them fail.

    Each is made in a process of its own, which it may end.
    """
    for name, (number, given) in calls.items():
        child = os.fork()
        if child == 0:
            result = call(number, *given)
            os._exit(-result if result in (-errno.EPERM, -errno.ENOSYS) else 0)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) == 0:
            yield name
