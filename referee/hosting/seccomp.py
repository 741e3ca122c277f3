"""The system calls that a program in the sandbox may make, as a seccomp filter.

Whatever is not named here does not exist for it (ENOSYS): so a kernel may learn new calls.
"""

import errno
import os
import re
from functools import cache
from types import ModuleType
from typing import IO, Any, Final

_REFUSED: Final = """
# Other processes: to look into them, to steer them, to keep them from being pinned or ended.
ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp pidfd_getfd
sched_setaffinity migrate_pages move_pages
# Namespaces, mounts, roots: nothing may change the view that bubblewrap has made.
unshare setns mount umount umount2 mount_setattr move_mount open_tree fsopen fsconfig fsmount
fspick pivot_root chroot name_to_handle_at open_by_handle_at listmount statmount
# Large pieces of the kernel that no bot needs, and that had more errors than others.
io_uring_setup io_uring_enter io_uring_register io_setup io_submit io_destroy io_cancel
io_getevents io_pgetevents perf_event_open bpf userfaultfd keyctl add_key request_key
fanotify_init fanotify_mark landlock_create_ruleset landlock_add_rule landlock_restrict_self
lookup_dcookie vmsplice remap_file_pages modify_ldt uselib nfsservctl
# Memory that belongs to no process, so that nobody could count it; and messages in the kernel.
shmget shmat shmdt shmctl msgget msgsnd msgrcv msgctl semget semop semtimedop semctl
mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr memfd_create
memfd_secret
# A timer may send SIGCONT to a bot that is frozen.
timer_create
# Calls in which a frozen bot computes on, or waits, for minutes: neither SIGSTOP nor SIGKILL ends
# them before they have gone through all of an address space, or all of the machine's disks.
mincore sync syncfs
# It shows what the machine and other bots read, and the kernel keeps its news for a frozen bot.
inotify_init inotify_init1
# The machine itself.
reboot kexec_load kexec_file_load init_module finit_module delete_module create_module
get_kernel_syms query_module swapon swapoff acct quotactl quotactl_fd syslog sysfs ustat
_sysctl iopl ioperm settimeofday stime clock_settime clock_settime64 clock_adjtime
clock_adjtime64 adjtimex sethostname setdomainname vhangup personality
setuid setgid setreuid setregid setgroups setfsuid setfsgid
setuid32 setgid32 setreuid32 setregid32 setresuid32 setresgid32 setgroups32 setfsuid32
setfsgid32 capset seccomp
"""
REFUSED: Final = frozenset(re.sub("#.*", "", _REFUSED).split())
"""Calls that fail with EPERM; CONDITIONAL names those that depend on arguments."""
NEW_NAMESPACES: Final = 0x7E020080
"""Flags of clone: new user, mount, pid, net, ipc, uts, cgroup and time namespaces."""
FCNTL: Final = (*range(10), 11, 15, 16, 36, 37, 38, 1025, *range(1027, 1043))
"""Commands of fcntl: all but F_SETSIG (10), which has a file send SIGCONT to a frozen bot, and
F_SETLEASE and F_NOTIFY (1024, 1026), which tell what others do with files, as inotify does."""
FAMILIES: Final = (1, 2, 10)
"""Families of sockets: unix, and IPv4 and IPv6 in a network of its own that leads nowhere."""
_LAST_PROTOCOL: Final = 17
"""UDP's number; above it are SCTP, MPTCP and others, large pieces of the kernel, too."""
PRCTL: Final = (*range(1, 62), 65, 66, 0x53564D41)
"""Options of prctl: not PR_SCHED_CORE (62), by which a bot keeps a core's other thread idle."""
OWN_IDS: Final = ("setresuid", "setresgid")
"""Calls by which `make` has each command run as the user that it is itself."""
CONDITIONAL: Final = frozenset(
    ("clone", "clone3", "socket", "socketpair", "fcntl", "prctl", "mmap", *OWN_IDS)
)
"""Calls that are allowed or refused by their arguments."""
INSIDE: Final = 1000
"""The user and group id that programs in a sandbox see as their own."""
_ID: Final = 0xFFFFFFFF
"""All bits of an id; as an id it means that this one stays."""
_MAP_ANONYMOUS: Final = 0x20
_MAP_HUGETLB: Final = 0x40000
_MAP_TYPE: Final = 0x0F
_MAP_PRIVATE: Final = 0x02
_LAST_CALL: Final = 462
"""The highest number of a call that this list was written for."""


