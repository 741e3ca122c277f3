"""The same first submission, sent by several programs at the same instant: one is taken."""

from collections.abc import Callable, Iterator

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker
from werkzeug.test import TestResponse

from ladder.config import PUBLIC_GATEWAY, Settings
from ladder.model import Bot, Version
from ladder.people import tickets
from ladder.secrets import SecretBox
from tests.ladder.bots.authors import SECRET, author
from tests.ladder.test_concurrency import THREADS, at_once
from web import create_app
from web.database import sessions as sessions_of

Send = Callable[[dict[str, str]], TestResponse]

BY_ADDRESS = {"address": "bot.example:443", "secret": SECRET}
ROUNDS = 3


@pytest.fixture
def send(database_url: str, session: Session, monkeypatch: pytest.MonkeyPatch) -> Iterator[Send]:
    """Sends a submission of ana's to the site, which has a gateway."""
    monkeypatch.setenv(PUBLIC_GATEWAY, "gateway.example:50052")
    box = SecretBox(Fernet.generate_key().decode())
    app = create_app(Settings(database_url=database_url, redis_url="unix:///nowhere"), box)
    token = tickets.make_token(session, author(session), name="program", scopes=("bots",)).token
    session.commit()
    headers = {"Authorization": f"Bearer {token}"}
    yield lambda body: app.test_client().post("/api/v1/bots", json=body, headers=headers)
    sessions_of(app).kw["bind"].dispose()


@pytest.mark.parametrize("way", [BY_ADDRESS, {}], ids=["address", "gateway"])
def test_one_is_taken_and_the_others_are_told_why_not(
    sessions: sessionmaker[Session], send: Send, way: dict[str, str]
) -> None:
    for number in range(ROUNDS):
        body = {"name": f"zorro {number}", "version": "1", **way}
        answers = at_once(lambda _, body=body: send(body))  # type: ignore[misc]
        answers.sort(key=lambda answer: answer.status_code)
        assert [answer.status_code for answer in answers] == [201] + [409] * (THREADS - 1)
        assert "is still being checked: wait for it" in answers[1].get_json()["detail"]
    with sessions() as session:
        assert session.scalar(select(func.count()).select_from(Bot)) == ROUNDS
        assert session.scalar(select(func.count()).select_from(Version)) == ROUNDS
