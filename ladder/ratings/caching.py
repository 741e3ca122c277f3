"""Cache values that only change with the newest result."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from time import monotonic
from typing import Any, Final, Generic, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy.orm import Session

from ladder.ratings.ledger import newest

_LONGEST: Final = 10.0  # seconds: a rebuild changes ratings without a new result
_T = TypeVar("_T")


class CachedByResult(Generic[_T]):
    """Values by database and key; the `most` newest of each database are kept."""

    def __init__(self, most: int = 1) -> None:
        self._most = most
        self._lock = Lock()
        self._computing: set[tuple[int, Hashable]] = set()
        self._cached = WeakKeyDictionary[Any, OrderedDict[Hashable, tuple[int, float, _T]]]()

    def get(self, session: Session, key: Hashable, compute: Callable[[int], _T]) -> _T:
        """Return the value after the newest result; `compute` gets that result's number.

        While another thread computes a value, the one before it is returned.
        """
        last = newest(session)  # read first: the value may already include a newer result
        engine = session.get_bind()
        mine = (id(engine), key)
        with self._lock:
            cached = self._cached.setdefault(engine, OrderedDict())
            known = cached.get(key)
            fresh = known is not None and monotonic() < known[1]
            if known is not None and fresh and (known[0] == last or mine in self._computing):
                return known[2]
            self._computing.add(mine)
        try:
            value = compute(last)
        finally:
            with self._lock:
                self._computing.discard(mine)
        with self._lock:
            cached[key] = (last, monotonic() + _LONGEST, value)
            cached.move_to_end(key)
            while len(cached) > self._most:
                cached.popitem(last=False)
        return value
