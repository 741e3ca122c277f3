"""Asks the kernel for what no bot needs: each call must fail as refused, or as not there."""

import ctypes
import mmap
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from calls import Given, succeeded  # type: ignore[import-not-found]

_ROOM = bytes(256)
CALLS: dict[str, tuple[int, tuple[Given, ...]]] = {
    "io_uring_setup": (425, (8, _ROOM)),
    "io_setup": (206, (8, _ROOM)),
    "perf_event_open": (298, (_ROOM, 0, -1, -1, 0)),
    "keyctl": (250, (0, -3, 0)),
    "add_key": (248, (b"user\0", b"x\0", b"y", 1, -3)),
    "request_key": (249, (b"user\0", b"x\0", None, -3)),
    "bpf": (321, (0, _ROOM, 72)),
    "userfaultfd": (323, (1,)),
    "mincore": (27, (0, 0, None)),
    "syncfs": (306, (0,)),
    "inotify_init": (253, ()),
    "inotify_init1": (294, (0,)),
    "prctl PR_SCHED_CORE": (157, (62, 1, 0, 0, None)),
    "prctl PR_SCHED_CORE with a high bit": (157, ((1 << 40) + 62, 1, 0, 0, None)),
    "mmap MAP_HUGETLB": (9, (0, 2 << 20, 3, 0x40022, -1, 0)),
    "fanotify_init": (300, (0, 0)),
    "memfd_create": (319, (b"x\0", 0)),
    "shmget": (29, (0, 4096, 0o1600)),
    "msgget": (68, (0, 0o1600)),
    "semget": (64, (0, 1, 0o1600)),
    "mq_open": (240, (b"x\0", 0o102, 0o600, None)),
    "timer_create": (222, (0, None, _ROOM)),
    "fcntl F_SETSIG": (72, (0, 10, 18)),
    "fcntl F_SETSIG with a high bit": (72, (0, (1 << 40) + 10, 18)),
    "fcntl F_SETLEASE": (72, (0, 1024, 2)),
    "fcntl F_NOTIFY": (72, (0, 1026, 1)),
    "socket MPTCP": (41, (2, 1, 262)),
    "socket SCTP": (41, (10, 1, 132)),
    "socket UDP-Lite": (41, (2, 2, 136)),
    "socket MPTCP with a high bit": (41, (2, 1, (1 << 40) + 262)),
    "ptrace PTRACE_TRACEME": (101, (0, 0, 0, 0)),
    "ptrace PTRACE_ATTACH": (101, (16, 1, 0, 0)),
    "process_vm_readv": (310, (1, _ROOM, 0, _ROOM, 0, 0)),
    "process_vm_writev": (311, (1, _ROOM, 0, _ROOM, 0, 0)),
    "pidfd_getfd": (438, (0, 0, 0)),
    "kcmp": (312, (1, 1, 0, 0, 0)),
    "sched_setaffinity": (203, (0, 8, b"\xff" * 8)),
    "clock_settime": (227, (0, _ROOM)),
    "settimeofday": (164, (_ROOM, None)),
    "adjtimex": (159, (b"\1" + bytes(300),)),
    "sethostname": (170, (b"x", 1)),
    "reboot": (169, (0xFEE1DEAD, 672274793, 0, None)),
    "init_module": (175, (_ROOM, 8, b"\0")),
    "kexec_load": (246, (0, 0, None, 0)),
    "swapon": (167, (b"/x\0", 0)),
    "syslog": (103, (3, _ROOM, 255)),
    "iopl": (172, (3,)),
    "acct": (163, (None,)),
    "personality": (135, (0x0040000,)),
    "a call of the future": (999, ()),
}
_BY_32_BITS = bytes.fromhex("b814000000cd80c3")  # mov eax, getpid; int 0x80; ret


def commit(_: Mapping[str, Any]) -> Iterator[str]:
    """Make all these calls, and one by the door for 32-bit programs."""
    yield from succeeded(CALLS)
    if sys.maxsize > 1 << 32 and _by_the_other_door():
        yield "a call of the 32-bit interface"


def _by_the_other_door() -> bool:
    child = os.fork()
    if child == 0:
        page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_WRITE | 5)
        page.write(_BY_32_BITS)
        at = ctypes.addressof(ctypes.c_char.from_buffer(page))
        ctypes.CFUNCTYPE(ctypes.c_int)(at)()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) != -signal.SIGSYS
