"""Where unix sockets stand: their paths may have some 100 characters at most."""

import tempfile
from tempfile import TemporaryDirectory
from typing import Final

_LONGEST: Final = 60  # what then follows is shorter than 40


def socket_folder() -> TemporaryDirectory[str]:
    """A folder that only this user can enter: in TMPDIR, or in /tmp where that is too long."""
    usual = tempfile.gettempdir()
    return TemporaryDirectory(prefix="santiago-", dir=usual if len(usual) <= _LONGEST else "/tmp")
