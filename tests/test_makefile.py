"""The compiled core of `make demo`, with programs that only pretend to compile."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMPILED = ".venv/compiled"
PIP = """#!/bin/sh
case "$*" in
*" wheel "*) [ -e ready ] || kill -KILL $PPID; touch "$9/core.whl" ;;
*) cp "$4" "$5/core.so" ;;
esac
"""


def test_a_compilation_that_was_broken_off_is_begun_anew(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for folder in ("referee", "sample_bots", ".venv/bin"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("pyproject.toml", "setup.py", "requirements.lock", "requirements-uv.lock"):
        (tmp_path / name).touch()
    for name, text in {"gcc": "", "uv": "", "python": PIP}.items():
        (tmp_path / ".venv" / "bin" / name).write_text(text)
        (tmp_path / ".venv" / "bin" / name).chmod(0o755)
    (tmp_path / ".venv" / "installed").touch()
    assert not _make(tmp_path)
    (tmp_path / "ready").touch()
    assert _make(tmp_path)
    assert (tmp_path / COMPILED / "core.so").exists()


def _make(folder: Path) -> bool:
    path = os.pathsep.join((str(folder / ".venv" / "bin"), os.environ["PATH"]))
    environ = os.environ | {"PATH": path}
    return not subprocess.run(["make", COMPILED], cwd=folder, env=environ).returncode
