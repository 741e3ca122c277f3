"""Packing a folder, and unpacking what was packed."""

import errno
import json
import os
import re
from pathlib import Path

import pytest

from referee.hosting import packing
from referee.hosting.archives import BadPackage, Limits
from referee.hosting.packages import Manifest, manifest_of, pack, read, unpack

TOML = """
name = "my-bot"
version = "1.0"
runtime = "native"
entry = "./bot"
build = "make -j2 && strip bot"
"""
MANIFEST = Manifest("my-bot", "1.0", "native", "./bot", ("sh", "-c", "make -j2 && strip bot"))
SUFFIXES = (".zip", ".tar.gz")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's folder with an executable, a long name and one that is not ASCII."""
    made = tmp_path / "bot"
    (made / "señal").mkdir(parents=True)
    (made / "santiago.toml").write_text(TOML)
    (made / "bot").write_bytes(os.urandom(200_000))
    (made / "bot").chmod(0o755)
    (made / "señal" / ("n" * 200)).write_text("long")
    return made


def files(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode & 0o777)
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_was_packed_comes_out_as_it_was(folder: Path, tmp_path: Path, suffix: str) -> None:
    package = tmp_path / f"package{suffix}"
    assert pack(folder, package) == read(package) == MANIFEST
    assert unpack(package, tmp_path / "out") == MANIFEST
    assert files(tmp_path / "out") == files(folder)
    assert (tmp_path / "out" / "bot").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_same_folder_gives_the_same_bytes(folder: Path, tmp_path: Path, suffix: str) -> None:
    pack(folder, tmp_path / f"one{suffix}")
    os.utime(folder / "bot", (1, 1))
    pack(folder, tmp_path / f"two{suffix}")
    assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"two{suffix}").read_bytes()


def test_what_is_refused_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    package = tmp_path / "package.zip"
    pack(folder, package)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(BadPackage, match="more than 2 files") as caught:
        unpack(package, tmp_path / "out", Limits(files=2))
    assert caught.value.entry.startswith("señal/nnn")
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_may_be_as_large_as_is_allowed(folder: Path, tmp_path: Path) -> None:
    size = sum(len(data) for data, _ in files(folder).values())
    pack(folder, tmp_path / "package.zip", Limits(unpacked=size))
    told = rf"have {size:,} bytes; {size - 1:,} are allowed\. The largest is bot\."
    with pytest.raises(BadPackage, match=told):
        pack(folder, tmp_path / "other.zip", Limits(unpacked=size - 1))


def test_an_entry_point_can_be_run_also_from_windows(folder: Path, tmp_path: Path) -> None:
    (folder / "bot").chmod(0o644)
    pack(folder, tmp_path / "package.zip")
    unpack(tmp_path / "package.zip", tmp_path / "out")
    assert (tmp_path / "out" / "bot").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("entry", ["./" + "n" * 256, "./bot 'x", "./bot \\", "./a/" + "é" * 128])
def test_an_entry_point_that_nothing_can_start_is_refused(entry: str) -> None:
    text = TOML.replace('entry = "./bot"', f"entry = {json.dumps(entry)}")
    with pytest.raises(BadPackage, match="entry "):
        manifest_of(text.encode())


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('entry = " "', "entry is empty."),
        ("entry = 7", "entry is not a line of text."),
        ('entry = "./bot\\u0007"', "entry is not a line of text."),
        (f'entry = "{"./bot " * 400}"', "entry is longer than 2,000 characters."),
        ('build = ["make", 2]', "build is not a line of text."),
        (
            'runtime = "Python"',
            "runtime is 'Python': take up to 40 small letters, digits and, after them, ._-",
        ),
    ],
)
def test_a_bad_value_is_refused(line: str, why: str) -> None:
    key = line.partition(" ")[0]
    text = re.sub(f"^{key} = .*$", lambda _: line, TOML, flags=re.MULTILINE)
    with pytest.raises(BadPackage) as caught:
        manifest_of(text.encode())
    assert caught.value.why == why


def test_a_manifest_may_begin_with_the_mark_that_windows_writes() -> None:
    assert manifest_of(b"\xef\xbb\xbf" + TOML.encode()) == MANIFEST


def test_a_build_step_may_be_a_list_of_words() -> None:
    text = TOML.replace('"make -j2 && strip bot"', '["make", "-j2", "CFLAGS=-O3 -g"]')
    assert manifest_of(text.encode()).build == ("make", "-j2", "CFLAGS=-O3 -g")


def test_what_is_no_folder_or_has_no_format_is_not_packed(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadPackage, match=r"bot/bot is not a folder\."):
        pack(folder / "bot", tmp_path / "package.zip")
    with pytest.raises(BadPackage, match=r"package\.rar ends neither with \.zip nor with"):
        pack(folder, tmp_path / "package.rar")
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.parametrize(
    ("code", "name", "blamed"),
    [(errno.ENOSPC, None, "package.zip"), (errno.EACCES, "bot/bot", "bot/bot")],
)
def test_what_cannot_be_written_or_read_is_named_and_a_former_package_stays(
    code: int,
    name: str | None,
    blamed: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    package = tmp_path / "package.zip"
    package.write_bytes(b"before")

    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code), name)

    monkeypatch.setattr(packing, "write", fail)
    with pytest.raises(OSError, match=os.strerror(code)) as caught:
        pack(folder, package)
    assert str(caught.value.filename).endswith(blamed)
    assert package.read_bytes() == b"before"
    assert sorted(tmp_path.iterdir()) == [folder, package]
