"""docs/operate.md: what it says of back-up and restore is done, command by command."""

import os
import shutil
from pathlib import Path

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.errors import Stale
from ladder.jobs import attempts
from ladder.matches import reading, results
from ladder.matches.job import MATCHES, MatchClaim
from ladder.model import Match
from tests.conftest import missing
from tests.docs.pages import blocks, programs, type_in
from tests.ladder.conftest import create_postgres
from tests.ladder.databases import new_ladder, session_on
from tests.ladder.league import (
    claimed,
    finished,
    force_lease_end,
    match_ids,
    ranked,
    start_tournament,
)
from tests.ladder.ledgers import check_ledger

KEY = "the key of this ladder"


def test_a_folder_is_backed_up_and_restored(tmp_path: Path) -> None:
    if not shutil.which("sqlite3"):
        missing("sqlite3")
    folder = tmp_path / ".santiago"
    folder.mkdir()
    (folder / "secret-key").write_text(KEY)
    url = new_ladder(folder / "ladder.db")
    with session_on(url) as session:
        claim = _play(session)
        _run(_block("sqlite3 "), tmp_path)
        _play_on(session)
    shutil.rmtree(folder)
    said = _run(_block("mkdir"), tmp_path)
    assert "Nothing differs" in said
    assert (folder / "secret-key").read_text() == KEY
    with session_on(url) as session:
        _check(session, claim)


def test_a_folder_of_the_release_before_is_restored(tmp_path: Path) -> None:
    if not shutil.which("sqlite3"):
        missing("sqlite3")
    folder = tmp_path / ".santiago"
    folder.mkdir()
    (folder / "secret-key").write_text(KEY)
    model.upgrade(f"sqlite:///{folder}/ladder.db", "r0019")
    _run(_block("sqlite3 "), tmp_path)
    assert "Nothing differs" in _run(_block("mkdir"), tmp_path)


def test_a_postgresql_is_backed_up_and_restored(tmp_path: Path, postgres_url: str) -> None:
    url = create_postgres(postgres_url, template="template1")
    model.upgrade(url)
    with session_on(url) as session:
        claim = _play(session)
        _run(_block("pg_dump"), tmp_path, url)
        _play_on(session)
    for target in (url, create_postgres(postgres_url, template="template1")):
        said = _run(_block("psql "), tmp_path, target)
        assert "Nothing differs" in said
        with session_on(target) as session:
            _check(session, claim)


def _play(session: Session) -> MatchClaim:
    """A tournament with some results, and a match that is being played."""
    start_tournament(session, count=3, deals=2)
    first, second, third, *_ = match_ids(session)
    session.commit()
    finished(session, first, ranked(1, 2))
    finished(session, second, ranked(2, 1))
    return claimed(session, third)


def _play_on(session: Session) -> None:
    """What happens after the back-up, and is lost."""
    finished(session, match_ids(session)[3], ranked(1, 2))


def _check(session: Session, claim: MatchClaim) -> None:
    """All is as it was, and the match that was being played is played anew."""
    check_ledger(session)
    session.rollback()
    done = select(func.count()).select_from(Match).where(Match.state == "finished")
    assert session.scalars(done).one() == 2
    assert reading.replay(session, match_ids(session)[0]) == b"replay"
    force_lease_end(session, claim.match_id)
    assert attempts.reap(session, MATCHES) == [claim.match_id]
    session.commit()
    again = claimed(session, claim.match_id)
    assert again.attempt == claim.attempt + 1
    with pytest.raises(Stale):
        results.finish(session, claim, ranked(1, 2))
    session.rollback()


def _block(words: str) -> str:
    """The one block of the page with a line that begins with these words."""
    texts = [block.text for block in blocks("operate.md")]
    (found,) = [text for text in texts if f"\n{words}" in f"\n{text}"]
    return found


def _run(script: str, folder: Path, url: str | None = None) -> str:
    """Type the lines of a block into a shell; none may fail. Returns what they print."""
    environ = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environ["PATH"] = os.pathsep.join(map(str, (*programs(), environ["PATH"])))
    if url is not None:
        environ["DATABASE_URL"] = url
    return type_in(script, folder, environ)
