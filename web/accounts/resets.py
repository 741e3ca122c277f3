"""The page behind a reset link: a new password, once."""

from flask import Blueprint, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from ladder.errors import Invalid
from ladder.people import passwords, resets
from web import errors, forms, identity, limits, security
from web.database import session

blueprint = Blueprint("resets", __name__)
blueprint.after_request(security.keep_nothing)


@blueprint.get("/reset/<ticket>")
def page(ticket: str) -> ResponseReturnValue:
    """The form; looking at it does not use the link up."""
    return _page(ticket)


@blueprint.post("/reset/<ticket>")
def use(ticket: str) -> ResponseReturnValue:
    """Set the password; the user then signs in by it."""
    limits.reset()
    try:
        resets.use(session(), ticket, forms.secret("password"))
    except Invalid as error:
        session().rollback()
        return _page(ticket, wrong=errors.sentence(error)), 422
    session().commit()
    forms.renew()
    answer = redirect(url_for("entrance.sign_in"), 303)
    identity.forget(answer)
    return answer


def _page(ticket: str, wrong: str | None = None) -> str:
    return render_template(
        "accounts/reset.html",
        ticket=ticket,
        name=resets.owner(session(), ticket),
        wrong=wrong,
        shortest=passwords.SHORTEST,
    )
