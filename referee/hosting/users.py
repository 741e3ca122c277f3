"""A user id of its own for each sandbox, where the host runs as root."""

import os
import socket
from pathlib import Path

from referee.errors import InvalidSetting


class Account:
    """A user id that no other sandbox on this machine has until `release`."""

    def __init__(self, user: int, lock: socket.socket) -> None:
        self.user = user
        self._lock = lock

    def release(self) -> None:
        """Let another sandbox have it."""
        self._lock.close()


def own_account(uids: range) -> Account | None:
    """Return one of `uids` that is free; None unless we are root, and may use them.

    Root of a user namespace, as in a container without root, has only the ids mapped for it. Raises
    InvalidSetting.
    """
    if not has_own_users(uids):
        return None
    for user in uids:
        # A name that the kernel frees when we end, however we end; no file is left behind.
        lock = socket.socket(socket.AF_UNIX)
        try:
            lock.bind(f"\0santiago-sandbox-{user}")
        except OSError:
            lock.close()
        else:
            return Account(user, lock)
    raise InvalidSetting(f"All user ids for sandboxes, {uids}, are in use: allow more of them.")


def has_own_users(uids: range) -> bool:
    """Return True if each sandbox here has a user id of its own."""
    return os.geteuid() == 0 and _are_mapped(uids)


def _are_mapped(uids: range) -> bool:
    """Return True if our user namespace has all of these ids, for users and for groups."""
    return all(
        any(
            int(first) <= uids.start and uids.stop <= int(first) + int(length)
            for first, _, length in map(
                str.split, Path(f"/proc/self/{kind}").read_text().splitlines()
            )
        )
        for kind in ("uid_map", "gid_map")
    )
