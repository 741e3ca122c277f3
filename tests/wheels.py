"""Builds the wheel of this project from a copy of its sources."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from tests.conftest import PROJECT, missing

_FILES = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
_FOLDERS = ("referee", "ladder", "sample_bots", "web")

KIT = ("click", "grpcio", "protobuf", "rich")
THEIRS = ("markdown-it-py", "mdurl", "pygments", "typing-extensions")
"""What the four need themselves."""


def install(folder: Path, requirement: str) -> Path:
    """Install the kit into an empty environment below `folder`; return where its programs are.

    `requirement`: the wheel or its address. What it needs comes in the versions that are here.
    """
    environment, pins = folder / "venv", folder / "pins"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    pins.write_text("".join(f"{name}=={version(name)}\n" for name in (*KIT, *THEIRS)))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    into = ["--python", str(environment / "bin/python"), "install", "--only-binary=:all:"]
    into.append("--no-compile")  # of the modules that it brings few are ever imported
    installed = subprocess.run(
        [*pip, *into, "--constraint", str(pins), requirement],
        capture_output=True,
        text=True,
        check=False,
    )
    if installed.returncode:
        missing(f"what `pip install` installs ({installed.stderr.strip()})")
    return environment / "bin"


def build(folder: Path, **environ: str) -> Path:
    """Return the wheel, below `folder`; the variables are for the build."""
    source = folder / "source"
    source.mkdir(parents=True)
    for name in _FILES:
        shutil.copy(PROJECT / name, source)
    for name in _FOLDERS:
        unwanted = shutil.ignore_patterns("__pycache__", "node_modules")
        shutil.copytree(PROJECT / name, source / name, ignore=unwanted)
    # What `pip wheel` asks of setuptools, without the two more processes that pip needs for it.
    ask = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    command = [sys.executable, "-c", ask, str(folder)]
    done = subprocess.run(
        command, cwd=source, env=os.environ | environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    [wheel] = folder.glob("*.whl")
    return wheel
