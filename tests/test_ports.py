"""Which ports tests take."""

import pytest

from tests import conftest
from tests.conftest import PORTS, free_port, own_ports


def test_no_port_belongs_to_two_processes_of_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", "3")
    found: list[int] = []
    for process in ("gw0", "gw1", "gw2"):
        monkeypatch.setenv("PYTEST_XDIST_WORKER", process)
        found += own_ports()
    assert found == list(PORTS)


def test_no_port_is_given_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A site could else take the one that its own numbers are to have."""
    monkeypatch.setattr(conftest, "_given", set())
    monkeypatch.setattr(conftest, "own_ports", lambda: range(20_000, 20_006))
    monkeypatch.setattr(conftest, "_is_free", lambda _: True)
    assert {free_port() for _ in range(6)} == set(range(20_000, 20_006))
