"""Reads `.zip`: stored and deflated files by the central directory, which must agree with itself.

The format: PKWARE's APPNOTE.TXT 6.3, by whose sections the parts are named here.
"""

import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from struct import Struct
from typing import BinaryIO, Final

from referee.hosting.archives import PIECE, ArchiveEntry, BadPackage, Budget, Limits, Names, decoded

_END: Final = Struct("<4s4H2LH")  # 4.3.16
_LISTED: Final = Struct("<4s6H3L5H2L")  # 4.3.12
_LOCAL: Final = Struct("<4s5H3L2H")  # 4.3.7
_EXTRA: Final = Struct("<2H")  # 4.5.1
_UNICODE_PATH: Final = 0x7075  # 4.6.9: the name once more, after a version and a checksum
_BEFORE_PATH: Final = 5
_END_MARK: Final = b"PK\5\6"
_LISTED_MARK: Final = b"PK\1\2"
_LOCAL_MARK: Final = b"PK\3\4"
_LONGEST_COMMENT: Final = 0xFFFF
_ON_AVERAGE: Final = 1 << 10  # bytes of the directory, at most, for each file and folder
_ENCRYPTED: Final = 0x1 | 0x40 | 0x2000  # bits of the flags, 4.4.4
_PATCH: Final = 0x20
_LATER: Final = 0x8  # sizes follow the data
_STORED: Final = 0
_DEFLATED: Final = 8
_IN_ZIP64: Final = 0xFFFFFFFF
_ZIP64: Final = "It is in the form zip64, which is for more than 4 GB."
_KINDS: Final = {
    stat.S_IFLNK: "a link",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
}


@dataclass(frozen=True, slots=True)
class _Listed:
    """A file or folder as the central directory lists it."""

    raw: bytes
    text: str
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    start: int
    mode: int

    @property
    def folder(self) -> bool:
        return self.text.endswith("/")


def zip_entries(file: BinaryIO, limits: Limits) -> Iterator[ArchiveEntry]:
    """Yield the entries of a `.zip` in the order of their data; raises BadPackage."""
    names, budget = Names(limits), Budget(limits)
    listed, directory = _directory(file, limits)
    plain = {}
    for one in listed:
        plain[one.raw] = names.add(one.text, folder=one.folder)
        _refuse_odd(one)
        budget.spend(one.text, one.size)
    end = 0
    for one in sorted(listed, key=lambda one: one.start):
        if one.start < end:
            raise BadPackage(one.text, "It overlaps with another entry.")
        begin = _data_start(file, one)
        end = begin + one.packed
        if end > directory:
            raise BadPackage(one.text, "It overlaps with the directory of the archive.")
        pieces = _pieces(file, one, begin)
        executable = bool(one.mode & stat.S_IXUSR) and not one.folder
        yield ArchiveEntry(plain[one.raw], one.folder, executable, one.size, pieces)
        for _ in pieces:
            pass


def _directory(file: BinaryIO, limits: Limits) -> tuple[list[_Listed], int]:
    """Read the central directory; return what it lists, and where it begins."""
    at, count, size, start = _end(file)
    if start + size != at:
        raise BadPackage("", "The directory of the archive is not where its end says.")
    if count > 2 * limits.files:
        raise BadPackage("", f"There are more than {limits.files:,} files.")
    if size > 2 * limits.files * _ON_AVERAGE:
        raise BadPackage("", "The directory of the archive is too large.")
    file.seek(start)
    data, position, listed = file.read(size), 0, []
    for _ in range(count):
        one, position = _listed(data, position)
        listed.append(one)
    if position != size:
        raise BadPackage("", "The directory of the archive lists more than its end says.")
    return listed, start


def _end(file: BinaryIO) -> tuple[int, int, int, int]:
    """Find the end record; return its place, and the directory's count, size and start."""
    size = file.seek(0, 2)
    tail_start = max(0, size - _END.size - _LONGEST_COMMENT)
    file.seek(tail_start)
    tail = file.read()
    at = len(tail)
    while (at := tail.rfind(_END_MARK, 0, at)) >= 0:
        if at + _END.size > len(tail):
            continue
        _, disk, first_disk, here, count, length, start, comment = _END.unpack_from(tail, at)
        if at + _END.size + comment != len(tail):
            continue
        if disk or first_disk or here != count:
            raise BadPackage("", "It is a part of an archive in several parts.")
        if count == 0xFFFF or _IN_ZIP64 in (length, start):
            raise BadPackage("", _ZIP64)
        return tail_start + at, count, length, start
    raise BadPackage("", "The archive is cut off, or there is more data after its end.")


