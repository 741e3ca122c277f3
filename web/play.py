"""Play: people at the table. Who has the address of a seat plays it, on any device."""

import secrets
from typing import Final

from flask import Blueprint, redirect, render_template, request, session as cookies, url_for
from flask.typing import ResponseReturnValue

from ladder.casual import hints, history, opening, opponents, playing
from ladder.casual.opening import Wish
from ladder.casual.record import shown_name, shown_replay
from ladder.errors import Invalid, NotFound, Refused, TooMany
from ladder.matches.queue import clock_of
from ladder.model import CasualGame, CasualPace, CasualSeat, CasualState, now
from referee.clock import Clock
from referee.game import commitment
from web import errors, identity, limits, parameters, security
from web.database import commit_and_show, session
from web.formats import SEATS
from web.frames import You
from web.languages import language
from web.viewer.choices import OpenDecision
from web.viewer.hub import hub
from web.viewer.replays import document_answer, file_answer, packed_answer
from web.viewer.stills import still
from web.viewer.tables import CasualTable, reader, tables

blueprint = Blueprint("play", __name__)
blueprint.after_request(security.no_store)

_KEY: Final = "/play/<string(length=24):key>"
_OPENED: Final = "opened"  # in the signed cookie: keys of the seats that this browser has taken
_MOST_KNOWN: Final = 30  # of them, since a cookie has 4 KB at most
_FRIEND: Final = "friend"  # in place of a bot's id
_NONCE_BYTES: Final = 16


@blueprint.get("/play")
def home() -> ResponseReturnValue:
    """Show the form in which a visitor chooses opponents and clock; ?search= finds more bots."""
    search = parameters.text("search")
    authors_bots, more = opponents.authors_bots(session(), search)
    return render_template(
        "play/home.html",
        house=opponents.house_bots(session()),
        theirs=authors_bots,
        more=more,
        search=search,
        games=history.newest(session(), identity.browser(), _guest_keys()),
        key=opening.fresh_key(),
        ladder_clock=_ladder_clock(),
    )


@blueprint.post("/play")
def open_game() -> ResponseReturnValue:
    """Open a game, and lead its owner to their seat; a form that comes twice opens one game."""
    limits.CASUAL_GAME.count_visitor()
    sent = request.form.get("key", "")
    game = opening.open_game(session(), _wish(), identity.browser(), _guest_keys(), sent)
    session().commit()
    return _to_own(game.table[0])


@blueprint.get(_KEY)
def table(key: str) -> ResponseReturnValue:
    """Show the game from a seat: while it gathers, while it is played, and its replay.

    An invitation leads who has taken the seat back to it; others may watch.
    """
    game, seat = opening.seat_of(session(), key, invitations=True)
    if seat.key != key:
        own = _is_own(seat, key)
        return redirect(url_for(".table", key=seat.key)) if own else _watched(game, key)
    if game.state in (CasualState.GATHERING, CasualState.CLOSED):
        return render_template("play/gathering.html", **_gathering(game, seat))
    if game.replay is not None:
        over = still(shown_replay(game), parameters.moment(), language(), reader(seat))
        return render_template("play/over.html", still=over, **_again(game, seat))
    found = tables().table(game)
    newest = found.channel.still(parameters.moment(), language(), reader(seat))
    return render_template("play/table.html", still=newest, **_turn(game, seat, found))


@blueprint.post(f"{_KEY}/accept")
def accept(key: str) -> ResponseReturnValue:
    """Accept the game; `nonce` is the browser's part in the dice, in hexadecimal."""
    limits.CASUAL_CHOICE.count_visitor()
    try:
        nonce = bytes.fromhex(request.form.get("nonce", ""))
    except ValueError:
        raise Invalid("nonce", "a nonce is written in hexadecimal") from None
    _count_bots(*opening.seat_of(session(), key, invitations=True))
    nonce = nonce or secrets.token_bytes(_NONCE_BYTES)
    own = security.browser_key(key)
    seat = opening.accept(session(), key, nonce, identity.browser(), own)
    session().commit()
    if seat.key not in (key, own):  # somebody else was faster
        return redirect(url_for(".table", key=key), 303)
    return _to_own(seat)


