"""Submissions from the form to the ladder, with all processes that a ladder has."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots import own, submitting
from ladder.bots.own import OwnVersion
from ladder.config import ALLOW_PRIVATE, SECRET_KEY
from ladder.model import Ladder
from ladder.people.accounts import Account
from referee.processes import BotProcess
from referee.serving import SECRET_VARIABLE
from referee.ways import GATEWAY, GATEWAY_KEY
from tests.conftest import redis_command, wait_for_redis
from tests.e2e.processes import until
from tests.forking import Forked
from tests.ladder.bots.authors import SECRET, author, house_bot
from tests.ladder.bots.conftest import KEY
from tests.ladder.cli.test_gateway import free_address
from tests.ladder.databases import on_sqlite

pytestmark = pytest.mark.usefixtures("forked_python")
BOT = "sample_bots.random_bot:RandomBot"
TIMEOUT = 200.0  # seconds for all checks and a match
ROOT = Path(__file__).parents[3]
OVER = ("active", "rejected")


@dataclass
class Service:
    """A ladder's processes, ended with the block."""

    folder: Path
    environ: dict[str, str]
    sessions: sessionmaker[Session]
    stack: ExitStack = field(default_factory=ExitStack)

    def run(self, *command: str, **extra: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(command, env=os.environ | self.environ | extra, cwd=ROOT)
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process

    def python(self, *arguments: str, **extra: str) -> Forked:
        process = Forked(*arguments, env=os.environ | self.environ | extra)
        return self.stack.enter_context(process)

    def bot(self, address: str, **extra: str) -> str:
        """A bot that listens at an address; the version that it tells."""
        command = ["python", "-m", "referee.serving", BOT]
        process = BotProcess(command, address, extra=extra)
        self.stack.enter_context(process)
        return process.wait_until_ready().version


@pytest.fixture
def service(
    database_url: str,
    sessions: sessionmaker[Session],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Service]:
    """Redis, worker, scheduler, gateway, and a house bot; ladders make no matches."""
    monkeypatch.setenv(ALLOW_PRIVATE, "1")
    redis, gateway = f"unix://{tmp_path}/redis", free_address()
    environ = {
        "DATABASE_URL": database_url,
        "REDIS_URL": redis,
        SECRET_KEY: KEY,
        ALLOW_PRIVATE: "1",
        GATEWAY: gateway,
        GATEWAY_KEY: "the key of gateway and workers",
    }
    made = Service(tmp_path, environ, sessions)
    with made.stack, sessions() as session:
        wait_for_redis(redis, made.run(*redis_command(tmp_path / "redis")))
        made.bot(f"unix:{tmp_path}/house")
        house_bot(session, address=f"unix:{tmp_path}/house")
        session.execute(update(Ladder).values(open=False))
        session.commit()
        made.python("ladder.cli.main", "gateway", "--listen", gateway)
        made.python("tests.ladder.process", "scheduler")
        made.python("tests.ladder.process", "worker")
        yield made


def at_the_end(service: Service, account: Account, bot_id: int) -> OwnVersion:
    """The newest version of the bot, when it has been found good or not."""

    def newest() -> OwnVersion:
        with service.sessions() as session:
            return own.bot(session, account, bot_id).versions[0]

    until(lambda: newest().state in OVER, TIMEOUT)
    return newest()


def check_that_it_plays(version: OwnVersion) -> None:
    assert version.report is not None
    wrong = [line for line in version.report.checks if line.state != "passed"]
    assert (wrong, version.state, version.reason) == ([], "active", None)
    assert version.trial is not None


@pytest.mark.timeout(1800)
@on_sqlite
def test_by_address_and_by_gateway(service: Service, session: Session) -> None:
    address = free_address()
    version = service.bot(address, **{SECRET_VARIABLE: SECRET})
    ana = author(session)
    made = submitting.submit(
        session, ana, name="near", version=version, address=address, secret=SECRET
    )
    session.commit()
    check_that_it_plays(at_the_end(service, ana, made.bot_id))
    wrong = submitting.submit(
        session, ana, name="near", version="9", address=address, secret="another secret of mine"
    )
    session.commit()
    rejected = at_the_end(service, ana, wrong.bot_id)
    assert rejected.state == "rejected"
    assert rejected.report is not None
    tried = [line.name for line in rejected.report.checks if line.state != "not tried"]
    assert tried == ["first-call"]
    check_a_bot_behind_the_gateway(service, session, ana)


def check_a_bot_behind_the_gateway(service: Service, session: Session, ana: Account) -> None:
    made = submitting.submit(session, ana, name="far", version="1", address=None)
    session.commit()
    assert made.gateway_token is not None
    service.python(
        *("ladder.cli.main", "bot", "join", service.environ[GATEWAY], "--slots", "1", BOT),
        SANTIAGO_TOKEN=made.gateway_token,
    )
    check_that_it_plays(at_the_end(service, ana, made.bot_id))
    assert own.bot(session, ana, made.bot_id).slots == 1
