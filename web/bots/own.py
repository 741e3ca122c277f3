"""What an author does with a bot: pause, resume, retire; and its private log."""

from typing import Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ladder import bots
from web import identity, parameters, security
from web.bots.submitting import public_gateway
from web.database import session
from web.parameters import MOST

blueprint = Blueprint("own_bot", __name__)
blueprint.after_request(security.keep_nothing)

_BOT: Final = f"/bots/<int(max={MOST}):bot_id>"
_ACTS: Final = {"pause": bots.pause, "resume": bots.resume, "retire": bots.retire}
_PAGE: Final = 50


@blueprint.get(f"{_BOT}/own")
def page(bot_id: int) -> ResponseReturnValue:
    """Its state, its versions (?before= pages), and what can be done."""
    asking, before = identity.signed_in(), parameters.number("before")
    return render_template(
        "bots/own.html",
        bot=bots.own(session(), asking, bot_id),
        page=bots.own_versions(session(), asking, bot_id, before=before),
        first=before is None,
        gateway=public_gateway(),
    )


@blueprint.post(f"{_BOT}/<any(pause, resume, retire):act>")
def change(bot_id: int, act: str) -> ResponseReturnValue:
    """Pause it, resume it, or retire it for good."""
    _ACTS[act](session(), identity.signed_in(), bot_id)
    session().commit()
    return redirect(url_for(".page", bot_id=bot_id), 303)


@blueprint.get(f"{_BOT}/log")
def log(bot_id: int) -> ResponseReturnValue:
    """Its matches as the referee saw them; ?before= pages, ?faults=1 shows those with a fault."""
    asking, before = identity.signed_in(), parameters.number("before")
    faults = request.args.get("faults", "") == "1"
    found = bots.log(session(), asking, bot_id, before=before, limit=_PAGE, faults_only=faults)
    return render_template(
        "bots/log.html", bot=bots.own(session(), asking, bot_id), page=found, faults=faults
    )
