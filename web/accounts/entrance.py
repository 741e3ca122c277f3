"""Signing up, in and out."""

from flask import Blueprint, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from ladder import people
from ladder.errors import Invalid, NotSignedIn
from ladder.people import passwords
from ladder.people.account import SignedIn
from web import errors, forms, identity, limits, parameters, security
from web.database import session

blueprint = Blueprint("entrance", __name__)
blueprint.after_request(security.keep_nothing)


@blueprint.get("/sign-in")
def sign_in() -> ResponseReturnValue:
    """The form; ?next= is the page to go on to."""
    if identity.browser() is not None:
        return redirect(_next())
    return render_template("accounts/sign_in.html", next=_next(), name="")


@blueprint.post("/sign-in")
def enter() -> ResponseReturnValue:
    """Let the browser in."""
    name, password = forms.text("name"), forms.secret("password")
    limits.sign_in(name)
    try:
        signed = people.sign_in(session(), name=name, password=password)
    except NotSignedIn as error:
        page = render_template(
            "accounts/sign_in.html", next=_next(), name=name, wrong=errors.sentence(error)
        )
        return page, 422
    return let_in(signed, _next())


@blueprint.get("/sign-up")
def sign_up() -> ResponseReturnValue:
    """The form for a new account."""
    if identity.browser() is not None:
        return redirect(_next())
    return _sign_up_page()


@blueprint.post("/sign-up")
def join() -> ResponseReturnValue:
    """Make the account and let the browser in."""
    name, password = forms.text("name"), forms.secret("password")
    limits.sign_up()
    try:
        made = people.sign_up(session(), name=name, password=password)
    except Invalid as error:
        session().rollback()
        return _sign_up_page(name=name, wrong={error.field: errors.sentence(error)}), 422
    session().commit()
    signed = people.sign_in(session(), name=made.name, password=password)
    return let_in(signed, _next())


@blueprint.post("/sign-out")
def sign_out() -> ResponseReturnValue:
    """End the browser's ticket."""
    held = identity.secret()
    if held is not None:
        people.sign_out(session(), held)
        session().commit()
    forms.renew()
    answer = redirect(url_for("standings.ladder"), 303)
    identity.forget(answer)
    return answer


def let_in(signed: SignedIn, target: str) -> Response:
    """Give the browser its new ticket in place of the one it may have, and show the target."""
    held = identity.secret()
    if held is not None:
        people.sign_out(session(), held)
    session().commit()
    forms.renew()
    answer = redirect(target, 303)
    identity.remember(answer, signed.secret)
    return answer


def _sign_up_page(name: str = "", wrong: dict[str, str] | None = None) -> str:
    return render_template(
        "accounts/sign_up.html",
        next=_next(),
        name=name,
        wrong=wrong or {},
        shortest=passwords.SHORTEST,
    )


def _next() -> str:
    """Where to go on to: a path of this site, one's bots unless one is given."""
    return parameters.own_path("next") or url_for("own_bots.mine")
