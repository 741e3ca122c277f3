"""The cache of a host holds what its hashes say, or nothing."""

import asyncio
import hashlib
import os
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from referee.hosting.cache import BundleCache, WrongHash
from referee.hosting.packages import Manifest

MANIFEST = Manifest("bot", "1", "python", "bot:Bot")


def unpack(file: Path, folder: Path) -> Manifest:
    folder.mkdir()
    (folder / "content").write_bytes(file.read_bytes())
    return MANIFEST


def cache(folder: Path, most: int = 100, *needed: bytes) -> BundleCache:
    return BundleCache(folder, most, unpack, lambda: needed)


def hash_of(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


async def chunks(data: bytes) -> AsyncIterator[bytes]:
    for at in range(0, len(data), 3):
        yield data[at : at + 3]


async def keep(to: BundleCache, data: bytes) -> bytes:
    await to.store(hash_of(data), chunks(data))
    return hash_of(data)


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


async def test_bundle_is_unpacked_once_and_again_after_a_restart(tmp_path: Path) -> None:
    first = cache(tmp_path)
    sha256 = await keep(first, b"a bundle")
    found = await first.unpacked(sha256)
    assert found is not None
    assert (found.folder / "content").read_bytes() == b"a bundle"
    assert await first.unpacked(sha256) is found
    (found.folder / "content").write_bytes(b"damaged")
    again = await cache(tmp_path).unpacked(sha256)
    assert again is not None
    assert (again.folder / "content").read_bytes() == b"a bundle"


async def test_bytes_with_another_hash_are_not_kept(tmp_path: Path) -> None:
    with pytest.raises(WrongHash):
        await cache(tmp_path).store(hash_of(b"one"), chunks(b"other"))
    assert files(tmp_path) == []


async def test_damaged_blob_is_not_used(tmp_path: Path) -> None:
    sha256 = await keep(cache(tmp_path), b"a bundle")
    (tmp_path / "blobs" / sha256.hex()).write_bytes(b"a bungle")
    assert await cache(tmp_path).unpacked(sha256) is None
    assert files(tmp_path) == []


async def test_nothing_is_left_of_what_did_not_come_whole(tmp_path: Path) -> None:
    async def breaks_off() -> AsyncIterator[bytes]:
        yield b"some"
        raise OSError(28, os.strerror(28))

    with pytest.raises(OSError, match="No space left"):
        await cache(tmp_path).store(hash_of(b"some more"), breaks_off())
    assert files(tmp_path) == []


async def test_oldest_blobs_make_room_but_none_in_use(tmp_path: Path) -> None:
    held = cache(tmp_path, 25, hash_of(bytes(10)))
    hashes = [await keep(held, bytes([number]) * 10) for number in range(3)]
    assert [held.find(sha256) is not None for sha256 in hashes] == [True, False, True]
    assert held.size == 20


async def test_blobs_are_used_in_the_same_order_after_a_restart(tmp_path: Path) -> None:
    first = cache(tmp_path)
    hashes = [await keep(first, bytes([number]) * 10) for number in range(2)]
    for time, sha256 in enumerate(reversed(hashes)):
        os.utime(tmp_path / "blobs" / sha256.hex(), (time, time))
    held = cache(tmp_path, most=35)
    await keep(held, b"\2" * 10)
    assert held.find(hashes[1]) is not None
    await keep(held, b"\3" * 10)
    assert [held.find(sha256) is not None for sha256 in hashes] == [False, True]


async def test_blobs_that_somebody_removed_are_in_nobodys_way(tmp_path: Path) -> None:
    held = cache(tmp_path, most=15)
    gone = await keep(held, b"1234567890")
    (tmp_path / "blobs" / gone.hex()).unlink()
    other = await keep(held, b"abcdefghij")
    assert held.find(gone) is None
    assert held.find(other) is not None
    assert held.size == 10


async def test_blob_that_was_dropped_is_missing(tmp_path: Path) -> None:
    held = cache(tmp_path)
    sha256 = await keep(held, b"a bundle")
    await held.unpacked(sha256)
    held.forget(sha256)
    assert await held.unpacked(sha256) is None
    assert files(tmp_path) == []


async def test_who_hangs_up_while_it_is_unpacked_spoils_nothing(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(file: Path, folder: Path) -> Manifest:
        begun.set()
        assert go_on.wait(60)
        return unpack(file, folder)

    held = BundleCache(tmp_path, 100, slow)
    sha256 = await keep(held, b"a bundle")
    first = asyncio.create_task(held.unpacked(sha256))
    assert await asyncio.to_thread(begun.wait, 60)
    first.cancel()
    await asyncio.wait({first})
    go_on.set()
    found = await held.unpacked(sha256)
    assert found is not None
    assert (found.folder / "content").read_bytes() == b"a bundle"


async def test_nothing_is_left_of_what_is_dropped_while_it_is_unpacked(tmp_path: Path) -> None:
    """It was banned: nobody is to play with it."""
    begun, go_on = threading.Event(), threading.Event()

    def slow(file: Path, folder: Path) -> Manifest:
        made = unpack(file, folder)
        begun.set()
        assert go_on.wait(60)
        return made

    held = BundleCache(tmp_path, 100, slow)
    sha256 = await keep(held, b"a bundle")
    unpacking = asyncio.create_task(held.unpacked(sha256))
    assert await asyncio.to_thread(begun.wait, 60)
    held.forget(sha256)
    go_on.set()
    assert await unpacking is None
    assert files(tmp_path) == []
    assert held.unpacked_size == 0


async def test_unpacked_bundles_make_room_but_none_in_use(tmp_path: Path) -> None:
    """A blob may hold a large bundle; those not used for longest go, and their blobs stay."""

    def large(file: Path, folder: Path) -> Manifest:
        folder.mkdir()
        (folder / "zeros").write_bytes(bytes(100_000))
        return MANIFEST

    held = BundleCache(tmp_path, 350_000, large, lambda: [hash_of(bytes(1))])
    hashes = [await keep(held, bytes([number])) for number in range(5)]
    for sha256 in (*hashes[:3], hashes[1], *hashes[3:]):
        await held.unpacked(sha256)
    kept = {path.name for path in (tmp_path / "bundles").iterdir()}
    assert kept == {hashes[at].hex() for at in (0, 3, 4)}
    assert all(held.find(sha256) for sha256 in hashes)
    again = await held.unpacked(hashes[2])
    assert again is not None
    assert (again.folder / "zeros").exists()


async def test_what_nobody_needs_is_dropped_from_a_full_disk(tmp_path: Path) -> None:
    held = cache(tmp_path, 100_000, hash_of(bytes(1)))
    hashes = [await keep(held, bytes([number])) for number in range(3)]
    for sha256 in hashes[:2]:
        await held.unpacked(sha256)
    await held.drop_unneeded()
    needed = hashes[0].hex()
    assert files(tmp_path) == [f"blobs/{needed}", f"bundles/{needed}/content"]
    assert held.size == 1
    again = await held.unpacked(await keep(held, bytes([1])))
    assert again is not None


async def test_many_small_files_count_more_than_their_bytes(tmp_path: Path) -> None:
    def many(file: Path, folder: Path) -> Manifest:
        folder.mkdir()
        for number in range(20):
            (folder / str(number)).touch()
        return MANIFEST

    held = BundleCache(tmp_path, 300_000, many)
    for number in range(2):
        await held.unpacked(await keep(held, bytes([number])))
    assert len(list((tmp_path / "bundles").iterdir())) == 1
