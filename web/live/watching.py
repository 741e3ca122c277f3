"""Watching one match: all that has come so far, then a stream of what comes."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic
from typing import Final

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ladder import matches
from ladder.matches import MatchRow
from web.database import session
from web.languages import language
from web.live.channel import OVER, Channel
from web.live.house import hub
from web.live.hub import Hub
from web.live.messages import HEARTBEAT, Place, message
from web.parameters import MOST
from web.replays import packed_answer

blueprint = Blueprint("live_matches", __name__)

_BEAT: Final = 10.0  # seconds between signs of life
_WAIT: Final = 1.0  # seconds after which a stream looks whether the process ends
_SEND_LIMIT: Final = 20.0  # seconds that a spectator has to take in a message
_RETRY: Final = b"retry: 2000\n\n"  # milliseconds until a browser connects again


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/live/frames")
def frames(match_id: int) -> ResponseReturnValue:
    """All that has come so far, in one answer: the viewer's document, with `place` to go on."""
    return packed_answer(hub().channel(session(), match_id).document(language()))


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/live")
def stream(match_id: int) -> ResponseReturnValue:
    """Server-sent events from ?from= or, for a browser that comes back, from Last-Event-ID.

    `frames`: more of them, to be put `from` that number on; `before` is the text of the one before,
    `begun` says that by now it is known who plays.
    `standing`: by its `word` the match runs, is queued again, is unheard of or over. `restart`: the
    spectator has to ask for all frames once more, since there is another attempt.
    """
    row = matches.match(session(), match_id)
    if row.state in OVER:
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
    """How the match has ended, as a part of a page."""
    return render_template("live/end.html", match=matches.match(session(), match_id))


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/live/words")
def in_words(match_id: int) -> ResponseReturnValue:
    """The game so far as a list of sentences, for readers without JavaScript."""
    row = matches.match(session(), match_id)
    if row.has_replay:
        return redirect(url_for("replays.in_words", match_id=match_id))
    texts = hub().channel(session(), match_id).sentences(language())
    return render_template("replays/words.html", match=row, frames=[{"text": t} for t in texts])


def page(row: MatchRow, *, framed: bool = False) -> str:
    """The page of a match that is being played; `framed`: its viewer alone."""
    channel = hub().channel(session(), row.id)
    if channel.place.frames > 1:
        row = matches.match(session(), row.id, named=True)
    return render_template(
        "live/match.html",
        match=row,
        state=channel.state(),
        latest=channel.sentences(language())[-1],
        framed=framed,
    )


def _news(here: Hub, channel: Channel, seen: Place, code: str) -> Iterator[bytes]:
    yield _RETRY
    told = ""
    beat = monotonic()
    while here.serves():
        news = channel.news(seen, told, _WAIT, code)
        if news is not None:
            text, seen, told = news
            yield text
            beat = monotonic()
            if told in OVER or text.startswith(b"event: restart"):
                return
        elif monotonic() - beat >= _BEAT:
            yield HEARTBEAT
            beat = monotonic()


def _leave(here: Hub, channel: Channel) -> None:
    channel.watch(begins=False)
    here.leave()


def _limit_sending() -> None:
    """Who takes nothing in for so long is let go, and does not hold a thread for ever."""
    if socket := request.environ.get("gunicorn.socket"):
        socket.settimeout(_SEND_LIMIT)


def _events(answer: Response) -> Response:
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["X-Accel-Buffering"] = "no"  # nginx would keep messages back
    return answer
