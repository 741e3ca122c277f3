"""Bots and versions as everybody may see them."""

import pytest
from sqlalchemy.orm import Session

from ladder.bots import profiles
from ladder.errors import NotFound
from tests.ladder.bots.authors import active, author, submitted


def test_bots_that_play_are_listed_newest_first(session: Session) -> None:
    ana = author(session)
    first, second = active(session, ana, "zorro"), active(session, ana, "rum")
    submitted(session, ana, "hidden")
    assert [row.id for row in profiles.newest(session)] == [second.bot_id, first.bot_id]
    assert [row.name for row in profiles.newest(session, before=second.bot_id)] == ["zorro"]
    assert [row.name for row in profiles.newest(session, limit=1)] == ["rum"]


def test_versions_that_are_being_checked_are_nobodys_business(session: Session) -> None:
    ana = author(session)
    bot = active(session, ana).bot_id
    active(session, ana, version="2")
    submitted(session, ana, version="3")
    assert [(row.name, row.state) for row in profiles.versions(session, bot)] == [
        ("2", "active"),
        ("1", "superseded"),
    ]
    with pytest.raises(NotFound):
        profiles.versions(session, 99)
