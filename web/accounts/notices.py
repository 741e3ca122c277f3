"""What the user was told."""

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ladder.accounts import noticing
from web import identity, parameters, security
from web.database import session

blueprint = Blueprint("notices", __name__, url_prefix="/notices")
blueprint.after_request(security.keep_nothing)

_PAGE = 50


@blueprint.get("")
def listing() -> ResponseReturnValue:
    """The newest notices; ?before= pages."""
    asking, before = identity.signed_in(), parameters.number("before")
    found = noticing.listing(session(), asking, before=before, limit=_PAGE + 1)
    shown = found[:_PAGE]
    return render_template(
        "accounts/notices.html",
        notices=shown,
        first=before is None,
        next_before=shown[-1].id if len(found) > _PAGE else None,
    )


@blueprint.post("/read")
def mark_read() -> ResponseReturnValue:
    """Mark as read what was on the page: all up to the id `up_to`."""
    newest = request.form.get("up_to", 0, type=int)
    noticing.mark_read(session(), identity.signed_in(), min(newest, parameters.MOST))
    session().commit()
    return redirect(url_for(".listing"), 303)
