"""The host of `santiago up` and `demo`, and the sample bot that comes in by upload."""

from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder.bots import packages, versions
from ladder.config import HOSTS
from ladder.embedded import hosting
from ladder.embedded.service import register
from ladder.errors import Refused
from ladder.model import Bot, Conduct, Job, Version, VersionState
from ladder.people.accounts import HOUSE
from referee.hosting.guards import Guards, guards
from referee.hosting.packages import read
from tests.conftest import missing

TARGET = "sample_bots.greedy:GreedyBot"


def as_process(session: Session, name: str = "greedy") -> int:
    return register(session, name=name, version="1", address=f"unix:/{name}")


def as_upload(session: Session) -> int:
    return hosting.upload(session, "greedy", "1", TARGET)


def versions_of(session: Session, bot_id: int) -> list[tuple[str, VersionState, bool]]:
    rows = session.scalars(
        select(Version).where(Version.bot_id == bot_id).order_by(Version.id),
        execution_options={"populate_existing": True},
    )
    return [(row.name, row.state, row.offline_since is not None) for row in rows]


def test_a_sample_bot_is_packed_stored_and_waits_for_its_build(
    session: Session, tmp_path: Path
) -> None:
    as_process(session, "random")
    bot_id = as_upload(session)
    session.commit()
    assert hosting.progress(session, bot_id) == (VersionState.SUBMITTED, None)
    version = session.scalars(select(Version).where(Version.bot_id == bot_id)).one()
    assert version.package is not None
    assert session.get_one(Bot, bot_id).house
    assert session.get(Job, ("build", version.id)) is not None
    file = tmp_path / "greedy.zip"
    file.write_bytes(b"".join(packages.chunks(session, version.package)))
    manifest = read(file)
    assert (manifest.name, manifest.version, manifest.entry) == ("greedy", "1", "greedy:GreedyBot")


def test_the_same_upload_is_the_same_version(session: Session) -> None:
    as_process(session, "random")
    assert as_upload(session) == as_upload(session)
    session.commit()
    assert len(versions_of(session, 2)) == 1


def test_an_uploaded_bot_starts_without_its_faults(session: Session) -> None:
    """As one that is dialled: else a fault more would suspend it."""
    as_process(session, "random")
    own = Version.bot_id == as_upload(session)
    conduct = {"conduct": Conduct.SUSPENDED, "faulted_in_a_row": 4}
    session.execute(update(Version).where(own).values(state=VersionState.ACTIVE, **conduct))
    as_upload(session)
    kept = session.execute(select(Version.conduct, Version.faulted_in_a_row).where(own))
    assert kept.one() == (Conduct.GOOD, 0)


def test_what_was_a_process_becomes_hosted_and_back(session: Session) -> None:
    """As in a data folder of yesterday, and where bubblewrap has gone."""
    bot_id = as_process(session)
    session.commit()
    assert as_upload(session) == bot_id
    session.commit()
    first = ("1 (process 1)", VersionState.ACTIVE, True)
    assert versions_of(session, bot_id) == [first, ("1", VersionState.SUBMITTED, False)]
    assert as_process(session) == bot_id
    session.commit()
    assert versions_of(session, bot_id)[-1] == ("1", VersionState.ACTIVE, False)
    assert [name for name, *_ in versions_of(session, bot_id)] == [
        "1 (process 1)",
        "1 (upload 2)",
        "1",
    ]


def test_an_older_version_of_a_process_keeps_its_name(session: Session) -> None:
    bot_id = register(session, name="greedy", version="0", address="unix:/greedy")
    as_upload(session)
    session.commit()
    assert versions_of(session, bot_id)[0] == ("0", VersionState.ACTIVE, True)


def test_a_version_that_was_uploaded_gets_no_address(session: Session) -> None:
    as_process(session, "random")
    bot_id = as_upload(session)
    own = select(Version.address).where(Version.bot_id == bot_id)
    activate = update(Version).where(Version.bot_id == bot_id).values(state=VersionState.ACTIVE)
    session.execute(activate)
    session.commit()
    with pytest.raises(Refused, match="greedy 1 was uploaded"):
        versions.register(session, name="greedy", author=HOUSE, version="1", address="unix:/g")
    assert session.scalars(own).all() == [f"hosted:{bot_id}"]
    as_process(session)
    session.commit()
    assert session.scalars(own.where(Version.active)).all() == ["unix:/greedy"]


@pytest.mark.parametrize(("said", "trouble"), [("", "Install it."), ("none", None), ("a:1", None)])
def test_without_sandboxes_or_with_others_hosts_there_is_no_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, trouble: str | None
) -> None:
    monkeypatch.setenv(HOSTS, said)
    monkeypatch.setattr(hosting, "guards", lambda _: Guards(missing="Install it."))
    lines: list[str] = []
    with ExitStack() as stack:
        assert hosting.own_host(tmp_path, tmp_path, stack, lines.append) is None
    assert lines == ([f"No uploads here: {trouble}"] if trouble else [])


def test_a_host_learns_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[dict[str, str]] = []
    monkeypatch.setattr(hosting, "ChildProcess", lambda _, extra, __: started.append(extra))
    hosting.OwnHost("unix:/h", tmp_path, False).start(tmp_path / "log")
    (extra,) = started
    for name in ("DATABASE_URL", "REDIS_URL", "SANTIAGO_SECRET_KEY", "SANTIAGO_GATEWAY_KEY"):
        assert extra[name] == ""


def test_where_bubblewrap_is_there_is_a_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if guards().missing:
        missing("bubblewrap")
    monkeypatch.delenv(HOSTS, raising=False)
    tmp_path.chmod(0o700)  # as the data folder: the users of sandboxes cannot enter it
    with ExitStack() as stack:
        found = hosting.own_host(tmp_path, tmp_path, stack, print)
        assert found is not None
        assert found.folder.exists() is found.temporary
    assert not found.folder.exists()
    monkeypatch.setenv("SANTIAGO_HOST_FOLDER", "/srv/host")
    with ExitStack() as stack:
        own = hosting.own_host(tmp_path, tmp_path, stack, print)
    assert own is not None
    assert (own.folder, own.temporary) == (Path("/srv/host"), False)
