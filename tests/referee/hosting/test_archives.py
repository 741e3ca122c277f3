"""Hostile archives are refused with the name of the entry, and nothing is left behind."""

import gzip
import re
import stat
import tarfile
import tracemalloc
import unicodedata
import zipfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Literal

import pytest
from hypothesis import given, settings, strategies as st

from referee.hosting.archives import BadPackage, Limits, Names, TooMany
from referee.hosting.packages import read, unpack
from tests.referee.hosting.hostile_archives import (
    CASES,
    FILE,
    MANIFEST,
    Made,
    blocks,
    header,
    member,
    pax,
    record,
    second_name,
    special,
    tarred,
    zipped,
)


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(("made", "entry", "why"), [pytest.param(*c[1:], id=c[0]) for c in CASES])
def test_a_hostile_archive_is_refused(made: Made, entry: str, why: str, tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.write_bytes(made())
    with pytest.raises(BadPackage) as caught:
        unpack(package, tmp_path / "into")
    shown = entry if len(entry) <= 120 else entry[:119] + "…"
    assert caught.value.entry.rstrip("/") in (shown, ascii(entry)[1:-1])
    assert why in caught.value.why
    assert left_in(tmp_path) == ["package"]
    with pytest.raises(BadPackage, match=re.escape(why)):
        read(package)


LIMITS = Limits(packed=1 << 20, unpacked=1 << 20, files=20)
BOMBS: dict[str, Made] = {
    "a zip of zeros": lambda: zipped("bomb", data=bytes(1 << 22)),
    "a tar of zeros": lambda: tarred("bomb", data=bytes(1 << 22)),
    "zeros after a tar": lambda: gzip.compress(gzip.decompress(tarred("a")) + bytes(1 << 23)),
    "a tar of headers": lambda: blocks(*[header(b"g", b"g", b"") for _ in range(9_000)], FILE),
    "many files": lambda: zipped(*(str(n) for n in range(30))),
    "many files in a tar": lambda: tarred(*(str(n) for n in range(30))),
    "many folders": lambda: tarred(*(f"d{n}/e{n}/f" for n in range(11))),
    "many files that an end denies": lambda: zipped(*(str(n) for n in range(50))),
    "a large archive": lambda: b"PK\3\4" + bytes(1 << 20),
    "a large directory": lambda: zipped("n" * 50_000),
}


@pytest.mark.parametrize("made", BOMBS.values(), ids=BOMBS)
def test_a_bomb_goes_off_in_little_room(made: Made, tmp_path: Path) -> None:
    archive = made()
    tracemalloc.start()
    try:
        with pytest.raises(BadPackage, match=r"more than|bomb|bytes;|more data|too large"):
            unpack_bytes(archive, tmp_path / "into", LIMITS)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1 << 20
    assert left_in(tmp_path) == []


def test_an_archive_may_be_as_large_as_is_allowed() -> None:
    archive = zipped("bot.py")
    size = len(archive)
    read(BytesIO(archive), Limits(packed=size))
    with pytest.raises(BadPackage, match=f"has {size:,} bytes; {size - 1:,} are allowed"):
        read(BytesIO(archive), Limits(packed=size - 1))


def test_a_zip_may_have_the_same_name_twice_for_a_file() -> None:
    """Info-ZIP writes it once more if it has letters beyond ASCII."""
    read(BytesIO(zipped(second_name("señal.py", "señal.py"))))


def test_as_many_files_and_folders_as_may_be_are_read() -> None:
    names = Names(LIMITS)
    for n in range(LIMITS.files):
        assert names.add(f"d{n}/f", folder=False) == f"d{n}/f"
    with pytest.raises(TooMany, match="more than 20 files"):
        names.add("d0/g", folder=False)
    with pytest.raises(TooMany, match="more than 20 folders"):
        names.add("one-more/f", folder=False)


def test_long_names_deep_in_folders_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of these characters stands for eighteen when names are compared."""
    looked_at = 0

    def normalize(form: Literal["NFKC"], text: str) -> str:
        nonlocal looked_at
        looked_at += len(text)
        return unicodedata.normalize(form, text)

    counting = SimpleNamespace(normalize=normalize)
    monkeypatch.setattr("referee.hosting.archives.unicodedata", counting)
    names, deep = Names(Limits()), "/".join(["\ufdfa" * 10] * 29)
    tracemalloc.start()
    try:
        for n in range(1000):
            names.add(f"{deep}/{n:04}/{n:04}", folder=False)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert looked_at < 40_000  # 20 for each name, and the folders' once
    assert kept < 4 << 20


def unpack_bytes(archive: bytes, into: Path, limits: Limits | None = None) -> None:
    unpack(BytesIO(archive), into, limits)


def test_what_finder_and_windows_add_is_left_out(tmp_path: Path) -> None:
    folder = ("bot/", "bot/bot.py", "bot/.DS_Store", "__MACOSX/", "__MACOSX/bot/._bot.py", "._bot")
    inner = tmp_path / "bot.zip"
    inner.write_bytes(_in_folder(*folder))
    unpack(inner, tmp_path / "into")
    assert left_in(tmp_path / "into") == ["bot.py", "santiago.toml"]


def test_the_manifest_is_at_the_top_or_in_the_only_folder(tmp_path: Path) -> None:
    for more in ("other/bot.py", "bot.py"):
        with pytest.raises(BadPackage, match=r"no santiago\.toml at its top"):
            unpack_bytes(_in_folder(more), tmp_path / "into")
    assert left_in(tmp_path) == []


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_what_tar_makes_of_the_folder_where_it_is_called(form: int, tmp_path: Path) -> None:
    """As `tar -czf bot.tar.gz .` does; its padding with zeros may be outside of what is packed."""
    top, lib = member("./", tarfile.DIRTYPE), member("./lib/", tarfile.DIRTYPE)
    packed = tarred(top, lib, "./lib/bot.py", form=form)
    unpack_bytes(packed + bytes(1 << 17), tmp_path / "into")
    assert left_in(tmp_path / "into") == ["lib", "santiago.toml"]
    assert (tmp_path / "into" / "lib" / "bot.py").read_bytes() == b"x"


def test_attributes_that_nobody_reads_do_no_harm(tmp_path: Path) -> None:
    noted = pax(("mtime", "1.5"), ("SCHILY.xattr.user.a", "b"), ("LIBARCHIVE.creationtime", "1"))
    unpack_bytes(blocks(noted, FILE), tmp_path / "into")
    assert left_in(tmp_path / "into") == ["bot.py", "santiago.toml"]


def _in_folder(*names: str) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("bot/santiago.toml", MANIFEST)
        for name in names:
            archive.writestr(name, b"" if name.endswith("/") else b"x")
    return made.getvalue()


@pytest.mark.parametrize(
    "archive",
    [
        zipped(special("run", stat.S_IFREG | 0o700), special("data", stat.S_IFREG | 0o4666)),
        tarred(member("run", mode=0o700), member("data", mode=0o6666)),
    ],
    ids=["zip", "tar"],
)
def test_of_a_mode_only_its_being_executable_counts(archive: bytes, tmp_path: Path) -> None:
    unpack_bytes(archive, tmp_path / "into")
    assert stat.S_IMODE((tmp_path / "into" / "run").stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "into" / "data").stat().st_mode) == 0o644


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "into").mkdir()
    (tmp_path / "into" / "mine").write_text("mine")
    with pytest.raises(OSError, match="not empty"):
        unpack_bytes(zipped(), tmp_path / "into")
    assert left_in(tmp_path / "into") == ["mine"]
    assert left_in(tmp_path) == ["into"]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([zipped("bot.py", "lib/a"), gzip.decompress(tarred("bot.py", "lib/a"))]),
    st.lists(st.tuples(st.integers(0, 1 << 14), st.binary(min_size=1, max_size=4)), max_size=4),
)
def test_damage_is_refused_or_does_not_matter(
    archive: bytes, changes: list[tuple[int, bytes]]
) -> None:
    data = bytearray(archive)
    for at, value in changes:
        place = at % len(data)
        data[place : place + len(value)] = value
    packed = bytes(data) if data[:2] == b"PK" else gzip.compress(bytes(data), mtime=0)
    with suppress(BadPackage):
        assert read(BytesIO(packed)).runtime


def test_a_name_of_another_header_may_be_cut_in_a_character(tmp_path: Path) -> None:
    cut = header(b"PaxHeaders/caf\xc3", b"x", record(("path", "caf\u00e9.py")))
    unpack_bytes(blocks(cut, FILE), tmp_path / "into")
    assert left_in(tmp_path / "into") == ["caf\u00e9.py", "santiago.toml"]


@pytest.mark.parametrize("size", [65_536, 65_537, 65_793, 131_073, 131_400])
@pytest.mark.parametrize("pattern", [b"\0", b"ab"])
def test_files_a_little_larger_than_a_piece_are_whole(
    size: int, pattern: bytes, tmp_path: Path
) -> None:
    """Of them zlib may hold back some output when it has read all input."""
    data = (pattern * size)[:size]
    unpack_bytes(zipped("bot.py", data=data), tmp_path / "into")
    assert (tmp_path / "into" / "bot.py").read_bytes() == data
