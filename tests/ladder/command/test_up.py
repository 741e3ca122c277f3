"""What `santiago up` prints; the running service is tried in tests/e2e."""

import shlex
from pathlib import Path

import pytest

from ladder.command.up import adding


def test_how_to_add_a_bot_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(adding(Path("two words")))
    assert words == ["santiago", "bot", "add", "HOST:PORT", "--data", f"{tmp_path}/two words"]
