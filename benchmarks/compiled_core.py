"""Measure the compiled core of the wheel in dist/ (make build): the rules, and the planner."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any, Final
from zipfile import ZipFile

_ROOT: Final = Path(__file__).parent.parent
_ROUNDS: Final = 3


def main() -> None:
    """Unpack the newest wheel and measure it in processes of their own."""
    wheels = sorted(
        (_ROOT / "dist").glob("santiago_arena-*.whl"), key=lambda wheel: wheel.stat().st_mtime
    )
    if not wheels:
        print("There is no compiled wheel in dist/: run `make build` first.", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        ZipFile(wheels[-1]).extractall(folder)
        compiled = f"{folder}{os.pathsep}{_ROOT}"
        _run("benchmarks", "rules", path=compiled)
        _compare_looks(compiled)


def _compare_looks(compiled: str) -> None:
    """Print the planner's looks with both cores, in turn, and whether they chose the same moves."""
    rounds = [[_looks(str(_ROOT)), _looks(compiled)] for _ in range(_ROUNDS)]
    pure, quick = (median(pair[core]["looks"] for pair in rounds) for core in (0, 1))
    ratios = sorted(pair[1]["looks"] / pair[0]["looks"] for pair in rounds)
    same = all(pair[0]["moves"] == pair[1]["moves"] for pair in rounds)
    print(f"looks of the planner in 100 ms of processor time, {rounds[0][0]['core']}: {pure:.0f}")
    print(f"  {rounds[0][1]['core']}: {quick:.0f}, {ratios[0]:.1f} to {ratios[-1]:.1f} times")
    print(f"  the same moves after the same looks: {'yes' if same else 'NO'}")


def _looks(path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_run("benchmarks._looks", path=path, capture=True))
    return found


def _run(*arguments: str, path: str, capture: bool = False) -> str:
    run = subprocess.run(
        [sys.executable, "-P", "-m", *arguments],
        env=os.environ | {"PYTHONPATH": path},
        check=True,
        text=True,
        stdout=subprocess.PIPE if capture else None,
    )
    return run.stdout or ""
