"""Builds the wheel of this project from a copy of its sources."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import PROJECT

_FILES = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
_FOLDERS = ("referee", "ladder", "sample_bots", "web")


def build(folder: Path, **environ: str) -> Path:
    """Return the wheel, below `folder`; the variables are for the build."""
    source = folder / "source"
    source.mkdir(parents=True)
    for name in _FILES:
        shutil.copy(PROJECT / name, source)
    for name in _FOLDERS:
        unwanted = shutil.ignore_patterns("__pycache__", "node_modules")
        shutil.copytree(PROJECT / name, source / name, ignore=unwanted)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    options = ["--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source)]
    subprocess.run([*pip, *options], env=os.environ | environ, check=True)
    [wheel] = folder.glob("*.whl")
    return wheel
