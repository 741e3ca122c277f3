"""Bots in other languages, built from this project as a newcomer would build them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import missing

PROJECT = Path(__file__).parents[2]
BUILD_LIMIT = 110.0  # seconds


@pytest.fixture(scope="session")
def node_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of sample_bots/node with what `npm ci` installs, and proto/ where it is here."""
    if not shutil.which("node") or not shutil.which("npm"):
        missing("Node.js with npm")
    root = tmp_path_factory.mktemp("node")
    folder = root / "sample_bots" / "node"
    ours = PROJECT / "sample_bots" / "node"
    shutil.copytree(ours, folder, ignore=shutil.ignore_patterns("node_modules"))
    shutil.copytree(PROJECT / "proto", root / "proto")
    done = run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
    if done.returncode != 0:
        missing(f"what `npm ci` installs ({done.stdout[-300:]})")
    return folder


@pytest.fixture(scope="session")
def cpp_bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that the Makefile of sample_bots/cpp builds."""
    for tool in ("make", "g++", "pkg-config", "protoc", "grpc_cpp_plugin"):
        if not shutil.which(tool):
            missing(tool)
    if run(["pkg-config", "--exists", "grpc++", "protobuf"], PROJECT).returncode != 0:
        missing("gRPC for C++ (libgrpc++-dev, libprotobuf-dev)")
    build = tmp_path_factory.mktemp("cpp")
    done = run(["make", f"BUILD={build}", "CXXFLAGS=-O0"], PROJECT / "sample_bots" / "cpp")
    assert done.returncode == 0, done.stdout
    return build / "bot"


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=BUILD_LIMIT,
        check=False,
    )
