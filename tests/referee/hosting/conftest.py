"""What all tests of hosts need."""

import pytest

from referee.hosting import client
from referee.service import KEEPALIVE


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that answers no ping for some seconds is not lost: the machine is busy."""
    pings = {name: 20 * value for name, value in KEEPALIVE if value == 3_000}
    monkeypatch.setattr(client, "_OPTIONS", (*client._OPTIONS, *pings.items()))
