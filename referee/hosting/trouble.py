"""Trouble of a host's machine: a full disk, or sandboxes that do not start any more.

A host reports it for a while after it was met, or until the machine does well again. Workers give
the host no work meanwhile, and then try it once more.
"""

import errno
from enum import Enum
from time import monotonic
from typing import Final

from referee.errors import InvalidSetting
from referee.hosting.guards import refusal

_REPORTED_FOR: Final = 60.0  # seconds
_FULL: Final = {errno.ENOSPC, errno.EDQUOT}
_OF_DISKS: Final = {*_FULL, errno.EROFS, errno.EIO}


class Part(Enum):
    """A part of a machine whose trouble keeps a host from work."""

    DISK = "disk"
    SANDBOXES = "sandboxes"


def is_full(error: Exception) -> bool:
    """Return True if an error says that the disk is full."""
    return isinstance(error, OSError) and error.errno in _FULL


class Trouble:
    """The trouble that a host has met lately."""

    def __init__(self) -> None:
        self._met: dict[Part, tuple[float, str]] = {}

    def meet(self, error: Exception, uids: range) -> None:
        """Report an error if it is the machine's doing; what a bot brings about is none.

        It may start a sandbox to find out, so call it from a thread. `uids`: those of sandboxes.
        """
        if isinstance(error, OSError) and error.errno in _OF_DISKS:
            self._met[Part.DISK] = monotonic(), f"The host's disk: {error}"
        elif isinstance(error, InvalidSetting) and (why := refusal(uids)):
            self._met[Part.SANDBOXES] = monotonic(), why

    def over(self, part: Part) -> None:
        """Report no more of a part, which has just done well."""
        self._met.pop(part, None)

    @property
    def now(self) -> str:
        """The sentences to report now; empty if there is no trouble."""
        late = monotonic() - _REPORTED_FOR
        return " ".join(why for met, why in self._met.values() if met > late)
