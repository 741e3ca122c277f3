"""Which ports tests take."""

import pytest

from tests.conftest import PORTS, own_ports


def test_no_port_belongs_to_two_processes_of_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", "3")
    found: list[int] = []
    for process in ("gw0", "gw1", "gw2"):
        monkeypatch.setenv("PYTEST_XDIST_WORKER", process)
        found += own_ports()
    assert found == list(PORTS)
