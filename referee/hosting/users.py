"""A user id of its own for each sandbox, where the host runs as root."""

import os
import socket

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
    """Return one of `uids` that is free; None unless we are root. Raises InvalidSetting."""
    if os.geteuid() != 0:
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
