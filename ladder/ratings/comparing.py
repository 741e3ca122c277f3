"""Where what is stored differs from what the fold gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ladder.ratings.stored import Numbers, Table


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that is stored otherwise than it should be. None: there is none, or should be none.

    `key`, `stored` and `refolded` are by column; kinds of entries are numbers (`stored.KINDS`).
    """

    table: str
    key: dict[str, int]
    stored: dict[str, int] | None
    refolded: dict[str, int] | None


def differences(table: Table, stored: Numbers, refolded: Numbers) -> list[Difference]:
    """Every row that is not the same on both sides, by key."""
    stored, refolded = _sorted(table, stored), _sorted(table, refolded)
    if np.array_equal(stored, refolded):
        return []
    before, after = _unlike(table, stored, refolded), _unlike(table, refolded, stored)
    return [
        Difference(
            table.name,
            dict(zip(table.keys, key, strict=True)),
            _by_column(table, before.get(key)),
            _by_column(table, after.get(key)),
        )
        for key in sorted(before.keys() | after.keys())
    ]


def _sorted(table: Table, rows: Numbers) -> Numbers:
    """By key, so that the same rows stand in the same order."""
    return rows[np.lexsort([rows[:, column] for column in reversed(range(len(table.keys)))])]


def _unlike(table: Table, rows: Numbers, others: Numbers) -> dict[tuple[int, ...], list[int]]:
    """The rows that the others do not have, by key."""
    width = len(table.keys)
    unlike = rows[~np.isin(_whole(rows), _whole(others))]
    return {tuple(row[:width]): row[width:] for row in unlike.tolist()}


def _whole(rows: Numbers) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """Each row as one value that can be compared."""
    rows = np.ascontiguousarray(rows)
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()


def _by_column(table: Table, values: list[int] | None) -> dict[str, int] | None:
    return None if values is None else dict(zip(table.values, values, strict=True))
