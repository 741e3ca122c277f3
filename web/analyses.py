"""Analyses of matches as JSON, for programs and the viewer; and the form that asks for one."""

import gzip
import json
from datetime import datetime
from functools import lru_cache

from flask import Blueprint, Response, redirect, url_for
from flask.typing import ResponseReturnValue

from ladder.analyses import asking
from ladder.analyses.asking import AnalysisRow, AnalysisState
from ladder.errors import NotFound
from referee.analysis import document, unpack
from web import limits
from web.database import session
from web.parameters import MOST
from web.viewer.replays import packed_answer

blueprint = Blueprint("analyses", __name__)

_KEPT = 256  # compressed documents of about 10 kB
_LEVEL = 4


def shown(match_id: int) -> Response:
    """Return how the analysis of a match stands, with the newest one. Raises NotFound."""
    found = asking.analysis(session(), match_id)
    if found.state is AnalysisState.NONE and found.data is None:
        raise NotFound(
            "match %(match)s has not been analysed: ask for it by POST to this address",
            match=match_id,
        )
    return packed_answer(_packed(found))


def ask(match_id: int) -> AnalysisRow:
    """Ask for the analysis of a match. Raises NotFound, Refused and TooMany."""
    limits.analysis()
    found = asking.ask(session(), match_id)
    session().commit()
    return found


@blueprint.post(f"/matches/<int(max={MOST}):match_id>/analysis")
def form(match_id: int) -> ResponseReturnValue:
    """Ask for the analysis of a match, and lead to where it will be shown."""
    ask(match_id)
    return redirect(url_for("analysed.page", match_id=match_id), 303)


@lru_cache(maxsize=_KEPT)
def _packed(row: AnalysisRow) -> bytes:
    """Return the JSON document of a row, gzipped."""
    answer = {
        "match": row.match_id,
        "state": row.state,
        "engine": row.engine,
        "outdated": row.outdated,
        "made_at": row.made_at,
        "reason": row.reason,
        "failed_at": row.failed_at,
        "analysis": None if row.data is None else document(unpack(row.data)),
    }
    whole = json.dumps(answer, default=datetime.isoformat, separators=(",", ":"))
    return gzip.compress(whole.encode(), _LEVEL, mtime=0)