def missing() -> str | None:
    """Return None if filters can be made here, or a sentence that says what to install."""
    try:
        import pyseccomp  # noqa: F401
    except ImportError:
        return "Install the extra: pip install 'santiago-arena[hosting]' (it brings pyseccomp)."
    except (RuntimeError, OSError):
        return "Install libseccomp (Debian, Ubuntu: apt install libseccomp2)."
    return None


def filter_file(shared_memory: bool) -> IO[bytes]:
    """Return a file in memory that holds the filter as bubblewrap reads it. The caller closes it.

    Without control groups nobody counts memory that is mapped as `shared_memory` without a file.
    """
    file = _file_in_memory()
    file.write(_program(shared_memory))
    file.seek(0)
    return file


@cache
def _program(shared_memory: bool) -> bytes:
    """Return the filter's BPF program, made once in a process."""
    import pyseccomp

    rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.ENOSYS))
    refuse = pyseccomp.ERRNO(errno.EPERM)
    for name in _names(pyseccomp):
        if name in REFUSED:
            rules.add_rule(refuse, name)
        elif name not in CONDITIONAL:
            rules.add_rule(pyseccomp.ALLOW, name)
    _allow_some(rules, pyseccomp)
    _allow_own_ids(rules, pyseccomp)
    _allow_mmap(rules, pyseccomp, shared_memory)
    with _file_in_memory() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _file_in_memory() -> IO[bytes]:
    """Return a new file that needs no room on a disk, which may be full."""
    return os.fdopen(os.memfd_create("seccomp"), "w+b")


def _names(pyseccomp: ModuleType) -> list[str]:
    """Return the names of this machine's calls, as far as libseccomp knows them."""
    names = []
    for number in range(_LAST_CALL + 1):
        try:
            names.append(pyseccomp.resolve_syscall(pyseccomp.system_arch(), number).decode())
        except ValueError:
            continue  # a gap in the numbers, or newer than libseccomp
    return names


def _allow_some(rules: Any, pyseccomp: ModuleType) -> None:
    """Allow the conditional calls with harmless arguments; clone3 hides its own in memory."""
    arg = pyseccomp.Arg
    rules.add_rule(pyseccomp.ALLOW, "clone", arg(0, pyseccomp.MASKED_EQ, NEW_NAMESPACES, 0))
    for call in ("socket", "socketpair"):
        for family in FAMILIES:
            of_family = arg(0, pyseccomp.EQ, family)
            rules.add_rule(pyseccomp.ALLOW, call, of_family, arg(2, pyseccomp.LE, _LAST_PROTOCOL))
    for command in FCNTL:  # of which the kernel reads 32 bits, whatever stands in the others
        rules.add_rule(pyseccomp.ALLOW, "fcntl", arg(1, pyseccomp.MASKED_EQ, 0xFFFFFFFF, command))
    for option in PRCTL:
        rules.add_rule(pyseccomp.ALLOW, "prctl", arg(0, pyseccomp.MASKED_EQ, 0xFFFFFFFF, option))


def _allow_own_ids(rules: Any, pyseccomp: ModuleType) -> None:
    """Allow the effective id to become the one that all have in a sandbox; the others stay."""

    def is_(place: int, number: int) -> Any:
        return pyseccomp.Arg(place, pyseccomp.MASKED_EQ, _ID, number)

    for call in OWN_IDS:
        rules.add_rule(pyseccomp.ALLOW, call, is_(0, _ID), is_(1, INSIDE), is_(2, _ID))


def _allow_mmap(rules: Any, pyseccomp: ModuleType, shared_memory: bool) -> None:
    """Allow it but for the operator's huge pages, which nobody counts."""

    def allow(mask: int, flags: int) -> None:
        flags_are = pyseccomp.Arg(3, pyseccomp.MASKED_EQ, mask | _MAP_HUGETLB, flags)
        rules.add_rule(pyseccomp.ALLOW, "mmap", flags_are)

    if shared_memory:
        allow(0, 0)
    else:
        allow(_MAP_ANONYMOUS, 0)
        allow(_MAP_TYPE, _MAP_PRIVATE)
