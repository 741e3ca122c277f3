"""The bare bot in C++, built as a newcomer would build it."""

import shutil
from pathlib import Path

import pytest

from tests.conftest import PROJECT, missing, run_in


@pytest.fixture(scope="session")
def cpp_bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that the Makefile of sample_bots/cpp builds."""
    for tool in ("make", "g++", "pkg-config", "protoc", "grpc_cpp_plugin"):
        if not shutil.which(tool):
            missing(tool)
    if run_in(PROJECT, "pkg-config", "--exists", "grpc++", "protobuf").returncode != 0:
        missing("gRPC for C++ (libgrpc++-dev, libprotobuf-dev)")
    build = tmp_path_factory.mktemp("cpp")
    done = run_in(PROJECT / "sample_bots" / "cpp", "make", f"BUILD={build}", "CXXFLAGS=-O0")
    assert done.returncode == 0, done.stdout
    return build / "bot"
