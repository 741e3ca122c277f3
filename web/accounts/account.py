"""One's own account: tokens, password, browsers, and leaving."""

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ladder import people
from ladder.errors import Forbidden, Invalid, LadderError, Refused
from ladder.people import leaving, passwords, signing, tokens
from web import errors, forms, identity, limits, security
from web.accounts.entrance import let_in
from web.database import session
from web.parameters import MOST

blueprint = Blueprint("account", __name__, url_prefix="/account")
blueprint.after_request(security.keep_nothing)


@blueprint.get("")
def page() -> ResponseReturnValue:
    """All that the user can change."""
    return _page()


@blueprint.post("/tokens")
def make_token() -> ResponseReturnValue:
    """Make an API token and show it, this once."""
    asking, name, scopes = identity.signed_in(), forms.text("name"), request.form.getlist("scopes")
    try:
        made = tokens.make(session(), asking, name=name, scopes=scopes)
    except (Invalid, Refused, Forbidden) as error:
        return _page("tokens", error, typed=name)
    session().commit()
    return render_template("accounts/token.html", name=name, token=made.token)


@blueprint.post(f"/tokens/<int(max={MOST}):token_id>/revoke")
def revoke_token(token_id: int) -> ResponseReturnValue:
    """End a token."""
    tokens.revoke(session(), identity.signed_in(), token_id)
    session().commit()
    return redirect(url_for(".page", _anchor="tokens"), 303)


@blueprint.post("/password")
def change_password() -> ResponseReturnValue:
    """Set a new password; this browser gets a new ticket, all others are signed out."""
    asking = identity.signed_in()
    limits.confirmation(asking)
    old, new = forms.secret("old"), forms.secret("password")
    try:
        signed = people.change_password(session(), asking, old=old, new=new)
    except Invalid as error:
        return _page("password", error)
    return let_in(signed, url_for(".page", _anchor="password"))


@blueprint.post("/browsers")
def sign_out_elsewhere() -> ResponseReturnValue:
    """Sign out all browsers but this one."""
    signing.sign_out_elsewhere(session(), identity.signed_in(), identity.secret() or "")
    session().commit()
    return redirect(url_for(".page", _anchor="browsers"), 303)


@blueprint.post("/leave")
def leave() -> ResponseReturnValue:
    """Delete the account."""
    asking = identity.signed_in()
    limits.confirmation(asking)
    try:
        leaving.leave(session(), asking, password=forms.secret("password"))
    except (Invalid, Refused) as error:
        return _page("leave", error)
    session().commit()
    forms.renew()
    answer = redirect(url_for("standings.ladder"), 303)
    identity.forget(answer)
    return answer


def _page(
    section: str = "", error: LadderError | None = None, typed: str = ""
) -> ResponseReturnValue:
    """The page; after an error in one of its sections with what was wrong there."""
    session().rollback()
    asking = identity.signed_in()
    wrong = {}
    if error is not None:
        wrong[f"{section}.{getattr(error, 'field', 'all')}"] = errors.sentence(error)
    shown = render_template(
        "accounts/account.html",
        tokens=tokens.listing(session(), asking),
        scopes=tokens.allowed(asking),
        browsers=signing.browsers(session(), asking),
        shortest=passwords.SHORTEST,
        wrong=wrong,
        typed=typed,
    )
    return shown, 200 if error is None else errors.CODES[type(error)]
