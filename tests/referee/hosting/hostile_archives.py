"""Archives as a hostile author would make them: what is named, and why they are refused."""

import gzip
import io
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable
from functools import partial

MANIFEST = b'name = "a"\nversion = "1"\nruntime = "python"\nentry = "bot:Bot"\n'
MAX = 0xFFFFFFFF

Made = Callable[[], bytes]


def zipped(*names: str | zipfile.ZipInfo, data: bytes = b"x", method: int = 8) -> bytes:
    """A zip with a manifest before these entries."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        archive.writestr("santiago.toml", MANIFEST)
        for name in names:
            folder = (name if isinstance(name, str) else name.filename).endswith("/")
            archive.writestr(name, b"" if folder else data)
    return made.getvalue()


def special(name: str, mode: int, system: int = 3) -> zipfile.ZipInfo:
    """An entry of a zip whose mode says that it is no plain file."""
    entry = zipfile.ZipInfo(name)
    entry.create_system = system
    entry.external_attr = mode << 16
    return entry


def second_name(name: str, second: str) -> zipfile.ZipInfo:
    """An entry of a zip that has another name in Info-ZIP's extra field."""
    entry = zipfile.ZipInfo(name)
    path = struct.pack("<BI", 1, zlib.crc32(name.encode())) + second.encode()
    entry.extra = struct.pack("<4H", 0xCAFE, 0, 0x7075, len(path)) + path
    return entry


