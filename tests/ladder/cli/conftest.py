"""Bots for tests of what is played, and not of how well."""

from collections.abc import Iterator

import pytest

from ladder.local import entrants

QUICK = ("last", "quiet", "raising")


@pytest.fixture(scope="module")
def quick_bots() -> Iterator[None]:
    """Install bots that think for no time: games of greedy take 400 times as long."""
    targets = {name: f"tests.ladder.local.bots:{name.title()}" for name in QUICK}
    bots = entrants.installed_bots() | targets
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entrants, "installed_bots", lambda: bots)
        yield
