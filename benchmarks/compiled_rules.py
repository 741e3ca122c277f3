"""Measure the rules with the compiled core of the wheel in dist/ (make build)."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from zipfile import ZipFile

_ROOT = Path(__file__).parent.parent


def main() -> None:
    """Unpack the newest wheel and measure it in a process of its own."""
    wheels = sorted(
        (_ROOT / "dist").glob("santiago_arena-*.whl"), key=lambda wheel: wheel.stat().st_mtime
    )
    if not wheels:
        print("There is no compiled wheel in dist/: run `make build` first.", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        ZipFile(wheels[-1]).extractall(folder)
        subprocess.run(
            [sys.executable, "-P", "-m", "benchmarks", "rules"],
            env=os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{_ROOT}"},
            check=True,
        )
