"""What an author does with a bot: list, pause, resume, retire, read its log, challenge others."""

from typing import Final

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ladder.bots import keeping, logs, own
from ladder.contests import challenges
from ladder.contests.challenges import MOST_OPPONENTS, MOST_WAITING
from ladder.errors import Invalid, LadderError, Refused
from web import errors, forms, identity, limits, parameters, security
from web.bots.submitting import public_gateway
from web.database import session
from web.languages import gettext as _
from web.parameters import MOST

blueprint = Blueprint("own_bots", __name__)
blueprint.after_request(security.no_store)

_BOT: Final = f"/bots/<int(max={MOST}):bot_id>"
_ACTIONS: Final = {"pause": keeping.pause, "resume": keeping.resume, "retire": keeping.retire}
_PAGE: Final = 50


@blueprint.get("/bots/mine")
def mine() -> ResponseReturnValue:
    """List the user's bots."""
    return render_template("bots/mine.html", bots=own.bots(session(), identity.signed_in()))


@blueprint.get(f"{_BOT}/own")
def page(bot_id: int) -> ResponseReturnValue:
    """Show a bot's state, its versions (?before= pages), and the actions on it."""
    asking, before = identity.signed_in(), parameters.number("before")
    return render_template(
        "bots/own.html",
        bot=own.bot(session(), asking, bot_id),
        page=own.versions(session(), asking, bot_id, before=before),
        first=before is None,
        gateway=public_gateway(),
    )


@blueprint.post(f"{_BOT}/<any(pause, resume, retire):action>")
def change(bot_id: int, action: str) -> ResponseReturnValue:
    """Pause, resume or retire a bot."""
    _ACTIONS[action](session(), identity.signed_in(), bot_id)
    session().commit()
    return redirect(url_for(".page", bot_id=bot_id), 303)


@blueprint.get(f"{_BOT}/log")
def log(bot_id: int) -> ResponseReturnValue:
    """List its matches as the referee saw them; ?before= pages, ?faults=1 shows only faults."""
    asking, before = identity.signed_in(), parameters.number("before")
    faults = request.args.get("faults", "") == "1"
    found = logs.log(session(), asking, bot_id, before=before, limit=_PAGE, faults_only=faults)
    return render_template(
        "bots/log.html", bot=own.bot(session(), asking, bot_id), page=found, faults=faults
    )


@blueprint.get("/challenge")
def challenge_form() -> ResponseReturnValue:
    """Show the form: ?bot= is the user's, ?opponent= (several) the others, ?search= finds more."""
    identity.signed_in()
    return _challenge_page(parameters.number("bot"), _ids(request.args.getlist("opponent")))


@blueprint.post("/challenge")
def challenge() -> ResponseReturnValue:
    """Queue an unrated match against chosen bots, then show it."""
    asking = identity.signed_in()
    limits.challenge(asking)
    (bot_id,) = _ids([forms.text("bot")])
    opponents = _ids(request.form.getlist("opponent"))
    try:
        match_id = challenges.challenge(session(), asking, bot_id, opponents)
    except (Invalid, Refused) as error:
        session().rollback()
        return _challenge_page(bot_id, opponents, error)
    session().commit()
    return redirect(url_for("matches.match", match_id=match_id), 303)


def _challenge_page(
    bot_id: int | None, chosen: list[int], error: LadderError | None = None
) -> ResponseReturnValue:
    search = request.args.get("search", "").strip()
    mine = [bot for bot in own.bots(session(), identity.signed_in()) if bot.active]
    page = render_template(
        "bots/challenge.html",
        mine=mine,
        own=bot_id or (mine[0].id if mine else None),
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
