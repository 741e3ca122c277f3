"""Cached values are computed again after each result."""

from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.model import Ledger
from ladder.ratings.standings import CachedByResult


def test_a_value_is_computed_once_for_each_result(session: Session) -> None:
    cache, computed = CachedByResult[int](), list[int]()

    def compute(last: int) -> int:
        computed.append(last)
        return last

    assert [cache.get(session, None, compute) for _ in range(2)] == [0, 0]
    session.execute(update(Ledger).values(last_result=7))
    assert cache.get(session, None, compute) == 7
    assert computed == [0, 7]


def test_the_oldest_value_is_dropped(session: Session) -> None:
    cache, computed = CachedByResult[int](most=2), list[str]()

    def read(key: str) -> int:
        def compute(last: int) -> int:
            computed.append(key)
            return last

        return cache.get(session, key, compute)

    for key in ("a", "b", "c", "b", "a"):
        read(key)
    assert computed == ["a", "b", "c", "a"]