def second_name_beside_the_data(name: str, second: str) -> bytes:
    """A zip whose directory has one name, and the header before the file's data another, too."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        entry = second_name(name, second)
        archive.writestr(entry, b"")
        entry.extra = b""
    return made.getvalue()


def raw_name(name: bytes, *before: str) -> bytes:
    """A zip with a name that `zipfile` would not write."""
    return zipped(*before, "n" * len(name)).replace(b"n" * len(name), name)


def twice_the_same() -> bytes:
    """A zip whose second name was changed into the first."""
    return zipped("one.py", "two.py").replace(b"two.py", b"one.py")


def changed(archive: bytes, mark: bytes, offset: int, value: bytes, which: int = -1) -> bytes:
    """The archive with bytes after its first or last `mark` replaced."""
    at = (archive.find(mark) if which == 0 else archive.rfind(mark)) + offset
    return archive[:at] + value + archive[at + len(value) :]


LISTED, LOCAL, END = b"PK\1\2", b"PK\3\4", b"PK\5\6"


def in_both(archive: bytes, listed: int, local: int, value: bytes) -> bytes:
    """The same change in both headers of the last entry."""
    return changed(changed(archive, LISTED, listed, value), LOCAL, local, value)


def tarred(
    *members: tarfile.TarInfo | str, data: bytes = b"x", form: int = tarfile.PAX_FORMAT
) -> bytes:
    """A .tar.gz with a manifest before these entries."""
    return gzip.compress(plain_tar(*members, data=data, form=form), mtime=0)


def plain_tar(
    *members: tarfile.TarInfo | str, data: bytes = b"x", form: int = tarfile.PAX_FORMAT
) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=form) as archive:
        first = tarfile.TarInfo("santiago.toml")
        first.size = len(MANIFEST)
        archive.addfile(first, io.BytesIO(MANIFEST))
        for one in members:
            member = tarfile.TarInfo(one) if isinstance(one, str) else one
            if member.isreg() and not member.size:
                member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return made.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, **values: object) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type = kind
    for key, value in values.items():
        setattr(made, key, value)
    return made


def header(name: bytes, kind: bytes, data: bytes, size: int | None = None) -> bytes:
    """A block of ustar and its data, as no library would write them."""
    block = bytearray(512)
    block[: len(name)] = name
    block[100:108] = b"0000644\0"
    block[124:136] = b"%011o\0" % (len(data) if size is None else size)
    block[156:157] = kind
    block[257:265] = b"ustar\x0000"
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block) + data + bytes(-len(data) % 512)


def blocks(*parts: bytes) -> bytes:
    """A .tar.gz of these blocks after a manifest."""
    whole = header(b"santiago.toml", b"0", MANIFEST) + b"".join(parts) + bytes(1024)
    return gzip.compress(whole, mtime=0)


def pax(*records: tuple[str, str]) -> bytes:
    """A pax header for the next entry."""
    return header(b"pax", b"x", record(*records))


def record(*records: tuple[str, str]) -> bytes:
    made = b""
    for key, value in records:
        rest = f" {key}={value}\n".encode()
        length = len(rest) + 1
        while len(str(length)) + len(rest) != length:
            length += 1
        made += str(length).encode() + rest
    return made


FILE = header(b"bot.py", b"0", b"x")
FOLDER = member("lib/", tarfile.DIRTYPE)


def names(*each: str) -> Iterable[tuple[str, Made, str, str]]:
    """The same names in both formats: (id, archive, entry, sentence)."""
    *before, name, why = each
    shown = name.removesuffix("/")
    yield f"zip {name[:30]!r}", partial(zipped, *before, name), shown, why
    yield f"tar {name[:30]!r}", partial(tarred, *before, name), shown, why


DEEP = "/".join(["d"] * 33)
LONG = "longer than 1000 bytes, or a part than 255."
CASES: list[tuple[str, Made, str, str]] = [
    case
    for group in (
        names("../evil", "leads out"),
        names("a/../../evil", "leads out"),
        names("a/..", "leads out"),
        names("/etc/passwd", "absolute"),
        names("//evil", "absolute"),
        names("C:/evil.dll", "absolute"),
        names("c:evil", "absolute"),
        names("a\\..\\evil", "backslash"),
        names("a//b", "empty part"),
        names("a/./b", "empty part"),
        names("a/ b", "space"),
        names("b ", "space"),
        names("new\nline", "can't be printed"),
        names("\x1b[31mred", "can't be printed"),
        names("bot\u202eyp.exe", "can't be printed"),
        names("n" * 256, LONG),
        names("/".join(["n" * 200] * 4 + ["n" * 197]), LONG),
        names(DEEP, "32 folders deep"),
        names("Bot.py", "bot.py", "clashes with Bot.py"),
        names("lib/a", "Lib/b", "The folders Lib and lib clash"),
        names("stra\u00dfe", "STRASSE", "clashes with stra\u00dfe"),
        names("caf\u00e9", "cafe\u0301", "clashes with caf\u00e9"),
        names("\ufb01sh", "fish", "clashes with"),
        names("bot.py", "bot.py..", "clashes with bot.py"),
        names("a", "a/b", "in a, which is a file"),
        names("a/b", "a", "twice"),
        names("a/b", "A", "clashes with a"),
    )
    for case in group
] + [
    ("zip NUL", partial(raw_name, b"bot.py\0.txt"), r"bot.py\x00.txt", "can't be printed"),
    ("zip not UTF-8", partial(raw_name, b"caf\xe9.py"), r"caf\xe9.py", "not UTF-8"),
    ("zip two names", lambda: zipped(second_name("a", "../a")), "a", "another name for some"),
    (
        "zip two names in the second header",
        partial(second_name_beside_the_data, "a", "../a"),
        "a",
        "another name for some",
    ),
    ("zip twice", twice_the_same, "one.py", "twice"),
    ("zip folder twice", partial(raw_name, b"lib/", "lib/"), "lib", "twice"),
    ("tar folder twice", lambda: tarred(FOLDER, FOLDER), "lib", "twice"),
    (
        "zip folder with size",
        lambda: in_both(zipped("f/"), 24, 22, struct.pack("<I", 1)),
        "f",
        "yet has a size",
    ),
    (
        "zip large manifest",
        lambda: zipped("bot/santiago.toml", data=b"#" * 16_385),
        "bot/santiago.toml",
        "more than 16,384 bytes",
    ),
    ("zip link", lambda: zipped(special("l", stat.S_IFLNK | 0o777)), "l", "is a link"),
    ("zip link of DOS", lambda: zipped(special("l", stat.S_IFLNK, 0)), "l", "is a link"),
    ("zip device", lambda: zipped(special("d", stat.S_IFBLK | 0o600)), "d", "is a device"),
    ("zip pipe", lambda: zipped(special("p", stat.S_IFIFO | 0o600)), "p", "named pipe"),
    ("zip socket", lambda: zipped(special("s", stat.S_IFSOCK | 0o600)), "s", "is a socket"),
    ("zip folder by mode", lambda: zipped(special("f", stat.S_IFDIR)), "f", "differ"),
    ("zip encrypted", lambda: in_both(zipped("e"), 8, 6, struct.pack("<H", 1)), "e", "encrypted"),
    (
        "zip secretly encrypted",
        lambda: changed(zipped("e"), LOCAL, 6, struct.pack("<H", 1)),
        "e",
        "encrypted",
    ),
    ("zip bzip2", lambda: zipped("b", method=zipfile.ZIP_BZIP2), "santiago.toml", "another method"),
    ("zip two names", lambda: changed(zipped("nn"), LOCAL, 30, b"mm"), "nn", "headers differ"),
    (
        "zip two sizes",
        lambda: changed(zipped("s"), LOCAL, 22, struct.pack("<I", 77)),
        "s",
        "headers differ",
    ),
    (
        "zip smaller than it says",
        lambda: in_both(zipped("s"), 24, 22, struct.pack("<I", 77)),
        "s",
        "damaged",
    ),
    (
        "zip larger than it says",
        lambda: in_both(zipped("s", data=bytes(1 << 20)), 24, 22, struct.pack("<I", 7)),
        "s",
        "more than its header says",
    ),
    ("zip of another checksum", lambda: in_both(zipped("s"), 16, 14, b"\0\0\0\0"), "s", "damaged"),
    ("zip64 size", lambda: changed(zipped("z"), LISTED, 24, struct.pack("<I", MAX)), "z", "zip64"),
    ("zip64 place", lambda: changed(zipped("z"), LISTED, 42, struct.pack("<I", MAX)), "z", "zip64"),
    ("zip64 count", lambda: changed(zipped("z"), END, 8, b"\xff" * 4), "", "zip64"),
    (
        "zip over another",
        lambda: changed(zipped("a"), LISTED, 42, struct.pack("<I", 5)),
        "a",
        "overlaps with another",
    ),
    (
        "zip elsewhere",
        lambda: changed(made := zipped("a"), LISTED, 42, struct.pack("<I", made.find(LISTED))),
        "a",
        "not where the directory",
    ),
    (
        "zip over its directory",
        lambda: in_both(zipped("a", data=b"1" * 9, method=0), 20, 18, struct.pack("<I", 99)),
        "a",
        "the directory of the archive",
    ),
    (
        "zip more than its end says",
        lambda: changed(zipped("a"), END, 8, struct.pack("<HH", 1, 1)),
        "",
        "lists more",
    ),
    (
        "zip less than its end says",
        lambda: changed(zipped("a"), END, 8, struct.pack("<HH", 9, 9)),
        "",
        "directory of the archive is damaged",
    ),
    ("zip of many parts", lambda: changed(zipped("a"), END, 4, b"\1\0"), "", "several parts"),
    ("zip with data after", lambda: zipped("a") + b"evil", "", "data after its end"),
    ("zip with data before", lambda: LOCAL + zipped("a"), "", "not where its end says"),
    ("zip cut off", lambda: zipped("a")[:-30], "", "cut off"),
    ("zip cut off in its end", lambda: zipped("a")[:-10], "", "cut off"),
    ("tar link", lambda: tarred(member("l", tarfile.SYMTYPE, linkname="bot.py")), "l", "is a link"),
    (
        "tar link out",
        lambda: tarred(member("l", tarfile.SYMTYPE, linkname="../../etc"), "l/passwd"),
        "l",
        "is a link",
    ),
    (
        "tar hard link",
        lambda: tarred(member("h", tarfile.LNKTYPE, linkname="santiago.toml")),
        "h",
        "hard link",
    ),
    ("tar device", lambda: tarred(member("d", tarfile.CHRTYPE, devmajor=1)), "d", "a device"),
    ("tar disk", lambda: tarred(member("d", tarfile.BLKTYPE, devmajor=8)), "d", "a device"),
    ("tar pipe", lambda: tarred(member("p", tarfile.FIFOTYPE)), "p", "named pipe"),
    ("tar sparse of GNU", lambda: blocks(header(b"s", b"S", b"")), "s", "sparse"),
    ("tar list of GNU", lambda: blocks(header(b"d", b"D", b"Nx\0")), "d", "list of a folder"),
    ("tar volume", lambda: blocks(header(b"v", b"V", b"")), "v", "volume"),
    ("tar unknown", lambda: blocks(header(b"u", b"Z", b"")), "u", "not known"),
    (
        "tar sparse of pax",
        lambda: blocks(pax(("GNU.sparse.major", "1")), FILE),
        "pax",
        "GNU.sparse.major",
    ),
    (
        "tar pax name out",
        lambda: blocks(pax(("path", "../../evil")), FILE),
        "../../evil",
        "leads out",
    ),
    ("tar pax NUL", lambda: blocks(pax(("path", "a\0b")), FILE), r"a\x00b", "can't be printed"),
    (
        "tar pax two names",
        lambda: blocks(pax(("path", "a"), ("path", "../b")), FILE),
        "pax",
        "path twice",
    ),
    (
        "tar two pax headers",
        lambda: blocks(pax(("path", "a")), pax(("path", "b")), FILE),
        "pax",
        "Two headers",
    ),
    ("tar pax link", lambda: blocks(pax(("linkpath", "/etc/passwd")), FILE), "pax", "linkpath"),
    (
        "tar global name",
        lambda: blocks(header(b"g", b"g", record(("path", "/evil"))), FILE),
        "g",
        "all files",
    ),
    ("tar pax size", lambda: blocks(pax(("size", "-5")), FILE), "bot.py", "pax header is damaged"),
    (
        "tar pax size beyond",
        lambda: blocks(pax(("size", "9" * 14)), FILE),
        "bot.py",
        "more than 157,286,400",
    ),
    ("tar odd pax", lambda: blocks(header(b"pax", b"x", b"99 a=b\n"), FILE), "pax", "damaged"),
    ("tar endless pax", lambda: blocks(header(b"pax", b"x", b"0 =\n"), FILE), "pax", "damaged"),
    (
        "tar large pax",
        lambda: blocks(header(b"pax", b"x", record(("comment", "c" * 99_999))), FILE),
        "pax",
        "A header of its",
    ),
    (
        "tar GNU name out",
        lambda: blocks(header(b"././@LongLink", b"L", b"../evil\0"), FILE),
        "../evil",
        "leads out",
    ),
    (
        "tar GNU link",
        lambda: blocks(header(b"././@LongLink", b"K", b"/etc\0"), FILE),
        "././@LongLink",
        "announces a link",
    ),
    ("tar name for nothing", lambda: blocks(pax(("path", "a"))), "", "after the header"),
    ("tar folder with size", lambda: blocks(header(b"f", b"5", b"x")), "f", "yet has a size"),
    (
        "tar of GNU's binary size",
        lambda: blocks(
            header(b"b", b"0", b"").replace(b"00000000000\0", b"\x80" + bytes(10) + b"\1")
        ),
        "b",
        "header is damaged",
    ),
    (
        "tar of another checksum",
        lambda: blocks(FILE.replace(b"bot.py", b"bad.py", 1)),
        "bad.py",
        "header is damaged",
    ),
    ("tar without an end", lambda: gzip.compress(plain_tar("a")[:2048]), "", "middle"),
    ("tar cut off", lambda: tarred("a", data=bytes(range(256)) * 99)[:-20], "", "middle"),
    ("gzip cut off", lambda: tarred("a")[:-4], "", "cut off"),
    ("tar with data after", lambda: gzip.compress(plain_tar("a") + b"evil"), "", "more data"),
    ("gzip with data after", lambda: tarred("a") + b"evil", "", "more data"),
    ("gzip with data after zeros", lambda: tarred("a") + bytes(1 << 17) + b"evil", "", "more data"),
    ("two gzips", lambda: tarred("a") + tarred("../b"), "", "more data"),
    ("gzip damaged", lambda: changed(tarred("a"), b"\x1f\x8b", 12, b"\xff" * 20), "", "damaged"),
    ("gzip without tar", lambda: gzip.compress(b"hello"), "", "middle"),
    ("no archive", lambda: b"#!/bin/sh\nrm -rf /\n", "", "neither a .zip nor"),
    ("nothing", lambda: b"", "", "neither a .zip nor"),
    ("empty zip", lambda: END + bytes(18), "", "neither a .zip nor"),
]
"""Each: what it is, how it is made, the entry that is named, and words of the sentence."""