@blueprint.post(f"{_KEY}/move")
def move(key: str) -> ResponseReturnValue:
    """Make a choice: `decision` is its number, `move` the move's text; then show who is next."""
    limits.CASUAL_CHOICE.count_visitor()
    game, seat = opening.seat_of(session(), key, lock=True)
    decision = parameters.as_number(request.form.get("decision", "")) or 0
    try:
        playing.choose(session(), game, seat, decision, request.form.get("move", ""))
    except Refused as error:
        return _after(game, seat, errors.sentence(error), 409)
    session().commit()
    return _after(game, seat)


@blueprint.post(f"{_KEY}/hint")
def hint(key: str) -> ResponseReturnValue:
    """Ask a bot for the decision of this number; then show its choice beside the others."""
    decision = parameters.as_number(request.form.get("decision", "")) or 0
    try:
        limits.HINT.count_visitor()
        game, seat = hints.ask(session(), key, decision)
    except (Refused, TooMany) as error:
        if "part" not in request.form:
            raise
        return _after(*opening.seat_of(session(), key), errors.sentence(error), 409)
    session().commit()
    return _after(game, seat)


@blueprint.post(f"{_KEY}/leave")
def leave(key: str) -> ResponseReturnValue:
    """Give up the seat."""
    limits.CASUAL_CHOICE.count_visitor()
    game, seat = opening.seat_of(session(), key, lock=True)
    playing.leave(session(), game, seat)
    return commit_and_show(".table", key=key)


@blueprint.post(f"{_KEY}/rematch")
def rematch(key: str) -> ResponseReturnValue:
    """Open the same table again, with the seats turned, or find it if somebody has."""
    limits.CASUAL_GAME.count_visitor()
    seat = opening.rematch(session(), key)
    session().commit()
    return _to_own(seat)


@blueprint.get(f"{_KEY}/turn")
def turn(key: str) -> ResponseReturnValue:
    """Return who has to choose, and the choices, as a part of the page."""
    game, seat = opening.seat_of(session(), key)
    return render_template("play/turn.html", **_turn(game, seat, tables().table(game)))


@blueprint.get(f"{_KEY}/frames")
def frames(key: str) -> ResponseReturnValue:
    """Return the game as the viewer's document: the replay once it is over."""
    game, you = _reader(key)
    if game.replay is not None:
        return document_answer(shown_replay(game), you)
    return packed_answer(tables().table(game).channel.document(language(), you))


@blueprint.get(f"{_KEY}/replay.santiago")
def download(key: str) -> ResponseReturnValue:
    """Send the replay file of a game that is over."""
    game, _ = opening.seat_of(session(), key)
    if game.replay is None:
        raise NotFound("this game has no replay")
    return file_answer(shown_replay(game), f"casual-{game.id}.santiago")


@blueprint.get(f"{_KEY}/live")
def stream(key: str) -> ResponseReturnValue:
    """Send the game as it goes on: server-sent events as those of a match."""
    game, you = _reader(key)
    answer = hub().spectate(tables().table(game).channel, you)
    try:
        tables().look_out()
    except RuntimeError:  # no thread is left
        answer.close()  # frees the place of the stream
        raise
    session().close()  # the stream needs no connection
    return answer


def _count_bots(game: CasualGame, seat: CasualSeat) -> None:
    """Count the game for its authors' bots as its first seat accepts it. Raises TooMany."""
    if seat.seat == 0 and seat.nonce is None:
        for one in game.table:
            if one.version is not None and not one.version.bot.house:
                limits.CASUAL_BOT.count_visitor(f"/{one.version.bot_id}")


def _reader(key: str) -> tuple[CasualGame, You | None]:
    """Return the game, and who reads of it from the seat; None if somebody only watches."""
    game, seat = opening.seat_of(session(), key, invitations=True)
    return game, reader(seat) if seat.key == key else None


def _is_own(seat: CasualSeat, invitation: str) -> bool:
    """Return True if this browser, or its user, has taken the seat by the invitation."""
    account = identity.browser()
    if account is not None and account.id == seat.user_id:
        return True
    return seat.key in (*_guest_keys(), security.browser_key(invitation))


def _watched(game: CasualGame, key: str) -> str:
    """Show the game to who has come by an invitation after somebody else."""
    shown = {"game": game, "key": key, "names": [shown_name(one) for one in game.table]}
    if game.state in (CasualState.GATHERING, CasualState.CLOSED):
        return render_template("play/watched_gathering.html", **shown)
    at = parameters.moment()
    if game.replay is not None:
        newest = still(shown_replay(game), at, language())
    else:
        newest = tables().table(game).channel.still(at, language())
    return render_template("play/watched.html", still=newest, **shown)


