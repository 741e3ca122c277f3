"""Compare our random play with that of other libraries, in one run (make bench-peers)."""

import json
import os
import subprocess
import sys

from rich.console import Console
from rich.table import Table

from benchmarks.compiled_core import ROOT, compiled_path

OURS = """
import json, sys
from benchmarks.rules import best, decisions, play_outs, starts
from referee.rules import CORE
json.dump({
    f"Santiago, 4 players, {CORE}, apply": best("", starts(4), decisions).per_second,
    f"Santiago, 4 players, {CORE}, play_out": best("", starts(4), play_outs).per_second,
}, sys.stdout)
"""


def main(peers_python: str) -> None:
    """`peers_python`: the interpreter of an environment with catanatron and open_spiel."""
    rates = _run([sys.executable, "-P", "-c", OURS], str(ROOT))
    with compiled_path() as compiled:
        if compiled is not None:
            rates |= _run([sys.executable, "-P", "-c", OURS], compiled)
    rates |= _run([peers_python, str(ROOT / "benchmarks" / "_peers_probe.py")], "")
    table = Table("random play, one process", title_justify="left")
    table.add_column("decisions with a choice a second", justify="right")
    for name, rate in sorted(rates.items(), key=lambda item: -item[1]):
        table.add_row(name, f"{rate:,.0f}")
    Console().print(table)


def _run(command: list[str], python_path: str) -> dict[str, float]:
    run = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": python_path}, stdout=subprocess.PIPE, check=True
    )
    rates: dict[str, float] = json.loads(run.stdout)
    return rates


if __name__ == "__main__":
    main(sys.argv[1])
