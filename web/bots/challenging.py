"""A challenge: an unrated match of an own bot, now, against bots that its author chooses."""

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ladder import bots
from ladder.contests import challenges
from ladder.contests.challenges import MOST_OPPONENTS, MOST_WAITING
from ladder.errors import Invalid, LadderError, Refused
from web import errors, forms, identity, limits, parameters, security
from web.database import session
from web.languages import gettext as _

blueprint = Blueprint("challenges", __name__)
blueprint.after_request(security.keep_nothing)


@blueprint.get("/challenge")
def form() -> ResponseReturnValue:
    """The form: ?bot= is the own bot, ?opponent= (several) those chosen, ?search= finds others."""
    identity.signed_in()
    return _form(parameters.number("bot"), _ids(request.args.getlist("opponent")))


@blueprint.post("/challenge")
def challenge() -> ResponseReturnValue:
    """Queue the match, then show it."""
    asking = identity.signed_in()
    limits.challenge(asking)
    (own,) = _ids([forms.text("bot")])
    opponents = _ids(request.form.getlist("opponent"))
    try:
        match_id = challenges.challenge(session(), asking, own, opponents)
    except (Invalid, Refused) as error:
        session().rollback()
        return _form(own, opponents, error)
    session().commit()
    return redirect(url_for("matches.match", match_id=match_id), 303)


def _form(
    own: int | None, chosen: list[int], error: LadderError | None = None
) -> ResponseReturnValue:
    search = request.args.get("search", "").strip()
    mine = [bot for bot in bots.mine(session(), identity.signed_in()) if bot.active]
    page = render_template(
        "bots/challenge.html",
        mine=mine,
        own=own or (mine[0].id if mine else None),
        opponents=challenges.opponents(session(), chosen),
        chosen=chosen,
        found=challenges.find(session(), search) if search else (),
        search=search,
        most=MOST_OPPONENTS,
        most_waiting=MOST_WAITING,
        wrong=None if error is None else errors.sentence(error),
    )
    return page, 200 if error is None else errors.CODES[type(error)]


def _ids(texts: list[str]) -> list[int]:
    ids = [found for text in texts if (found := parameters.as_number(text))]
    if len(texts) > MOST_OPPONENTS or len(ids) < len(texts):
        abort(400, _("Choose one to %(most)s opponents by their ids.", most=MOST_OPPONENTS))
    return list(dict.fromkeys(ids))
