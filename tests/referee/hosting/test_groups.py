"""Where control groups are made, and what is written there.

What this machine's kernel does with them, tests/hostile_bundles shows. Version 2 with limits is
only compared with the kernel's documentation, file by file: no machine of ours has delegated it.
"""

import os
import subprocess
from pathlib import Path
from signal import SIGKILL
from unittest.mock import Mock

import pytest

from referee.hosting.bubblewrap import Bounds
from referee.hosting.groups import Group
from referee.hosting.sandbox import _bounds
from referee.hosting.trees import GroupTree, find_trees, remove, trees
from referee.hosting.usage import SandboxLimits, Usage
from tests.conftest import missing

FILES = ("cgroup.procs", "cgroup.subtree_control")


def a_tree(folder: Path, controllers: str = "", processes: str = "") -> Path:
    """A folder that looks like a group of ours."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        (folder / name).write_text("")
    (folder / "cgroup.controllers").write_text(controllers)
    (folder / "cgroup.procs").write_text(processes)
    return folder


def test_of_both_versions_the_newer_is_taken_for_each_need(tmp_path: Path) -> None:
    unified = a_tree(tmp_path / "unified" / "mine")
    memory = a_tree(tmp_path / "memory" / "mine")
    mounted = [
        (tmp_path / "memory", 1, frozenset({"rw", "memory"})),
        (tmp_path / "freezer", 1, frozenset({"rw", "freezer"})),
        (tmp_path / "unified", 2, frozenset({"rw"})),
    ]
    found = find_trees(mounted, "5:cpu,cpuacct:/other\n4:memory:/mine\n0::/mine\n")
    assert found == {
        "freezer": GroupTree(unified, 2),
        "cpuacct": GroupTree(unified, 2),
        "memory": GroupTree(memory, 1),
    }


def test_where_nothing_is_delegated_there_are_no_trees(tmp_path: Path) -> None:
    assert find_trees([(tmp_path / "none", 2, frozenset())], "0::/\n") == {}


def test_own_process_steps_aside_to_hand_controllers_on(tmp_path: Path) -> None:
    """The folder does not enable what is written: so limits are not taken for granted."""
    mine = a_tree(tmp_path / "mine", "cpu memory pids", str(os.getpid()))
    (mine / "santiago-host").mkdir()
    found = find_trees([(tmp_path, 2, frozenset())], "0::/mine\n")
    assert (mine / "santiago-host" / "cgroup.procs").read_text() == str(os.getpid())
    assert (mine / "cgroup.subtree_control").read_text() == "+memory +pids"
    assert set(found) == {"freezer", "cpuacct"}


def test_others_processes_are_left_where_they_are(tmp_path: Path) -> None:
    mine = a_tree(tmp_path / "mine", "memory pids", f"1\n{os.getpid()}\n")
    find_trees([(tmp_path, 2, frozenset())], "0::/mine\n")
    assert not (mine / "santiago-host").exists()


def test_limits_of_version_2(tmp_path: Path) -> None:
    tree = GroupTree(a_tree(tmp_path), 2)
    group = Group(dict.fromkeys(("freezer", "memory", "pids", "cpuacct"), tree), 1000, 64)
    (folder,) = tmp_path.glob("santiago-*")
    written = {path.name: path.read_text() for path in folder.iterdir()}
    assert written == {
        "memory.max": "1000",
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "65",
    }
    (folder / "memory.events").write_text("max 7\noom 1\noom_kill 0\n")
    (folder / "pids.events").write_text("max 1\n")
    (folder / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 1\n")
    (folder / "memory.current").write_text("700\n")
    usage = Usage(Mock(group=group), Mock(), SandboxLimits())
    assert (usage._kernels_peak(), usage._memory()) == (None, 700)  # before Linux 5.19
    (folder / "memory.peak").write_text("900\n")
    assert not group.out_of_memory()
    assert group.out_of_threads()
    assert (group.cpu_seconds(), group.peak_memory()) == (2.5, 900)
    (folder / "memory.events").write_text("max 7\noom 0\noom_kill 1\n")
    assert group.out_of_memory()
    assert not group.reached_memory_limit()
    (folder / "memory.events").write_text("max 7\noom 1\noom_kill 1\n")
    assert group.reached_memory_limit()


def test_version_1_may_count_cpu_time_alone(tmp_path: Path) -> None:
    """Then the limits are those of the processes themselves."""
    group = Group({"cpuacct": GroupTree(a_tree(tmp_path), 1)}, 1000, 64)
    (folder,) = tmp_path.glob("santiago-*")
    assert list(folder.iterdir()) == []
    (folder / "cpuacct.usage").write_text("2500000000\n")
    assert group.cpu_seconds() == 2.5
    limits = SandboxLimits(threads=64, files=1 << 20)
    assert _bounds(limits, group) == Bounds(1 << 20, 64)
    usage = Usage(Mock(group=group), Mock(), limits)
    usage.begin()
    assert usage.peak() == 0


def test_what_cannot_be_removed_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.hosting.trees._WITHIN", 0.0)
    (tmp_path / "busy" / "inner").mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    remove([tmp_path / "busy", tmp_path / "empty"])
    assert [path.name for path in tmp_path.iterdir()] == ["busy"]


def test_groups_of_a_host_that_was_killed_are_removed_with_what_runs_there() -> None:
    """On this machine's own kernel; the process is one that its host left behind."""
    found = trees()
    if not found:
        missing("control groups that may be written to")
    namespace = Path("/proc/self/ns/pid").stat().st_ino
    folders = {tree.folder / f"santiago-{namespace}-4194305-1" for tree in found.values()}
    with subprocess.Popen(["sleep", "1000"]) as left:
        for folder in folders:
            folder.mkdir()
            (folder / "cgroup.procs").write_text(str(left.pid))
        trees.__wrapped__()
        assert left.wait(60) == -SIGKILL
    assert not [folder for folder in folders if folder.exists()]
