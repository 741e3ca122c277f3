"""The cache of a host: packages and bundles by their SHA-256, and bundles unpacked for sandboxes.

Whatever is used was compared with its hash since the host has started: blobs when they come and
before they are unpacked, and unpacked bundles never outlive the host's process. A sandbox sees its
bundle read-only.
"""

import asyncio
import hashlib
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.hosting.packages import Manifest

Unpack = Callable[[Path, Path], Manifest]
"""Unpacks a file into a new folder; on error nothing is left."""
_READ: Final = 1 << 20


class WrongHash(Exception):
    """Bytes that don't have the hash that was announced."""


@dataclass(frozen=True, slots=True)
class UnpackedBundle:
    """An unpacked bundle: its folder, and what its `santiago.toml` says."""

    folder: Path
    manifest: Manifest


class BundleCache:
    """Blobs in a folder that belongs to one host alone."""

    def __init__(self, folder: Path, most: int, unpack: Unpack) -> None:
        """Open the cache in `folder`, which is made; it is to have `most` bytes at most."""
        self.most = most
        self._unpack = unpack
        self._blobs, self._bundles, self._coming = (
            folder / name for name in ("blobs", "bundles", "coming")
        )
        for unfinished in (self._bundles, self._coming):
            shutil.rmtree(unfinished, ignore_errors=True)
        for part in (self._blobs, self._bundles, self._coming):
            part.mkdir(parents=True, exist_ok=True)
        self._sizes = {file.name: file.stat().st_size for file in self._blobs.iterdir()}
        self._unpacked: dict[str, UnpackedBundle] = {}
        self._unpacking: dict[str, asyncio.Task[UnpackedBundle | None]] = {}

    @property
    def size(self) -> int:
        """Bytes of all blobs."""
        return sum(self._sizes.values())

    def find(self, sha256: bytes) -> Path | None:
        """Return the file with this hash, or None; it counts as used now."""
        path = self._blobs / sha256.hex()
        if path.name not in self._sizes:
            return None
        try:
            os.utime(path)
        except FileNotFoundError:
            self._sizes.pop(path.name, None)
            return None
        return path

    async def store(
        self,
        sha256: bytes,
        chunks: AsyncIterator[bytes],
        needed: Callable[[], Collection[bytes]] = tuple,
    ) -> None:
        """Keep what `chunks` bring. Blobs that were not used for longest go, but none that `needed`
        returns when all chunks are there.

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
        self._sizes[sha256.hex()] = number
        self._shrink({sha256.hex(), *(hash_.hex() for hash_ in needed())})

    async def unpacked(self, sha256: bytes) -> UnpackedBundle | None:
        """Return a bundle, unpacked, or None if it is not there (any more).

        Who is cancelled waits no longer; the bundle is unpacked to its end all the same. Raises
        what unpacking raises, and OSError.
        """
        name = sha256.hex()
        if name not in self._unpacking:
            task = asyncio.create_task(self._unpacked_now(sha256))
            self._unpacking[name] = task
            task.add_done_callback(lambda _: self._unpacking.pop(name))
        return await asyncio.shield(self._unpacking[name])

    async def _unpacked_now(self, sha256: bytes) -> UnpackedBundle | None:
        name, file = sha256.hex(), self.find(sha256)
        if file is None or name in self._unpacked:
            return self._unpacked[name] if file is not None else None
        if await asyncio.to_thread(_hash_of, file) != sha256:
            self.forget(sha256)
            return None
        folder = self._bundles / name
        manifest = await asyncio.to_thread(self._unpack, file, folder)
        if name not in self._sizes:  # forgotten meanwhile
            self.forget(sha256)
            return None
        self._unpacked[name] = UnpackedBundle(folder, manifest)
        return self._unpacked[name]

    def forget(self, sha256: bytes) -> None:
        """Drop a blob, and the bundle that was unpacked from it."""
        name = sha256.hex()
        self._sizes.pop(name, None)
        self._unpacked.pop(name, None)
        (self._blobs / name).unlink(missing_ok=True)
        shutil.rmtree(self._bundles / name, ignore_errors=True)

    def _shrink(self, needed: Collection[str]) -> None:
        """Drop blobs, those first that were not used for longest, until the rest fits."""
        files = [self._blobs / name for name in self._sizes.keys() - set(needed)]
        for file in sorted(files, key=lambda file: file.stat().st_mtime):
            if self.size <= self.most:
                return
            self.forget(bytes.fromhex(file.name))


def _hash_of(file: Path) -> bytes:
    digest = hashlib.sha256()
    with file.open("rb") as opened:
        while chunk := opened.read(_READ):
            digest.update(chunk)
    return digest.digest()
