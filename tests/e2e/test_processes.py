"""What tests see of the machine's processes."""

import subprocess

from tests.e2e.processes import process


def test_a_command_may_hold_any_bytes() -> None:
    with subprocess.Popen(["cat", "-", b"caf\xe9"], stdin=subprocess.PIPE) as cat:
        found = process(cat.pid)
        assert found is not None
        assert found.command.startswith("cat - caf")
