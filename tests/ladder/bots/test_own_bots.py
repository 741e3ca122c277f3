"""An author with more bots than go on a page."""

from pathlib import Path

from sqlalchemy.orm import Session

from ladder.bots import own
from ladder.model import Bot, now
from tests.ladder.bots.authors import author
from tests.ladder.cli.client.sites import running
from tests.ladder.databases import session_on
from web.api.operations import PAGE


def many(session: Session, user_id: int) -> None:
    """One bot more than go on a page; committed."""
    session.add_all(
        Bot(name=f"rum-{number}", user_id=user_id, created_at=now(session))
        for number in range(PAGE + 1)
    )
    session.commit()


def test_they_are_read_from_the_newest_on(session: Session) -> None:
    ana, luz = author(session), author(session, "luz")
    many(session, ana.id)
    newest = own.newest_bots(session, ana, limit=PAGE)
    (oldest,) = own.newest_bots(session, ana, before=newest[-1].id, limit=PAGE)
    assert [bot.name for bot in (*newest, oldest)] == [f"rum-{n}" for n in range(PAGE, -1, -1)]
    assert own.newest_bots(session, luz, limit=PAGE) == ()


def test_the_command_shows_them_all(tmp_path: Path) -> None:
    with running(tmp_path) as site:
        with session_on(site.database_url) as session:
            many(session, site.arena.ana.id)
        told = site.says("bot", "status", token=site.author).splitlines()
    assert len(told) == PAGE + 2, "zorro as well"
    assert "rum-50 is not on the ladder yet" in told[0]
