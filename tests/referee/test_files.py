"""Files that are written whole, or not at all."""

import errno
from pathlib import Path

import pytest

from referee.files import replace_file


def test_a_full_disk_leaves_the_file_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "weights.bin"
    replace_file(file, b"first")

    def fill(path: Path, data: bytes) -> None:
        with path.open("wb") as opened:
            opened.write(data[:1])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fill)
    with pytest.raises(OSError, match="No space left"):
        replace_file(file, b"second")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"first"]
