"""Fields of learned numbers, and the files of the package that hold them.

A field is a block of a flat table, in which numbers are told apart by other numbers. A file holds
16 bits for each number of a table, compressed.
"""

import zlib
from collections.abc import Mapping
from importlib.resources import files
from math import prod

Fields = Mapping[str, tuple[int, ...]]
"""The shape of each field, in the order of their blocks."""


def start(fields: Fields, name: str) -> int:
    """Return the place of a field's first number in the table."""
    names = list(fields)
    return sum(prod(fields[earlier]) for earlier in names[: names.index(name)])


def size(fields: Fields) -> int:
    """Return how many numbers the table has."""
    return sum(prod(shape) for shape in fields.values())


def pack(numbers: list[int]) -> bytes:
    """Return what a file holds."""
    return zlib.compress(b"".join(one.to_bytes(2, "little", signed=True) for one in numbers), 9)


def unpack(data: bytes, count: int, scale: float) -> list[float]:
    """Return the numbers of a file, in which `scale` stands for 1.

    Raises ValueError if there are not `count`, since they were learned for other fields.
    """
    numbers = zlib.decompress(data)
    if len(numbers) != 2 * count:
        raise ValueError("These numbers belong to other fields: train them again.")
    pairs = [numbers[begin : begin + 2] for begin in range(0, len(numbers), 2)]
    return [float(int.from_bytes(pair, "little", signed=True)) / scale for pair in pairs]


def own(name: str) -> bytes:
    """Return what a file of the package holds."""
    return files("referee.engine").joinpath(name).read_bytes()
