"""Replays: the file, the document that the viewer shows, and the game in words."""

from functools import lru_cache
from typing import NotRequired

from flask import Blueprint, Response, render_template, request
from flask.typing import ResponseReturnValue

from ladder.matches import reading
from referee.analysis import Decision as Analysed
from referee.analysis.puzzles import position_at
from referee.replay import file_name, read, simulate, start
from referee.rules import move_text
from referee.wire import replay_pb2
from web.database import session
from web.delivery import packed_json, packed_response
from web.frames import Document, Frame, Head, You, read_by, scenes, seat_labels
from web.languages import language
from web.parameters import MOST
from web.viewer.analysis_data import turning_points
from web.viewer.choices import offered
from web.viewer.narration import text
from web.viewer.scripted import following
from web.viewer.stills import game, noted
from web.words import Words, words_of

blueprint = Blueprint("replays", __name__)

_KEPT = 256  # compressed documents of about 20 kB, and as many games in sentences


class WordedFrame(Frame):
    """A frame in words: what happened, and of a decision the question and its choices."""

    text: str
    asked: NotRequired[str]
    choices: NotRequired[list[str]]


class Surroundings(Head):
    """All but the frames of what the viewer shows, in a language."""

    names: dict[str, str]
    labels: dict[str, str]


class WordedDocument(Surroundings):
    """The viewer's document."""

    frames: list[WordedFrame]


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/replay.santiago")
def download(match_id: int) -> ResponseReturnValue:
    """Send the replay file, which `santiago replay` reads."""
    return file_answer(reading.replay(session(), match_id), file_name(match_id))


def file_answer(data: bytes, name: str) -> Response:
    """Return a replay file to download under an ASCII name."""
    answer = Response(data, mimetype="application/octet-stream")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/words")
def in_words(match_id: int) -> ResponseReturnValue:
    """Show the whole game as a list of sentences, for readers without JavaScript."""
    row = reading.match(session(), match_id)
    told = _sentences(reading.replay(session(), match_id), language())
    turning = turning_points(match_id, language())
    return render_template("replays/words.html", match=row, sentences=told, turning=turning)


@lru_cache(maxsize=_KEPT)
def _sentences(data: bytes, code: str) -> tuple[str, ...]:
    """Return what happens in a replay, a sentence for each frame. Raises ReplayError."""
    played = game(data)
    return tuple(text(scene, played) for scene in scenes(played, words_of(code)))


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/frames", endpoint="frames")
def frames_answer(match_id: int) -> Response:
    """Return the viewer's document of a match as JSON, in the language of the request."""
    return document_answer(reading.replay(session(), match_id))


def document_answer(data: bytes, you: You | None = None) -> Response:
    """Return the viewer's document of a replay file. Raises ReplayError."""
    return packed_answer(_compressed(data, language(), you))


def packed_answer(body: bytes) -> Response:
    """Return gzipped JSON, unpacked if the client refuses gzip; browsers always revalidate."""
    answer = packed_response(body, "application/json")
    answer.cache_control.no_cache = True
    answer.add_etag()
    answer.make_conditional(request)
    return answer


@lru_cache(maxsize=_KEPT)
def _compressed(data: bytes, code: str, you: You | None = None) -> bytes:
    """Return the viewer's document of a replay as gzipped JSON. Raises ReplayError."""
    words = words_of(code)
    played = read_by(game(data), you, words)
    played = {**played, "frames": _noted(data, played, words)}
    return packed_json(document(played, words))


def _noted(data: bytes, played: Document, words: Words) -> list[Frame]:
    """Return the frames of a game, their notes with what `noted` adds."""
    if not any("line" in frame.get("note", {}) for frame in played["frames"]):
        return played["frames"]
    record = read(data)
    position, first = start(record), played["frames"][0]
    steps = enumerate(simulate(position, record), 1)
    frames = [first, *(noted(played, moment, position, words) for moment, _ in steps)]
    return frames + played["frames"][len(frames) :]


def document(game: Document, words: Words) -> WordedDocument:
    """Return the frames document with all words of a language that the viewer needs.

    Adds what `worded` adds to each frame and what `surroundings` adds.
    """
    return {**surroundings(game, words), "frames": worded(game, words)}


def worded(game: Document, words: Words, since: int = 0) -> list[WordedFrame]:
    """Return the frames from the one numbered `since` in words."""
    return [
        {**scene.frame, "text": text(scene, game), **offered(scene)}
        for scene in scenes(game, words, since)
    ]


def best_line(
    record: replay_pb2.Replay, game: Document, decision: Analysed, words: Words
) -> list[WordedFrame]:
    """Return the frames after the best move of a decision and what follows it, in words.

    Raises ReplayError.
    """
    moves = following(position_at(record, decision.moment), map(move_text, decision.line))
    might = [*game["frames"][: decision.moment], *moves]
    return worded({**game, "frames": might}, words, decision.moment)


def surroundings(game: Head, words: Words) -> Surroundings:
    """Return the document with `label` in each seat, and `names` and `labels`."""
    labels = seat_labels(game["seats"])
    return {
        **game,
        "seats": [{**s, "label": label} for s, label in zip(game["seats"], labels, strict=True)],
        "names": dict(words.names),
        "labels": dict(words.labels),
    }
