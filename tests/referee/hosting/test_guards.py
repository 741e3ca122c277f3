"""What a host says of its machine: the guards, why there can be no sandbox, and its trouble."""

import os
import shutil
import subprocess
import sys
from errno import ENAMETOOLONG, ENOSPC
from pathlib import Path
from types import SimpleNamespace

import pytest

from referee.errors import InvalidSetting
from referee.hosting import bubblewrap, guards, seccomp
from referee.hosting.archives import BadPackage
from referee.hosting.guards import Guards, Trouble, advice
from referee.hosting.sandbox import Sandbox
from referee.hosting.settings import MB
from tests.conftest import PROJECT, missing

FULL = OSError(ENOSPC, os.strerror(ENOSPC))
UIDS = range(900_000, 900_001)


def test_lines_say_what_holds_and_what_was_never_tried() -> None:
    strong = Guards("bubblewrap 0.8.0", True, {"memory": 2, "pids": 1, "freezer": 2}).lines()
    assert "User: one of its own for each sandbox" in strong
    assert "Memory: control groups, version 2 (untried)" in strong
    assert "Threads: control groups, version 1" in strong
    assert "Freezing: control groups, version 2" in strong
    weak = Guards("bubblewrap 0.8.0").lines()
    assert any("watcher" in line and "not delegated" in line for line in weak)
    assert Guards(missing="Install it.").lines() == ("Install it.",)


@pytest.mark.parametrize(
    ("said", "todo"),
    [
        ("bwrap: setting up uid map: Permission denied", "/etc/apparmor.d/bwrap"),
        ("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "apparmor_parser -r"),
        ("bwrap: No permissions to create new namespace", "unprivileged_userns_clone=1"),
        ("bwrap: Can't mount proc on /newroot/proc", "docs/hosting.md"),
        ("bwrap: Can't find source path /root/x: Permission denied", "chmod o+x"),
    ],
)
def test_refusals_of_bubblewrap_say_what_to_do(
    said: str, todo: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = tmp_path / "apparmor_restrict_unprivileged_userns"
    held.write_text("1\n")
    monkeypatch.setattr(guards, "_APPARMOR", held)
    assert todo in advice(said)
    assert said in advice(said)


def test_apparmor_is_not_blamed_where_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "_APPARMOR", Path("/nowhere"))
    assert "AppArmor" not in advice("bwrap: setting up uid map: Permission denied")


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert guards.guards().missing == (
        "Install bubblewrap (Debian, Ubuntu: apt install bubblewrap)."
    )
    with pytest.raises(InvalidSetting, match="Install bubblewrap"):
        bubblewrap.program("bwrap", "bubblewrap")
    monkeypatch.setitem(sys.modules, "pyseccomp", None)
    assert "santiago-arena[hosting]" in (guards.guards().missing or "")


def test_what_is_not_installed_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each try left two ends of pipes open, and a host without setpriv tries again and again."""
    monkeypatch.setattr(shutil, "which", lambda _: None)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    with pytest.raises(InvalidSetting, match="Install bubblewrap"):
        Sandbox.start(["/bin/true"], mounts=[])
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


def test_a_try_that_failed_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter((InvalidSetting("bubblewrap starts no sandbox: it says nothing"), None))

    def tried(uids: range) -> None:
        if answer := next(answers):
            raise answer

    monkeypatch.setattr(guards, "_try", tried)
    uids = range(900_000, 900_001)  # remembered for these alone
    assert guards.guards(uids).missing
    assert not guards.guards(uids).missing


def test_kernel_without_user_namespaces_is_really_said(tmp_path: Path) -> None:
    """In a user namespace that allows no further ones bubblewrap fails as on such a machine."""
    if seccomp.missing() or not shutil.which("bwrap") or not shutil.which("unshare"):
        missing("bubblewrap")
    code = "from referee.hosting.guards import guards; print(guards().missing)"
    script = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    done = subprocess.run(
        ["unshare", "-Ur", "sh", "-c", script, "sh", sys.executable, "-c", code],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "sysctl -w user.max_user_namespaces" in done.stdout, done.stderr


def test_trouble_is_reported_for_a_while(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    usage = SimpleNamespace(free=3 * MB, total=700 * MB)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    met = Trouble(tmp_path, 8192 * MB)
    met.meet(FULL, UIDS)
    assert "No space left" in met.now
    assert "Free: 3 MB of 700; the host's caches alone may take 8192 MB" in met.now
    monkeypatch.setattr(guards, "_REPORTED_FOR", 0.0)
    assert met.now == ""


@pytest.mark.parametrize(
    "error",
    [
        OSError(ENAMETOOLONG, os.strerror(ENAMETOOLONG)),
        BadPackage("bot.py", "It is none."),
        InvalidSetting("bubblewrap starts no sandbox: the argument list is too long"),
    ],
)
def test_what_a_bot_brings_about_is_not_reported(
    error: Exception, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A sandbox of the host's own still starts."""
    monkeypatch.setattr(guards, "_try", lambda _: None)
    met = Trouble(tmp_path, MB)
    met.meet(error, UIDS)
    assert met.now == ""
