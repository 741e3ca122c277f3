"""Every test of this folder has a key for secrets, and no private addresses unless it says so."""

import pytest

from ladder.config import ALLOW_PRIVATE, SECRET_KEY

KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECRET_KEY, KEY)
    monkeypatch.delenv(ALLOW_PRIVATE, raising=False)
