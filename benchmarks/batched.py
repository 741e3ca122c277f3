"""Measure the batched environment of `referee.rl` beside the single one, with either core."""

import json
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.compiled_core import ROOT, compiled_path, run


def main() -> None:
    """Measure the source, and the compiled wheel in dist/ if there is one (make build)."""
    table = Table("three players", title="Decisions a second", title_justify="left")
    table.add_column("a second", justify="right")
    table.add_column("to the single environment", justify="right")
    _measure(table, str(ROOT))
    with compiled_path() as compiled:
        if compiled is not None:
            _measure(table, compiled)
    Console().print(table)


def _measure(table: Table, path: str) -> None:
    found: dict[str, Any] = json.loads(run("benchmarks._batch_rates", path=path, capture=True))
    for name, rate in found["a_second"].items():
        row = f"{name}, {found['core']}"
        table.add_row(row, f"{rate:,.0f}", f"{found['ratio'][name]:.1f}")
