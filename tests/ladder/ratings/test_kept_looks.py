"""Looks at the ladders are taken again after each result."""

from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.model import Ledger
from ladder.ratings.kept_looks import Looks


def test_one_look_for_each_result(session: Session) -> None:
    looks, taken = Looks[int](), list[int]()

    def look(last: int) -> int:
        taken.append(last)
        return last

    assert [looks.at(session, None, look) for _ in range(2)] == [0, 0]
    session.execute(update(Ledger).values(last_result=7))
    assert looks.at(session, None, look) == 7
    assert taken == [0, 7]


def test_the_oldest_look_is_forgotten(session: Session) -> None:
    looks, taken = Looks[int](most=2), list[str]()

    def look_at(key: str) -> int:
        def look(last: int) -> int:
            taken.append(key)
            return last

        return looks.at(session, key, look)

    for key in ("a", "b", "c", "b", "a"):
        look_at(key)
    assert taken == ["a", "b", "c", "a"]
