"""What the user was told. To read the page marks what stands on it as read."""

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from ladder.people import noticing
from web import identity, parameters, security
from web.database import session

blueprint = Blueprint("notices", __name__, url_prefix="/notices")
blueprint.after_request(security.keep_nothing)

_PAGE = 50


@blueprint.get("")
def listing() -> ResponseReturnValue:
    """The newest notices; ?before= pages. What was new is shown as new this once."""
    asking, before = identity.signed_in(), parameters.number("before")
    found = noticing.listing(session(), asking, before=before, limit=_PAGE + 1)
    shown = found[:_PAGE]
    if any(notice.unread for notice in shown):
        noticing.mark_read(session(), asking, shown[0].id)
        session().commit()
    return render_template(
        "accounts/notices.html",
        notices=shown,
        first=before is None,
        next_before=shown[-1].id if len(found) > _PAGE else None,
    )
