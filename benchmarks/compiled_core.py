"""Measure the compiled core of the wheel in dist/ (make build): the rules, and the planner."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final
from zipfile import ZipFile

ROOT: Final = Path(__file__).parent.parent
_ROUNDS: Final = 3


def main() -> None:
    """Unpack the newest wheel and measure it in processes of their own."""
    with compiled_path() as compiled:
        if compiled is not None:
            run("benchmarks", "rules", path=compiled)
            _compare_looks(compiled)


@contextmanager
def compiled_path() -> Iterator[str | None]:
    """Unpack the newest wheel in dist/ and yield its PYTHONPATH; say so if there is none."""
    wheels = sorted((ROOT / "dist").glob("santiago_arena-*.whl"), key=lambda w: w.stat().st_mtime)
    if not wheels:
        print("There is no compiled wheel in dist/: run `make build` first.", file=sys.stderr)
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        ZipFile(wheels[-1]).extractall(folder)
        yield f"{folder}{os.pathsep}{ROOT}"


def _compare_looks(compiled: str) -> None:
    """Print the planner's looks with both cores, in turn, and whether they chose the same moves."""
    rounds = [[_looks(str(ROOT)), _looks(compiled)] for _ in range(_ROUNDS)]
    pure, quick = (median(pair[core]["looks"] for pair in rounds) for core in (0, 1))
    ratios = sorted(pair[1]["looks"] / pair[0]["looks"] for pair in rounds)
    same = all(pair[0]["moves"] == pair[1]["moves"] for pair in rounds)
    print(f"looks of the planner in 100 ms of processor time, {rounds[0][0]['core']}: {pure:.0f}")
    print(f"  {rounds[0][1]['core']}: {quick:.0f}, {ratios[0]:.1f} to {ratios[-1]:.1f} times")
    print(f"  the same moves after the same looks: {'yes' if same else 'NO'}")


def _looks(path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("benchmarks._looks", path=path, capture=True))
    return found


def run(*arguments: str, path: str, capture: bool = False) -> str:
    """Run a module with this PYTHONPATH; return what it prints if `capture`."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", *arguments],
        env=os.environ | {"PYTHONPATH": path},
        check=True,
        text=True,
        stdout=subprocess.PIPE if capture else None,
    )
    return done.stdout or ""
