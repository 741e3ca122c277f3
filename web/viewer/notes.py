"""Show what bots say beside their choices while they play, to their author alone.

After the game the notes are in the replay, and everybody sees them: `replays/notes.js`.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue
from redis import RedisError

from ladder.errors import Forbidden
from ladder.live.stream import newest_notes
from ladder.matches import reading
from ladder.matches.reading import MatchRow
from ladder.model import MATCH_OVER
from web import identity, security
from web.database import session
from web.parameters import MOST
from web.viewer.hub import hub

blueprint = Blueprint("notes", __name__)
blueprint.after_request(security.no_store)

_LOG: Final = logging.getLogger(__name__)
_SHOWN: Final = 12


@dataclass(frozen=True, slots=True)
class OwnNote:
    """A note of a reader's own bot."""

    seat: int
    name: str
    said: Mapping[str, Any]


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/live/notes")
def live(match_id: int) -> ResponseReturnValue:
    """Return what the reader's own bots said last in a running match, as a part of its page.

    Empty once it is over: its page may still be telling it, and the replay has all that was said.
    """
    row = reading.match(session(), match_id, named=True)
    if row.state in MATCH_OVER:
        return "", 204
    own = own_notes(row)
    if own is None:
        raise Forbidden("only its author sees what a bot says while it plays")
    return render_template("live/notes.html", match=row, own_notes=own)


def own_notes(row: MatchRow) -> list[OwnNote] | None:
    """Return the newest notes of the reader's own bots in a match that is played.

    None if the match is over, or the reader has no bot in it.
    """
    reader = identity.browser()
    if reader is None or not row.is_named or row.state in MATCH_OVER:
        return None
    seats = reading.seats_of(session(), row.id, reader.id)
    if not seats:
        return None
    try:
        found = newest_notes(hub().redis, row.id, row.attempt, seats, limit=_SHOWN)
    except RedisError as error:
        _LOG.warning("the notes of match %d can't be read: %s", row.id, error)
        found = []
    return [OwnNote(one.seat, row.seats[one.seat].name or "", one.said) for one in found]
