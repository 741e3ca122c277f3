"""Looks at the ladders that are taken once for each result: more often they show nothing new."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from time import monotonic
from typing import Any, Final, Generic, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy.orm import Session

from ladder.ratings.ledger import newest

_LONGEST: Final = 10.0  # seconds: a rebuild mends what is looked at without a new result
_T = TypeVar("_T")


class Looks(Generic[_T]):
    """Looks of one kind at each database, so many of the newest, under keys."""

    def __init__(self, most: int = 1) -> None:
        self._most = most
        self._lock = Lock()
        self._under_way: set[tuple[int, Hashable]] = set()
        self._taken = WeakKeyDictionary[Any, OrderedDict[Hashable, tuple[int, float, _T]]]()

    def at(self, session: Session, key: Hashable, look: Callable[[int], _T]) -> _T:
        """As things stand after the newest result; `look` gets its number."""
        last = newest(session)  # before the look, which may be newer
        engine = session.get_bind()
        mine = (id(engine), key)
        with self._lock:
            taken = self._taken.setdefault(engine, OrderedDict())
            known = taken.get(key)
            young = known is not None and monotonic() < known[1]
            # Where another thread is looking at this moment, the look before it will do.
            if known is not None and young and (known[0] == last or mine in self._under_way):
                return known[2]
            self._under_way.add(mine)
        try:
            found = look(last)
        finally:
            with self._lock:
                self._under_way.discard(mine)
        with self._lock:
            taken[key] = (last, monotonic() + _LONGEST, found)
            taken.move_to_end(key)
            while len(taken) > self._most:
                taken.popitem(last=False)
        return found
