"""The user's own bots."""

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from ladder import bots
from web import identity, security
from web.database import session

blueprint = Blueprint("own_bots", __name__)
blueprint.after_request(security.keep_nothing)


@blueprint.get("/bots/mine")
def mine() -> ResponseReturnValue:
    """All of them."""
    return render_template("bots/mine.html", bots=bots.mine(session(), identity.signed_in()))
