"""The cache of a host: packages and bundles by their SHA-256, and bundles unpacked for sandboxes.

Whatever is used was compared with its hash since the host has started: blobs when they come and
before they are unpacked, and unpacked bundles never outlive the host's process. A sandbox sees its
bundle read-only.

Blobs may take so many bytes together, and unpacked bundles as many again: a small blob may hold a
large bundle.
"""

import asyncio
import hashlib
import os
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.hosting.bundles import file_hash
from referee.hosting.packages import Manifest

Unpack = Callable[[Path, Path], Manifest]
"""Unpacks a file into a new folder; on error nothing is left."""
_LEAST: Final = 16 * 1024
"""Bytes that a file or folder counts as at least: file systems have about one inode for so many."""


class WrongHash(Exception):
    """Bytes that don't have the hash that was announced."""


@dataclass(frozen=True, slots=True)
class UnpackedBundle:
    """An unpacked bundle: its folder, what its `santiago.toml` says, and the bytes it takes."""

    folder: Path
    manifest: Manifest
    size: int


class BundleCache:
    """Blobs in a folder that belongs to one host alone."""

    def __init__(
        self,
        folder: Path,
        most: int,
        unpack: Unpack,
        needed: Callable[[], Collection[bytes]] = tuple,
    ) -> None:
        """Open the cache in `folder`, which is made.

        Its blobs are to have `most` bytes at most, and so are its unpacked bundles. What was not
        used for longest goes, but nothing that `needed` returns then.
        """
        self.most = most
        self._unpack, self._needed = unpack, needed
        self._blobs, self._bundles, self._coming = (
            folder / name for name in ("blobs", "bundles", "coming")
        )
        for unfinished in (self._bundles, self._coming):
            shutil.rmtree(unfinished, ignore_errors=True)
        for part in (self._blobs, self._bundles, self._coming):
            part.mkdir(parents=True, exist_ok=True)
        self._bundles.chmod(0o711)  # whatever our umask: the users of sandboxes enter it
        blobs = sorted(self._blobs.iterdir(), key=lambda blob: blob.stat().st_mtime)
        self._sizes = {blob.name: blob.stat().st_size for blob in blobs}
        self._unpacked: dict[str, UnpackedBundle] = {}  # of both the one used last is at the end
        self._unpacking: dict[str, asyncio.Task[UnpackedBundle | None]] = {}

    @property
    def size(self) -> int:
        """Bytes of all blobs."""
        return sum(self._sizes.values())

    @property
    def unpacked_size(self) -> int:
        """Bytes of all unpacked bundles."""
        return sum(bundle.size for bundle in self._unpacked.values())

    def find(self, sha256: bytes) -> Path | None:
        """Return the file with this hash, or None; it counts as used now."""
        path = self._blobs / sha256.hex()
        size = self._sizes.pop(path.name, None)
        if size is None:
            return None
        try:
            os.utime(path)
        except FileNotFoundError:
            return None
        self._sizes[path.name] = size
        return path

    async def store(self, sha256: bytes, chunks: AsyncIterator[bytes]) -> None:
        """Keep what `chunks` bring.

        Raises WrongHash, and OSError, such as that of a full disk; then nothing is left.
        """
        digest, number = hashlib.sha256(), 0
        with tempfile.NamedTemporaryFile(dir=self._coming) as file:
            async for chunk in chunks:
                digest.update(chunk)
                number += len(chunk)
                file.write(chunk)
            file.flush()
            if digest.digest() != sha256:
                raise WrongHash(f"The bytes have the hash {digest.hexdigest()}.")
            (self._coming / sha256.hex()).unlink(missing_ok=True)
            os.link(file.name, self._coming / sha256.hex())
        (self._coming / sha256.hex()).replace(self._blobs / sha256.hex())
        self._sizes.pop(sha256.hex(), None)
        self._sizes[sha256.hex()] = number
        self._shrink(self.most, sha256.hex())

    async def unpacked(self, sha256: bytes) -> UnpackedBundle | None:
        """Return a bundle, unpacked, or None if it is not there (any more).

        Other unpacked bundles make room for it; their blobs stay. Who is cancelled waits no longer;
        the bundle is unpacked to its end all the same. Raises what unpacking raises, and OSError.
        """
        name = sha256.hex()
        if name not in self._unpacking:
            task = asyncio.create_task(self._unpacked_now(sha256))
            self._unpacking[name] = task
            task.add_done_callback(lambda _: self._unpacking.pop(name))
        return await asyncio.shield(self._unpacking[name])

    async def _unpacked_now(self, sha256: bytes) -> UnpackedBundle | None:
        name, file = sha256.hex(), self.find(sha256)
        if file is None:
            return None
        if name in self._unpacked:
            self._unpacked[name] = self._unpacked.pop(name)
            return self._unpacked[name]
        if await asyncio.to_thread(file_hash, file) != name:
            self.forget(sha256)
            return None
        bundle = await asyncio.to_thread(self._made, file, self._bundles / name)
        if name not in self._sizes:  # forgotten meanwhile
            self.forget(sha256)
            return None
        self._unpacked[name] = bundle
        await self._shrink_unpacked(self.most, name)
        return bundle

    def _made(self, file: Path, folder: Path) -> UnpackedBundle:
        """Unpack a blob into a new folder. Raises what unpacking raises, and OSError."""
        manifest = self._unpack(file, folder)
        sizes = (max(_LEAST, path.lstat().st_size) for path in folder.rglob("*"))
        return UnpackedBundle(folder, manifest, sum(sizes))

    def forget(self, sha256: bytes) -> None:
        """Drop a blob, and the bundle that was unpacked from it."""
        name = sha256.hex()
        self._sizes.pop(name, None)
        self._unpacked.pop(name, None)
        (self._blobs / name).unlink(missing_ok=True)
        shutil.rmtree(self._bundles / name, ignore_errors=True)

    async def drop_unneeded(self) -> None:
        """Drop all that is not needed, since the disk is full: workers bring again what is used."""
        await self._shrink_unpacked(0)
        self._shrink(0)

    def _droppable(self, names: Iterable[str], kept: str) -> list[str]:
        needed = {kept, *(sha256.hex() for sha256 in self._needed())}
        return [name for name in names if name not in needed]

    def _shrink(self, most: int, kept: str = "") -> None:
        """Drop blobs, those first that were not used for longest, until the rest fits."""
        for name in self._droppable(self._sizes, kept):
            if self.size <= most:
                return
            self.forget(bytes.fromhex(name))

    async def _shrink_unpacked(self, most: int, kept: str = "") -> None:
        """Remove unpacked bundles, those not used for longest first, until the rest fits."""
        too_much = self.unpacked_size - most
        gone = []
        for name in self._droppable(self._unpacked, kept):
            if too_much <= 0:
                break
            bundle = self._unpacked.pop(name)
            too_much -= bundle.size
            gone.append(bundle.folder.rename(self._bundles / f".gone-{secrets.token_hex(8)}"))
        for folder in gone:  # under names of their own: meanwhile one may be unpacked again
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
