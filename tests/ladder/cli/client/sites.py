"""A ladder's site as a process of its own, with people who have tokens."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy.orm import Session

from ladder.cli.client import SiteClient
from ladder.cli.commands import santiago
from ladder.people import tickets
from ladder.people.accounts import Account
from tests.e2e.sites import site
from tests.ladder.databases import new_ladder, session_on
from tests.web.accounts.visitors import make
from tests.web.api.programs import KEY, Arena, arena_of

GATEWAY = "gateway.example:50052"
UNSET = ("DATABASE_URL", "REDIS_URL", "SANTIAGO_DATA", "SANTIAGO_SITE", "SANTIAGO_API_TOKEN")


@dataclass(frozen=True)
class Running:
    """A site that answers at `url`; ana's token as `author`, those of `organiser` and `admin`."""

    url: str
    database_url: str
    arena: Arena
    author: str
    organiser: str
    admin: str

    def site(self, token: str | None = None) -> SiteClient:
        return SiteClient(self.url, token, {})

    def run(self, *arguments: str, token: str | None = None, **environ: str) -> Result:
        """`santiago` with the site in its environment."""
        given: dict[str, str | None] = dict.fromkeys(UNSET)
        given |= {"SANTIAGO_SITE": self.url, "SANTIAGO_API_TOKEN": token} | environ
        return CliRunner(env=given).invoke(santiago, arguments, prog_name="santiago")

    def says(self, *arguments: str, token: str | None = None, **environ: str) -> str:
        """What `santiago` prints; it must succeed."""
        result = self.run(*arguments, token=token, **environ)
        assert result.exit_code == 0, result.output
        return result.stdout


@contextmanager
def running(folder: Path) -> Iterator[Running]:
    """A site with an arena, until the end."""
    url = new_ladder(folder / "ladder.db")
    with pytest.MonkeyPatch.context() as patch, session_on(url) as session:
        patch.setenv("SANTIAGO_SECRET_KEY", KEY)
        arena = arena_of(session)
        author = _token(session, arena.ana, "read", "bots")
        olga = make(session, "olga", "organiser")
        organiser = _token(session, olga, "read", "tournaments")
        admin = _token(session, make(session, "boss", "admin"), "admin")
    with site(url, SANTIAGO_SECRET_KEY=KEY, SANTIAGO_PUBLIC_GATEWAY=GATEWAY) as where:
        yield Running(where, url, arena, author, organiser, admin)


def _token(session: Session, account: Account, *scopes: str) -> str:
    made = tickets.make_token(session, account, name="terminal", scopes=scopes)
    session.commit()
    return made.token
