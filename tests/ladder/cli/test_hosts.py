"""`santiago hosts` on the database of a folder."""

from datetime import timedelta
from pathlib import Path

import pytest

from ladder.model import HostRow, Version, VersionState, now
from tests.ladder.cli.terminal import fails, succeeds
from tests.ladder.databases import new_ladder, session_on
from tests.ladder.league import host, register_bots

HASH = "c" * 64


@pytest.fixture
def where(tmp_path: Path) -> tuple[str, str]:
    new_ladder(tmp_path / "ladder.db")
    return "--data", str(tmp_path)


def test_hosts_are_listed_and_drained(where: tuple[str, str], tmp_path: Path) -> None:
    assert "No worker has seen a host" in succeeds("hosts", "list", *where)
    with session_on(f"sqlite:///{tmp_path}/ladder.db") as session:
        row = HostRow(name="iron", address="iron:7070", guards='["seccomp"]', seen_at=now(session))
        session.add(row)
        session.commit()
    listed = succeeds("hosts", "list", *where)
    assert listed.startswith("iron: takes work; processors: 0, sandboxes: 0")
    assert listed.endswith("\n  seccomp\n")
    succeeds("hosts", "drain", "iron", *where)
    assert "drains" in succeeds("hosts", "list", *where)
    assert "already draining" in fails("hosts", "drain", "iron", *where)
    assert succeeds("hosts", "undrain", "iron", *where) == "iron gets work again.\n"
    assert "There is no host steel" in fails("hosts", "drain", "steel", *where)


def test_a_host_that_takes_no_work_says_why(where: tuple[str, str], tmp_path: Path) -> None:
    with session_on(f"sqlite:///{tmp_path}/ladder.db") as session:
        row = HostRow(name="iron", address="iron:7070", guards="[]", seen_at=now(session))
        row.trouble = "bubblewrap is missing."
        session.add(row)
        session.commit()
        listed = succeeds("hosts", "list", *where)
        assert listed.startswith("iron: in trouble; processors: 0")
        assert listed.endswith("\n  bubblewrap is missing.\n")
        row.trouble, row.seen_at = None, row.seen_at - timedelta(hours=1)
        session.commit()
        seen = f"{row.seen_at:%Y-%m-%d %H:%M} UTC"
        assert succeeds("hosts", "list", *where).startswith(f"iron: not seen since {seen}; ")
        row.trouble = HostRow.NO_ANSWER
        session.commit()
    listed = succeeds("hosts", "list", *where)
    assert listed.startswith(f"iron: not seen since {seen}; ")
    assert listed.endswith("\n  It does not answer.\n")
    assert "already accepts work" in fails("hosts", "undrain", "iron", *where)
    succeeds("hosts", "drain", "iron", *where)
    assert "not seen since" in succeeds("hosts", "list", *where), "it drains no more"


def test_builds_are_listed(where: tuple[str, str], tmp_path: Path) -> None:
    with session_on(f"sqlite:///{tmp_path}/ladder.db") as session:
        host(session, register_bots(session, 2))
        building, failed = session.query(Version).order_by(Version.id)
        building.state, building.bundle = VersionState.BUILDING, None
        failed.state, failed.bundle, failed.reason = VersionState.REJECTED, None, "gcc: error"
        session.commit()
    assert succeeds("hosts", "list", *where).splitlines()[1:] == [
        "Building ada 1 by compay",
        "Build of bela 1 failed: gcc: error",
    ]


def test_files_are_banned_from_all_hosts(where: tuple[str, str]) -> None:
    succeeds("hosts", "ban", HASH, "--reason", "it mines coins", *where)
    assert f"Banned {HASH} (no bot): it mines coins" in succeeds("hosts", "list", *where)
    succeeds("hosts", "unban", HASH, *where)
    assert "Banned" not in succeeds("hosts", "list", *where)
    assert "64 digits" in fails("hosts", "ban", "c0ffee", "--reason", "coffee", *where)
    assert "Missing option '--reason'" in fails("hosts", "ban", HASH, *where, code=2)
