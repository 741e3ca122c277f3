"""Give pages the board of a match at a moment, and serve it as a picture, in SVG or PNG.

Nothing here changes once a match is over, so what was drawn is kept. Of a small board that is
known, not even the replay is read: a page may hold many. A moment is the number of a frame; the
last one if there is no number.
"""

from functools import lru_cache
from gzip import compress
from pathlib import Path
from typing import Final

from flask import Blueprint, Flask, Response, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from ladder.matches import reading
from ladder.matches.reading import MatchRow
from web import limits
from web.caching import Cache
from web.database import session
from web.delivery import packed_response
from web.drawing import poster
from web.drawing.board import Moment, drawing, standalone
from web.drawing.geometry import FORMS, WIDE
from web.drawing.poster import small, thumbnail
from web.frames import Player, seat_labels
from web.languages import gettext as _, language
from web.parameters import MOST, choice, moment as asked_moment
from web.viewer.hub import hub
from web.viewer.stills import Still, game, game_end, still
from web.words import words_of

blueprint = Blueprint("drawing", __name__)

_SMALL: Final = "small"
_FORM_NAMES: Final = (*(form.name for form in FORMS), _SMALL)
_FILES: Final = 64  # of 20 kB, as they are sent
_THUMBNAILS: Final = 1024  # of 8 kB
_DAYS: Final = 7 * 24 * 3600  # seconds: another release may draw another board
_small_boards: Final = Cache[Markup](512)  # of 8 kB
_POSTERS: Final = 64  # of 100 kB
_STATIC: Final = Path(__file__).parents[1] / "static"


def init_app(app: Flask) -> None:
    """Give templates `board_symbols` and `small_board`."""
    app.jinja_env.globals.update(board_symbols=symbols, small_board=small_board)


@lru_cache(1)
def symbols() -> Markup:
    """Return the symbols that boards and players' cards are drawn with, for a page's sheet."""
    return Markup(_inside(_STATIC / "replays" / "symbols.svg"))


def small_board(match: MatchRow) -> Markup:
    """Return the small board of a finished match at its end, as a page holds it.

    The page needs replays/board.css. Raises NotFound if the match has no replay.
    """
    sheet, label = _sheet_url(), _label(match.id)

    def draw() -> Markup:
        last = _moment(reading.replay(session(), match.id), None)
        return Markup(small(last, sheet, label))

    return _small_boards.made((match.id, sheet, label), match, draw)


def running_board(match_id: int) -> tuple[Markup, list[Player]]:
    """Return the small board of a running match as it is now, and what each seat has.

    Raises NotFound if it has ended.
    """
    now = hub().channel(session(), match_id).still(None, language())
    moment = Moment(now.game["setup"], (), now.frame)
    return Markup(small(moment, _sheet_url(), _label(match_id))), now.players


def _sheet_url() -> str:
    return url_for("static", filename="replays/symbols.svg")


def _label(match_id: int) -> str:
    return _("The board of match %(match)s", match=match_id)


def _inside(file: Path) -> str:
    sheet = file.read_text(encoding="utf-8")
    return sheet[sheet.index(">") + 1 : sheet.rindex("</svg>")]


def _moment(data: bytes, at: int | None) -> Moment:
    document = game(data) if at is not None else game_end(data)
    shown = document["frames"]
    place = len(shown) - 1 if at is None else min(at, len(shown) - 1)
    return Moment(document["setup"], tuple(seat_labels(document["seats"])), shown[place])


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/board.svg")
def picture(match_id: int) -> ResponseReturnValue:
    """Return the board as a file: ?at= a moment, ?form= wide, tall or small, ?theme= light or dark.

    The small one has no words, and the theme of the page that shows it.
    """
    data = reading.replay(session(), match_id)
    form = choice("form", _FORM_NAMES) or WIDE.name
    theme = choice("theme", ("light", "dark")) or "light"
    at = asked_moment()
    file = _small(data, at) if form == _SMALL else _file(data, at, form, theme, language())
    return _for_days(packed_response(file, "image/svg+xml"))


@lru_cache(_THUMBNAILS)
def _small(data: bytes, at: int | None) -> bytes:
    return compress(thumbnail(_moment(data, at), symbols()).encode(), mtime=0)


@lru_cache(_FILES)
def _file(data: bytes, at: int | None, form: str, theme: str, code: str) -> bytes:
    chosen = next(each for each in FORMS if each.name == form)
    drawn = drawing(_moment(data, at), chosen, words_of(code))
    return compress(standalone(drawn, symbols(), dark=theme == "dark").encode(), mtime=0)


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/board.png")
def poster_of(match_id: int) -> ResponseReturnValue:
    """Return a moment with names and points for messengers: that in ?at=, or the end."""
    data = reading.replay(session(), match_id)
    picture = Response(_poster(data, match_id, asked_moment(), language()), mimetype="image/png")
    return _for_days(picture)


@lru_cache(_POSTERS)
def _poster(data: bytes, match_id: int, at: int | None, code: str) -> bytes:
    limits.LARGE_ANSWER.count_visitor()
    shown = still(data, at, code)
    lines = [_line(shown, seat) for seat in range(len(shown.labels))]
    moment = Moment(shown.game["setup"], shown.labels, shown.frame)
    title = _("Match %(match)s", match=match_id)
    return poster.png(poster.poster(moment, title, lines, poster_symbols()))


def poster_symbols() -> str:
    """Return the symbols that the picture for messengers is drawn with."""
    return str(symbols()) + _inside(_STATIC / "site" / "sun.svg")


def _line(shown: Still, seat: int) -> poster.PosterLine:
    """Return a seat for the picture, with its points, or its rank if the game was forfeited.

    Before the end, the rank is by points alone.
    """
    held = [player["vp"] for player in shown.players]
    rank = shown.ranks[seat] if shown.ranks else 1 + sum(vp > held[seat] for vp in held)
    points = shown.words.amount(held[seat], "vp")
    if shown.ranks and "scores" not in shown.game["result"]:
        points = f"{shown.words.labels['rank']} {rank}"
    return poster.PosterLine(seat, shown.labels[seat], rank, points)


def _for_days(answer: Response) -> Response:
    answer.cache_control.max_age = _DAYS
    answer.cache_control.private = True
    answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"  # messengers and blogs show it
    answer.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    answer.add_etag()
    answer.make_conditional(request)
    return answer
