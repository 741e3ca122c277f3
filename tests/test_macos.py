"""Every module can be imported where Linux's own names are missing, as on macOS.

The README says that all but a host runs there, and no test runs on a Mac: a fresh interpreter from
which these names have been taken stands for one.
"""

import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
IMPORT_ALL: Final = """
import importlib, pkgutil, sys

LINUX_ONLY = {
    "select": ("EPOLL", "POLLMSG", "POLLRDHUP", "epoll"),  # first: socket asks it
    "fcntl": ("F_ADD_SEALS", "F_GET_SEALS", "F_GETSIG", "F_NOTIFY", "F_SEAL_", "F_SETSIG"),
    "os": (
        "CLONE_", "EFD_", "GRND_", "MFD_", "O_DIRECT", "O_LARGEFILE", "O_NOATIME", "O_PATH",
        "O_RSYNC", "O_TMPFILE", "P_PIDFD", "POSIX_FADV_", "RTLD_DEEPBIND", "SCHED_BATCH",
        "SCHED_IDLE", "SCHED_RESET_ON_FORK", "SPLICE_", "TFD_", "XATTR_", "copy_file_range",
        "eventfd", "fdatasync", "getrandom", "getresgid", "getresuid", "getxattr", "listxattr",
        "memfd_create", "pidfd_open", "pipe2", "posix_fadvise", "posix_fallocate", "removexattr",
        "sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_param",
        "sched_rr_get_interval", "sched_setaffinity", "sched_setparam", "sched_setscheduler",
        "setns", "setresgid", "setresuid", "setxattr", "splice", "timerfd_", "unshare", "waitid",
    ),
    "resource": (
        "RLIMIT_MSGQUEUE", "RLIMIT_NICE", "RLIMIT_OFILE", "RLIMIT_RT", "RLIMIT_SIGPENDING",
        "RUSAGE_THREAD", "prlimit",
    ),
    "signal": (
        "SIGCLD", "SIGPOLL", "SIGPWR", "SIGRT", "SIGSTKFLT", "pidfd_send_signal", "sigtimedwait",
        "sigwaitinfo",
    ),
    "socket": (
        "MSG_CMSG_CLOEXEC", "MSG_CONFIRM", "MSG_ERRQUEUE", "MSG_MORE", "SOCK_CLOEXEC",
        "SOCK_NONBLOCK", "SO_BINDTODEVICE", "SO_DOMAIN", "SO_MARK", "SO_PASSCRED",
        "SO_PASSSEC", "SO_PEERCRED", "SO_PEERSEC", "SO_PRIORITY", "SO_PROTOCOL",
        "TCP_CONGESTION", "TCP_CORK", "TCP_DEFER_ACCEPT", "TCP_INFO", "TCP_KEEPIDLE",
        "TCP_LINGER2", "TCP_QUICKACK", "TCP_SYNCNT", "TCP_USER_TIMEOUT", "TCP_WINDOW_CLAMP",
    ),
    "time": ("CLOCK_BOOTTIME", "CLOCK_TAI", "pthread_getcpuclockid"),
}
KEPT = {"O_DIRECTORY"}
NO_MODULES = (".__main__", ".migrations.env")
for module, starts in LINUX_ONLY.items():
    module = importlib.import_module(module)
    for name in set(filter(lambda name: name.startswith(starts), dir(module))) - KEPT:
        delattr(module, name)
sys.modules["pyseccomp"] = None  # it raises RuntimeError without libseccomp

from ladder.cli.commands import santiago
import ladder, referee, web

count = 0
for package in (ladder, referee, web):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith(NO_MODULES):
            count += 1
            try:
                importlib.import_module(module.name)
            except Exception as error:
                print(module.name, repr(error), sep=": ")
assert count > 300, count
"""
"""Imports all modules; prints those that can't be imported, and why."""


def test_every_module_can_be_imported_without_linux_own_names() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
