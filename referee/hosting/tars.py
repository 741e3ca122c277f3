"""Reads `.tar.gz`: files and folders by the headers of ustar, with pax's and GNU's long names.

The formats: POSIX.1-2017, pax, "ustar Interchange Format"; the manual of GNU tar, "Basic Tar
Format"; RFC 1952 for gzip.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from referee.hosting.archives import PIECE, ArchiveEntry, BadPackage, Budget, Limits, Names, decoded

_BLOCK: Final = 512
_LONGEST_HEADER: Final = 1 << 14  # bytes of a pax header, or a long name
_HEADERS: Final = 4 * _BLOCK  # bytes of headers and padding, at most, that each entry is allowed
_SLACK: Final = 1 << 20  # bytes of zeros at the end
_FILES: Final = (b"0", b"\0")
_KINDS: Final = {
    b"1": "a hard link",
    b"2": "a link",
    b"3": "a device",
    b"4": "a device",
    b"6": "a named pipe",
    b"7": "a contiguous file",
    b"D": "a list of a folder",
    b"M": "a part of a file",
    b"S": "a sparse file",
    b"V": "a volume's name",
}
_HARMLESS: Final = frozenset(
    ("atime", "ctime", "mtime", "uid", "gid", "uname", "gname", "comment", "charset", "hdrcharset")
)
_PREFIXES: Final = ("SCHILY.", "LIBARCHIVE.", "SUN.", "APPLE.", "RHT.", "MSWINDOWS.")
"""Attributes that pax headers may hold beside those, which nobody here reads."""


def tar_entries(file: BinaryIO, limits: Limits) -> Iterator[ArchiveEntry]:
    """Yield the entries of a `.tar.gz`; raises BadPackage."""
    names, budget = Names(limits), Budget(limits)
    most = limits.unpacked + 2 * limits.files * (_HEADERS + _LONGEST_HEADER) + _SLACK
    stream = _Unzipped(file, most)
    while (header := _next(stream)) is not None:
        name = names.add(header.name, folder=header.folder)
        budget.spend(name, header.size)
        body = _body(stream, header.size)
        yield ArchiveEntry(name, header.folder, header.executable, header.size, body)
        for _ in body:
            pass
    stream.end()


@dataclass(slots=True)
class _Header:
    name: str
    folder: bool
    executable: bool
    size: int


class _Unzipped:
    """The bytes that gzip packed, read once from start to end."""

    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file = file
        self._inflate = zlib.decompressobj(wbits=31)
        self._ready = b""
        self._left = most

    def read(self, count: int) -> bytes:
        """Return `count` bytes, at most `PIECE`; raises BadPackage if there are fewer."""
        data = bytearray(self._ready[:count])
        self._ready = self._ready[count:]
        while len(data) < count:
            piece = self._piece()
            if not piece:
                raise BadPackage("", "The archive ends in the middle of an entry.")
            missing = count - len(data)
            data += piece[:missing]
            self._ready = piece[missing:]
        return bytes(data)

    def end(self) -> None:
        """Raise BadPackage unless nothing but zeros follows."""
        if any(piece.strip(b"\0") for piece in self._rest()):
            raise BadPackage("", "There is more data after the archive's end.")
        if not self._inflate.eof:
            raise BadPackage("", "The archive is cut off.")

    def _rest(self) -> Iterator[bytes]:
        """Yield what follows, unzipped, and then what follows on that, as it is."""
        yield self._ready
        yield from iter(self._piece, b"")
        yield self._inflate.unused_data
        yield from iter(lambda: self._file.read(PIECE), b"")

    def _piece(self) -> bytes:
        """Return some more bytes; none at the end."""
        piece = b""
        try:
            while not piece and not self._inflate.eof:
                packed = self._inflate.unconsumed_tail or self._file.read(PIECE)
                if not packed:
                    break
                piece = self._inflate.decompress(packed, PIECE)
        except zlib.error:
            raise BadPackage("", "The archive is damaged: gzip can't read it.") from None
        self._left -= len(piece)
        if self._left < 0:
            raise BadPackage("", "The archive holds more than its files: it is a bomb.")
        return piece


def _next(stream: _Unzipped) -> _Header | None:
    """Read the header of the next file or folder; None at the end of the archive."""
    long: dict[str, bytes] = {}
    while True:
        block = stream.read(_BLOCK)
        if not block.strip(b"\0"):
            if long:
                raise BadPackage("", "The archive ends after the header of a name.")
            return None
        name = _ustar_name(block)
        kind, size = block[156:157], _number(name, block[124:136])
        _check_sum(name, block)
        if kind in b"xgLK":
            # Its own name is nobody's, and may be cut in the middle of a character.
            _read_long(stream, kind, name.decode(errors="replace"), size, long)
            continue
        return _header(block, kind, size, long, name)


def _header(block: bytes, kind: bytes, size: int, long: dict[str, bytes], short: bytes) -> _Header:
    name = decoded(long.get("path", short))
    if "size" in long:
        size = _decimal(name, long["size"])
    if kind in _FILES and not name.endswith("/"):
        return _Header(name, False, bool(_number(short, block[100:108]) & 0o100), size)
    if kind == b"5" or kind in _FILES:
        if size:
            raise BadPackage(name, "It is a folder, and yet has a size.")
        return _Header(name, True, False, 0)
    kind_name = _KINDS.get(kind, "of a kind that is not known")
    more = ": pack what it points to, as `santiago bot pack` does" if kind in b"12" else ""
    raise BadPackage(name, f"It is {kind_name}; only files and folders are allowed{more}.")


def _read_long(
    stream: _Unzipped, kind: bytes, name: str, size: int, long: dict[str, bytes]
) -> None:
    """Read what the next header has no room for into `long`."""
    if size > _LONGEST_HEADER:
        raise BadPackage(name, f"A header of its has {size:,} bytes.")
    data = b"".join(_body(stream, size))
    if kind == b"K":
        raise BadPackage(name, "It announces a link; only files and folders are allowed.")
    if kind == b"L":
        fields = {"path": data.rstrip(b"\0")}
    else:
        fields = _pax(name, data)
        if kind == b"g":
            if fields:
                raise BadPackage(name, "A header for all files changes their names or sizes.")
            return
    if long.keys() & fields.keys():
        raise BadPackage(name, "Two headers give it a name or a size.")
    long |= fields


def _pax(name: str, data: bytes) -> dict[str, bytes]:
    """Return the name and the size that a pax header gives; raises BadPackage for odd records."""
    fields: dict[str, bytes] = {}
    while data:
        length, space, _ = data.partition(b" ")
        end = _decimal(name, length) if space else 0
        record = data[len(length) + 1 : end]
        key, equals, value = record[:-1].partition(b"=")
        if not equals or record[-1:] != b"\n" or end > len(data):
            raise BadPackage(name, "Its pax header is damaged.")
        _note(name, decoded(key), value, fields)
        data = data[end:]
    return fields


def _note(name: str, key: str, value: bytes, fields: dict[str, bytes]) -> None:
    if key in ("path", "size"):
        if key in fields:
            raise BadPackage(name, f"Its pax header gives {key} twice.")
        fields[key] = value
    elif key not in _HARMLESS and not key.startswith(_PREFIXES):
        raise BadPackage(name, f"Its pax header has {key!r}, which is not allowed.")


def _body(stream: _Unzipped, size: int) -> Iterator[bytes]:
    """Yield the bytes of an entry, and read its padding."""
    left = size
    while left:
        piece = stream.read(min(left, PIECE))
        left -= len(piece)
        yield piece
    if padding := -size % _BLOCK:
        stream.read(padding)


def _ustar_name(block: bytes) -> bytes:
    name = block[:100].partition(b"\0")[0]
    prefix = block[345:500].partition(b"\0")[0] if block[257:263] == b"ustar\0" else b""
    return prefix + b"/" + name if prefix else name


def _number(name: bytes, digits: bytes) -> int:
    """Read an octal number; raises BadPackage, also for GNU's binary ones, which are for 8 GB."""
    text = digits.strip(b" \0")
    if text.strip(b"01234567"):
        raise BadPackage(name.decode(errors="replace"), "Its header is damaged.")
    return int(text or b"0", 8)


def _decimal(name: str, digits: bytes) -> int:
    if not digits.isdigit() or len(digits) > 15:
        raise BadPackage(name, "Its pax header is damaged.")
    return int(digits)


def _check_sum(name: bytes, block: bytes) -> None:
    if _number(name, block[148:156]) != sum(block[:148]) + 8 * 32 + sum(block[156:]):
        raise BadPackage(name.decode(errors="replace"), "Its header is damaged.")