def _listed(data: bytes, position: int) -> tuple[_Listed, int]:
    """Read an entry of the directory; return it, and the position after it."""
    if position + _LISTED.size > len(data) or not data.startswith(_LISTED_MARK, position):
        raise BadPackage("", "The directory of the archive is damaged.")
    _, _, _, flags, method, _, _, crc, packed, size, name, extra, comment, disk, _, outer, start = (
        _LISTED.unpack_from(data, position)
    )
    position += _LISTED.size
    raw = data[position : position + name]
    extras = data[position + name : position + name + extra]
    position += name + extra + comment
    if position > len(data):
        raise BadPackage("", "The directory of the archive is damaged.")
    text = decoded(raw)
    if _IN_ZIP64 in (packed, size, start) or disk:
        raise BadPackage(text, _ZIP64)
    _refuse_second_name(raw, text, extras)
    return _Listed(raw, text, flags, method, crc, packed, size, start, outer >> 16), position


def _refuse_second_name(raw: bytes, text: str, extras: bytes) -> None:
    """Raise BadPackage if an extra field holds another name, which some programs take."""
    at = 0
    while at + _EXTRA.size <= len(extras):
        kind, size = _EXTRA.unpack_from(extras, at)
        at += _EXTRA.size + size
        if kind == _UNICODE_PATH and extras[at - size + _BEFORE_PATH : at] != raw:
            raise BadPackage(text, "It has another name for some programs.")


def _refuse_odd(file: _Listed) -> None:
    """Raise BadPackage for all that is neither a plain file nor a folder."""
    kind = stat.S_IFMT(file.mode)
    if kind_name := _KINDS.get(kind):
        more = (
            ": pack what it points to, as `santiago bot pack` does" if kind_name == "a link" else ""
        )
        raise BadPackage(file.text, f"It is {kind_name}; only files and folders are allowed{more}.")
    if (kind == stat.S_IFDIR and not file.folder) or (kind == stat.S_IFREG and file.folder):
        raise BadPackage(file.text, "Its name and its mode differ on its being a folder.")
    if file.folder and file.size:
        raise BadPackage(file.text, "It is a folder, and yet has a size.")
    if file.flags & _ENCRYPTED:
        raise BadPackage(file.text, "It is encrypted.")
    if file.method not in (_STORED, _DEFLATED) or file.flags & _PATCH:
        raise BadPackage(file.text, "It is packed by another method than deflate.")


def _data_start(file: BinaryIO, listed: _Listed) -> int:
    """Return where the data begins; raises BadPackage unless both headers of the entry agree."""
    file.seek(listed.start)
    header = file.read(_LOCAL.size)
    if len(header) < _LOCAL.size or not header.startswith(_LOCAL_MARK):
        raise BadPackage(listed.text, "It is not where the directory of the archive says.")
    _, _, flags, method, _, _, crc, packed, size, name, extra = _LOCAL.unpack(header)
    if file.read(name) != listed.raw or method != listed.method:
        raise BadPackage(listed.text, "Its two headers differ.")
    if flags & _ENCRYPTED:
        raise BadPackage(listed.text, "It is encrypted.")
    pairs = {(crc, listed.crc), (packed, listed.packed), (size, listed.size)}
    if not flags & _LATER and any(a not in (b, _IN_ZIP64) for a, b in pairs):
        raise BadPackage(listed.text, "Its two headers differ.")
    _refuse_second_name(listed.raw, listed.text, file.read(extra))
    return listed.start + _LOCAL.size + int(name) + int(extra)


def _pieces(file: BinaryIO, listed: _Listed, begin: int) -> Iterator[bytes]:
    """Yield the bytes of a file; raises BadPackage unless size and checksum are as promised."""
    inflate = zlib.decompressobj(wbits=-15) if listed.method == _DEFLATED else None
    file.seek(begin)
    crc, out = 0, 0
    for packed in _packed(file, listed.packed):
        try:
            pieces = _inflated(inflate, packed) if inflate else (packed,)
            for piece in pieces:
                crc, out = zlib.crc32(piece, crc), out + len(piece)
                if out > listed.size:
                    raise BadPackage(listed.text, "It holds more than its header says.")
                yield piece
        except zlib.error:
            raise BadPackage(listed.text, "It is damaged.") from None
    complete = inflate is None or (inflate.eof and not inflate.unused_data)
    if not complete or out != listed.size or crc != listed.crc:
        raise BadPackage(listed.text, "It is damaged.")


def _packed(file: BinaryIO, left: int) -> Iterator[bytes]:
    while left and (piece := file.read(min(left, PIECE))):
        left -= len(piece)
        yield piece


def _inflated(inflate: "zlib._Decompress", packed: bytes) -> Iterator[bytes]:
    while True:
        piece = inflate.decompress(packed, PIECE)
        yield piece
        packed = inflate.unconsumed_tail
        if not packed and len(piece) < PIECE:  # else it may hold more, of what it has read
            return
