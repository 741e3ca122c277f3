"""What a program prints is kept, its beginning and its end; and where it listens is found."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.hosting.output import SOCKET, Kept, SharedFolder, open_below


@pytest.fixture
def pipe() -> Iterator[tuple[int, Kept]]:
    """The end of a pipe to which a program writes, and what is kept of it."""
    read, write = os.pipe()
    kept = Kept(os.fdopen(read, "rb"), limit=1000)
    yield write, kept
    os.close(write)
    kept.join()


def test_nothing_that_was_written_is_missing(pipe: tuple[int, Kept]) -> None:
    write, kept = pipe
    for number in range(1, 201):  # more often than the pipe is read of itself
        os.write(write, b"a\n")
        assert kept.data() == b"a\n" * number


def test_what_was_written_before_is_not_of_the_next_match(pipe: tuple[int, Kept]) -> None:
    write, kept = pipe
    for _ in range(200):
        os.write(write, b"before\n")
        kept.forget()
        assert kept.data() == b""
    os.write(write, b"after\n")
    assert kept.data() == b"after\n"


def test_what_follows_a_part_says_only_what_is_left_out_of_it(pipe: tuple[int, Kept]) -> None:
    write, kept = pipe
    written = b"".join(b"line %04d\n" % number for number in range(300))
    assert kept.after(0) == (b"", 0, b"")
    os.write(write, written[:600])
    assert kept.after(550) == (written[550:600], 0, b"")
    os.write(write, written[600:])
    assert kept.data() == kept.after(0)[0] + b"\n[... 2,000 bytes left out ...]\n" + written[2500:]
    assert kept.after(100) == (written[100:500], 2000, written[2500:])
    assert kept.after(700) == (b"", 1800, written[2500:])
    assert kept.after(2500) == (written[2500:], 0, b"")
    assert kept.after(2900) == (written[2900:], 0, b"")


def test_a_bot_is_called_at_its_own_socket_only(tmp_path: Path) -> None:
    at, elsewhere = tmp_path / SOCKET, tmp_path / "elsewhere"
    shared = SharedFolder(os.open(tmp_path, os.O_DIRECTORY))
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as caller:
        listening.bind(str(elsewhere))
        listening.listen()
        for make in (os.mkfifo, Path.touch, lambda path: path.symlink_to(elsewhere)):
            make(at)
            assert shared.socket_path() is None
            at.unlink()
        elsewhere.rename(at)
        path = shared.socket_path()
        assert path is not None
        caller.connect(path)
    shared.close()


def test_no_link_is_followed_below_an_open_folder(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "deep").write_text("deep")
    for link, target in (("link", "folder/deep"), ("door", "folder"), ("out", "/etc/passwd")):
        (tmp_path / link).symlink_to(target)
    root = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with os.fdopen(open_below(root, "folder/deep")) as file:
            assert file.read() == "deep"
        for path in ("link", "door/deep", "out"):
            with pytest.raises(OSError, match=r"symbolic links|Not a directory"):
                open_below(root, path)
    finally:
        os.close(root)
