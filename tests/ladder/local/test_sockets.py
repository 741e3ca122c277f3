import stat
from pathlib import Path

import pytest

from ladder.local.sockets import socket_folder


@pytest.mark.parametrize(("length", "is_used"), [(40, True), (90, False)])
def test_the_folder_of_sockets_is_private_and_its_path_short(
    length: int, is_used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = "/tmp/" + "x" * (length - len("/tmp/"))
    monkeypatch.setattr("tempfile.tempdir", temporary)
    Path(temporary).mkdir()
    with socket_folder() as folder:
        assert Path(folder).is_relative_to(temporary) is is_used
        assert len(folder) < 80
        assert stat.S_IMODE(Path(folder).stat().st_mode) == 0o700
    Path(temporary).rmdir()
