"""The queue by kind, the workers, and the matches that were given up last."""

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from ladder import matches, workers
from ladder.errors import Forbidden
from ladder.matches import Kind
from web import identity, security
from web.database import session

blueprint = Blueprint("operator", __name__, url_prefix="/admin")
blueprint.after_request(security.keep_nothing)

_FAILED = 20


@blueprint.get("/queue")
def queue() -> ResponseReturnValue:
    """What waits, what is played and by whom, and what failed."""
    if not identity.signed_in().is_admin:
        raise Forbidden("only admins see the queue and the workers")
    return render_template(
        "operator/queue.html",
        kinds=tuple(Kind),
        queue=matches.queue_state(session()),
        workers=workers.living(session()),
        failed=matches.page(session(), state="failed", limit=_FAILED).matches,
    )
