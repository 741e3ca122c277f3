"""A host reports what its machine fails it by, and nothing that a bot brings about."""

import os
from errno import ENAMETOOLONG, ENOSPC

import pytest

from referee.errors import InvalidSetting
from referee.hosting import guards, trouble
from referee.hosting.packages import BadPackage
from referee.hosting.trouble import Trouble

FULL = OSError(ENOSPC, os.strerror(ENOSPC))
UIDS = range(900_000, 900_001)


def test_trouble_is_reported_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    met = Trouble()
    met.meet(FULL, UIDS)
    assert "No space left" in met.now
    monkeypatch.setattr(trouble, "_REPORTED_FOR", 0.0)
    assert met.now == ""


@pytest.mark.parametrize(
    "error",
    [
        OSError(ENAMETOOLONG, os.strerror(ENAMETOOLONG)),
        BadPackage("bot.py", "It is none."),
        InvalidSetting("bubblewrap starts no sandbox: the argument list is too long"),
    ],
)
def test_what_a_bot_brings_about_is_not_reported(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sandbox of the host's own still starts."""
    monkeypatch.setattr(guards, "_try", lambda _: None)
    met = Trouble()
    met.meet(error, UIDS)
    assert met.now == ""