def _guest_keys() -> list[str]:
    """Return the keys of the seats that this browser has taken, as its signed cookie says."""
    return list(cookies.get(_OPENED, ()))


def _to_own(seat: CasualSeat) -> ResponseReturnValue:
    """Note that this browser has taken the seat, and lead there.

    Seats in games that go on are forgotten last.
    """
    keys = [one for one in _guest_keys() if one != seat.key]
    going_on = opening.still_open(session(), keys)
    over = [one for one in keys if one not in going_on]
    cookies[_OPENED] = [seat.key, *going_on, *over][:_MOST_KNOWN]
    cookies.permanent = True  # it outlives the browser's session, as the games do
    return redirect(url_for(".table", key=seat.key), 303)


def _ladder_clock() -> Clock | None:
    """Return the ladder's clock; None if tables of different sizes have different ones."""
    clocks = {opening.clock_for(session(), CasualPace.LADDER, seats) for seats in SEATS}
    return clocks.pop() if len(clocks) == 1 else None


def _wish() -> Wish:
    wished = [text for text in request.form.getlist("opponent") if text]
    bots = [None if text == _FRIEND else parameters.as_number(text) or 0 for text in wished]
    pace = request.form.get("pace", CasualPace.NONE)
    if pace not in tuple(CasualPace):
        raise Invalid("pace", "choose one of the clocks")
    return Wish(tuple(bots), CasualPace(pace))


def _after(
    game: CasualGame, seat: CasualSeat, wrong: str | None = None, code: int = 200
) -> ResponseReturnValue:
    """Answer a choice: with the part of the page that changes, or by going back to the page."""
    if "part" not in request.form:
        return redirect(url_for(".table", key=seat.key), 303)
    shown = _turn(game, seat, tables().table(game))
    return render_template("play/turn.html", wrong=wrong, **shown), code


def _turn(game: CasualGame, seat: CasualSeat, casual_table: CasualTable) -> dict[str, object]:
    others = [one for one in game.table if one is not seat]
    own = game.deciding == seat.seat
    decision: OpenDecision | None = casual_table.decision(game, language()) if own else None
    said = casual_table.channel.meanwhile(language(), reader(seat)) if decision else []
    return {
        **_again(game, seat),
        "decision": decision,
        "meanwhile": said,
        "ending": _ending(game, seat),
        "left": _left(game),
        "hint": hints.hint(game, seat),
        "hints_left": hints.hints_left(game, seat),
        "adviser": hints.ADVISER,
        "others": [shown_name(one) for one in others],
        "replaced": seat.left or seat.fault is not None,
        "absent_people": [
            shown_name(one) for one in others if (one.left or one.fault) and not one.is_bot
        ],
    }


def _again(game: CasualGame, seat: CasualSeat) -> dict[str, object]:
    """Return the game, the seat, and if a rematch of it is open."""
    people = sum(not one.is_bot for one in game.table)
    over = game.state is CasualState.FINISHED
    return {
        "game": game,
        "seat": seat,
        "has_company": people > 1,
        "rematch": over and opening.awaits_rematch(session(), game),
    }


def _ending(game: CasualGame, seat: CasualSeat) -> str:
    """Return how the game ended; nothing while it goes on."""
    if game.replay is None:
        return ""
    return still(shown_replay(game), None, language(), reader(seat)).sentence


def _gathering(game: CasualGame, seat: CasualSeat) -> dict[str, object]:
    others = [one for one in game.table if one is not seat]
    return {
        "game": game,
        "seat": seat,
        "commitment": commitment(game.dice_seed).hex(),
        "clock": clock_of(game),
        "others": [shown_name(one) for one in others],
        "invitation": _invitation,
        "friends": [(shown_name(one), one) for one in others if not one.is_bot],
    }


def _invitation(friend: CasualSeat) -> str:
    """Return the link to send to a friend, who reads the page in a language of their own."""
    path = url_for(".table", key=friend.invitation or friend.key)
    return security.public_root() + path.removeprefix(request.script_root)


def _left(game: CasualGame) -> int | None:
    """Return the seconds that are left for the choice; None without a clock."""
    if game.pace is CasualPace.NONE:
        return None
    return max(0, int((game.due_at - now(session())).total_seconds()))
