"""Watching one match: all frames so far, then a stream of new ones."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic
from typing import Final

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ladder.matches import reading
from ladder.matches.rows import MatchRow
from ladder.model import MATCH_OVER
from web.database import session
from web.languages import language
from web.live.channel import HEARTBEAT, Channel, Place, message
from web.live.hub import Hub, hub
from web.parameters import MOST
from web.viewer.replays import packed_answer

blueprint = Blueprint("live_matches", __name__)

_BEAT: Final = 10.0  # seconds between heartbeats
_WAIT: Final = 1.0  # seconds after which a stream checks if the process ends
_SEND_LIMIT: Final = 20.0  # seconds that a spectator has to receive a message
_RETRY: Final = b"retry: 2000\n\n"  # milliseconds until a browser reconnects


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/live/frames")
def frames(match_id: int) -> ResponseReturnValue:
    """Return all frames so far: the viewer's document, with the `place` to continue from."""
    return packed_answer(hub().channel(session(), match_id).document(language()))


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/live")
def stream(match_id: int) -> ResponseReturnValue:
    """Send server-sent events from ?from= or, if a browser reconnects, from Last-Event-ID.

    `frames` holds new frames, numbered from `from`; `before` is the new text of the frame before
    them, `begun` is true if the names of the bots are known by now. `standing` has a `word`: the
    state of the match, or "unheard" while no news arrive. `restart` asks the spectator to fetch
    all frames again, since there is another attempt.
    """
    row = reading.match(session(), match_id)
    if row.state in MATCH_OVER:
        body = [_RETRY, message("standing", {"word": row.state})]
        return _events(Response(body, mimetype="text/event-stream"))
    here = hub()
    channel = here.channel(session(), match_id)
    seen = Place.parse(request.headers.get("Last-Event-ID") or request.args.get("from", ""))
    here.enter()
    channel.watch(begins=True)
    _limit_sending()
    answer = Response(_news(here, channel, seen, language()), mimetype="text/event-stream")
    answer.call_on_close(lambda: _leave(here, channel))
    return _events(answer)


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/live/end")
def end(match_id: int) -> ResponseReturnValue:
    """Return the end of the match as a part of a page."""
    return render_template("live/end.html", match=reading.match(session(), match_id))


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/live/words")
def in_words(match_id: int) -> ResponseReturnValue:
    """Show the game so far as a list of sentences, for readers without JavaScript."""
    row = reading.match(session(), match_id)
    if row.has_replay:
        return redirect(url_for("replays.in_words", match_id=match_id))
    texts = hub().channel(session(), match_id).sentences(language())
    return render_template("replays/words.html", match=row, frames=[{"text": t} for t in texts])


def page(row: MatchRow, *, framed: bool = False) -> str:
    """Return the page of a running match; if `framed`, the viewer alone."""
    channel = hub().channel(session(), row.id)
    if channel.place.frames > 1:
        row = reading.match(session(), row.id, named=True)
    return render_template(
        "live/match.html",
        match=row,
        state=channel.state(),
        latest=channel.sentences(language())[-1],
        framed=framed,
    )


def _news(here: Hub, channel: Channel, seen: Place, code: str) -> Iterator[bytes]:
    yield _RETRY
    word = ""
    beat = monotonic()
    while here.serves():
        news = channel.news(seen, word, _WAIT, code)
        if news is not None:
            text, seen, word = news
            yield text
            beat = monotonic()
            if word in MATCH_OVER or text.startswith(b"event: restart"):
                return
        elif monotonic() - beat >= _BEAT:
            yield HEARTBEAT
            beat = monotonic()


def _leave(here: Hub, channel: Channel) -> None:
    channel.watch(begins=False)
    here.leave()


def _limit_sending() -> None:
    """Drop spectators who receive nothing for a while: each holds a thread."""
    if socket := request.environ.get("gunicorn.socket"):
        socket.settimeout(_SEND_LIMIT)


def _events(answer: Response) -> Response:
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["X-Accel-Buffering"] = "no"  # else nginx delays messages
    return answer
