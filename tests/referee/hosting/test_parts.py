"""Copies of what sandboxes read: made once, whole, readable for all, and forgotten when old."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from referee.hosting import parts


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the part `kit`, and that only its owner can read."""
    folder = tmp_path / "private"
    (folder / "inner").mkdir(parents=True)
    (folder / "program").write_text("#!/bin/sh")
    (folder / "program").chmod(0o700)
    (folder / "inner" / "data").write_text("data")
    (folder / "inner" / "data").chmod(0o600)
    folder.chmod(0o700)
    files = [("program", folder / "program"), ("inner/data", folder / "inner" / "data")]
    monkeypatch.setitem(parts.PARTS, "kit", lambda: iter(files))
    parts._copied.cache_clear()
    return folder


def copy(host: Path) -> Path:
    parts._copied.cache_clear()  # as in another process
    (mount,) = parts.mount("kit", host)
    assert mount.at == "/opt/kit"
    return mount.source


def test_copies_are_for_all_to_read_and_for_nobody_else_to_write(
    source: Path, tmp_path: Path
) -> None:
    made = copy(tmp_path / "host")
    modes = {path.name: path.stat().st_mode & 0o777 for path in (made, *made.rglob("*"))}
    assert modes == {made.name: 0o755, "program": 0o755, "inner": 0o755, "data": 0o644}
    assert (made / "inner" / "data").stat().st_ino != (source / "inner" / "data").stat().st_ino


def test_a_copy_is_made_once_and_anew_for_another_content(source: Path, tmp_path: Path) -> None:
    first = copy(tmp_path / "host")
    (first / "mark").touch()
    assert copy(tmp_path / "host") == first
    assert (first / "mark").exists()
    (source / "program").write_text("#!/bin/bash")
    second = copy(tmp_path / "host")
    assert second != first
    assert sorted(path.name for path in first.parent.iterdir()) == sorted([first.name, second.name])


def test_copies_that_are_not_used_for_long_go(source: Path, tmp_path: Path) -> None:
    first = copy(tmp_path / "host")
    os.utime(first, (0, 0))
    assert copy(tmp_path / "host") == first  # in use again
    (source / "program").write_text("#!/bin/bash")
    second = copy(tmp_path / "host")
    assert first.exists()
    os.utime(first, (0, 0))
    assert copy(tmp_path / "host") == second
    assert not first.exists()


def test_what_a_killed_process_began_to_copy_goes_with_the_next_start(
    source: Path, tmp_path: Path
) -> None:
    made = copy(tmp_path / "host")
    (made.parent / ".kit-begun").mkdir()
    (made.parent / ".kit-begun" / "program").touch()
    assert copy(tmp_path / "host") == made
    assert list(made.parent.iterdir()) == [made]


def test_a_copy_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "kept"
    kept.touch()

    def vanish(*_: object) -> None:
        raise FileNotFoundError("gone")

    monkeypatch.setitem(parts.PARTS, "kit", lambda: iter([("kept", kept)]))
    monkeypatch.setattr(parts, "_copy", vanish)
    with pytest.raises(FileNotFoundError):
        copy(tmp_path / "host")
    assert list((tmp_path / "host" / "parts").iterdir()) == []


def test_a_copy_that_another_process_makes_is_waited_for_and_taken(
    source: Path, tmp_path: Path
) -> None:
    place = tmp_path / "host" / "parts" / f"kit-{parts._key(sorted(parts.PARTS['kit']()))}"
    place.parent.mkdir(parents=True)
    with ThreadPoolExecutor() as pool:
        with parts._alone_in(place.parent):
            copying = pool.submit(copy, tmp_path / "host")
            (place / "theirs").mkdir(parents=True)
        assert copying.result() == place
    assert [path.name for path in place.iterdir()] == ["theirs"]


def test_of_the_interpreter_only_what_bots_need_is_copied(tmp_path: Path) -> None:
    files = dict(parts.PARTS["python"]())
    library = f"lib/python{sys.version_info.major}.{sys.version_info.minor}"
    assert {"bin/python3", "bin/python", f"{library}/os.py"} < files.keys()
    assert all(path.is_file() for path in files.values())
    assert not [name for name in files if {"site-packages", "ensurepip"} & set(name.split("/"))]


def test_links_to_nothing_are_not_copied(tmp_path: Path) -> None:
    (tmp_path / "gone").symlink_to("nothing")
    (tmp_path / "there").touch()
    assert list(parts._below(tmp_path)) == [("there", tmp_path / "there")]


def test_a_copy_is_compiled_or_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module, other, cache = (tmp_path / name for name in ("module.py", "other.py", "__pycache__"))
    module.write_text("x = 1")
    other.write_text("x = ")  # of another Python
    files = [(path.name, path) for path in (module, other)]
    monkeypatch.setitem(parts.PARTS, "kit", lambda: iter(files))
    compiled = [path.name.partition(".")[0] for path in copy(tmp_path / "host").rglob("*.pyc")]
    assert compiled == ["module"]

    cache.touch()  # so nothing can be written there
    files.append((cache.name, cache))
    with pytest.raises(NotADirectoryError):
        copy(tmp_path / "host")
    assert len(list((tmp_path / "host" / "parts").iterdir())) == 1
