"""Tournaments of a site, as the ladder itself knows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any, Final

from ladder.cli.client.site import Site
from ladder.contests.cross_table import Cell, CrossTable, Row
from ladder.contests.tie_breaks import TieBreak
from ladder.contests.tournaments.lookup import Progress, Tournament
from referee.clock import Clock

_TIMES: Final = ("created_at", "started_at", "finished_at")


def create(site: Site, **wish: Any) -> Tournament:
    """Make a tournament; `wish` as POST /tournaments takes it."""
    return _tournament(site.post("/tournaments", wish))


def take(site: Site, tournament_id: int, step: str) -> Tournament:
    """`start`, `pause`, `resume` or `cancel` it."""
    return _tournament(site.post(f"/tournaments/{tournament_id}/{step}"))


def page(site: Site) -> list[Tournament]:
    """The newest ones."""
    return [_tournament(row) for row in site.get("/tournaments")["tournaments"]]


def tournament(site: Site, tournament_id: int) -> Tournament:
    """One of them."""
    return _tournament(site.get(f"/tournaments/{tournament_id}"))


def progress(site: Site, tournament_id: int) -> Progress:
    """How far it is."""
    return Progress(**_known(Progress, site.get(f"/tournaments/{tournament_id}/progress")))


def cross_table(site: Site, tournament_id: int) -> CrossTable:
    """Its standing, with each bot against each other one."""
    table = site.get(f"/tournaments/{tournament_id}/cross-table")
    rows = tuple(_row(row) for row in table["rows"])
    return CrossTable(rows, tuple(map(TieBreak, table["tie_breaks"])))


def _tournament(row: Mapping[str, Any]) -> Tournament:
    known = _known(Tournament, row)
    times = {name: _time(known[name]) for name in _TIMES}
    return Tournament(**{**known, **times, "clock": Clock(**_known(Clock, known["clock"]))})


def _row(row: Mapping[str, Any]) -> Row:
    known = _known(Row, row)
    known["cells"] = tuple(Cell(**_known(Cell, cell)) for cell in row["cells"])
    known["tie_breaks"] = tuple(row["tie_breaks"])
    decided_by = row["decided_by"]
    known["decided_by"] = None if decided_by is None else TieBreak(decided_by)
    return Row(**known)


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _known(kind: Any, row: Mapping[str, Any]) -> dict[str, Any]:
    """Without what a newer site may add."""
    names = {one.name for one in fields(kind)}
    return {name: value for name, value in row.items() if name in names}
