"""What an admin does to a match, a bot or a ladder: each on a page of its own, with a reason.

Organisers annul matches there.
"""

from collections.abc import Callable, Mapping
from typing import Final

from flask import Blueprint, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from ladder import bots, matches, operating
from ladder.contests import ladders
from ladder.errors import Invalid
from ladder.people.account import Account
from ladder.ratings.annulment import annul
from web import forms, identity, parameters, security
from web.database import session
from web.operator.queue import admin
from web.parameters import MOST

blueprint = Blueprint("operating", __name__, url_prefix="/operator")
blueprint.after_request(security.keep_nothing)

_Deed = Callable[[Session, Account, int, str], None]

_MATCH_DEEDS: Final[Mapping[str, _Deed]] = {
    "cancel": operating.cancel,
    "requeue": operating.requeue,
    "annul": annul,
}
_POSSIBLE: Final = {
    "queued": ("cancel",),
    "running": ("requeue", "cancel"),
    "failed": ("requeue",),
    "finished": ("annul",),
}
"""What may be done to a match in this state."""
_BOT_DEEDS: Final[Mapping[str, _Deed]] = {
    "pause": operating.pause,
    "bar": operating.bar,
    "resume": operating.resume,
}


@blueprint.get("/match")
def find_match() -> ResponseReturnValue:
    """The page of the match ?match=."""
    admin()
    match_id = parameters.number("match")
    if match_id is None:
        return redirect(url_for("operator.queue"))
    return redirect(url_for(".match", match_id=match_id))


@blueprint.get(f"/matches/<int(max={MOST}):match_id>")
def match(match_id: int) -> ResponseReturnValue:
    """A match, and what can be done to it; of a finished one also for organisers."""
    asking = identity.signed_in()
    row = matches.match(session(), match_id, named=True)
    if not (asking.may_organise and row.state == "finished"):
        admin()
    possible = () if row.annul_reason else _POSSIBLE.get(row.state, ())
    return render_template("operator/match.html", match=row, possible=possible)


@blueprint.post(f"/matches/<int(max={MOST}):match_id>/<any(cancel, requeue, annul):deed>")
def change_match(match_id: int, deed: str) -> ResponseReturnValue:
    """Cancel, queue again or annul it."""
    asking = identity.signed_in() if deed == "annul" else admin()
    _confirmed()
    _MATCH_DEEDS[deed](session(), asking, match_id, forms.text("reason"))
    session().commit()
    return redirect(url_for(".match", match_id=match_id), 303)


@blueprint.get(f"/bots/<int(max={MOST}):bot_id>")
def bot(bot_id: int) -> ResponseReturnValue:
    """A bot, and what can be done to it."""
    admin()
    barred = operating.bot(session(), bot_id).barred
    return render_template("operator/bot.html", bot=bots.profile(session(), bot_id), barred=barred)


@blueprint.post(f"/bots/<int(max={MOST}):bot_id>/<any(pause, bar, resume):deed>")
def change_bot(bot_id: int, deed: str) -> ResponseReturnValue:
    """Pause it, for its author to resume or for admins alone, or resume it."""
    asking = admin()
    _confirmed()
    _BOT_DEEDS[deed](session(), asking, bot_id, forms.text("reason"))
    session().commit()
    return redirect(url_for(".bot", bot_id=bot_id), 303)


@blueprint.post("/ladders/<int(min=2, max=4):seats>")
def change_ladder(seats: int) -> ResponseReturnValue:
    """Open or close a ladder, and set its share."""
    asking = admin()
    _confirmed()
    share = forms.text("share")
    if not (share.isascii() and share.isdigit()):
        raise Invalid("share", "a share is a whole number")
    ladders.change(session(), asking, seats, open=forms.text("open") == "yes", share=int(share[:9]))
    session().commit()
    return redirect(url_for("operator.queue", _anchor="ladders-title"), 303)


def _confirmed() -> None:
    if forms.text("sure") != "yes":
        raise Invalid("sure", "tick the box that says that you are sure, then send it again")
