"""Every test of this folder has a key for secrets, and no private addresses unless it says so."""

import pytest

from ladder.bots.addresses import ALLOW_PRIVATE
from ladder.secrets import VARIABLE

KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    monkeypatch.delenv(ALLOW_PRIVATE, raising=False)
