"""Bulk exports."""

from __future__ import annotations

from web.api.fields import query_number
from web.api.schemas.base import Given
from web.parameters import MOST

USUAL = 1_000
MOST_LINES = 10_000


class ExportQuery(Given):
    """Which results."""

    after = query_number(
        0,
        MOST,
        load_default=0,
        metadata={"description": "Only results with a higher number than this."},
    )
    limit = query_number(
        1, MOST_LINES, load_default=USUAL, metadata={"description": "Results at most."}
    )
