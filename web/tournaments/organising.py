"""What organisers do with tournaments: make, start, pause, resume and cancel them."""

from collections.abc import Callable, Mapping

from flask import redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ladder import bots
from ladder.contests.tournaments import creating, running
from ladder.contests.tournaments.reading import Tournament
from ladder.contests.tournaments.states import Step
from ladder.errors import Forbidden, Invalid, LadderError, NotFound, Phrase, Refused
from ladder.people.account import Account
from referee.clock import Clock
from web import errors, forms, identity
from web.database import session
from web.parameters import MOST, as_number
from web.tournaments.pages import blueprint

_STEPS: Mapping[Step, Callable[..., None]] = {
    Step.START: running.start,
    Step.PAUSE: running.pause,
    Step.RESUME: running.resume,
    Step.CANCEL: running.cancel,
}
_USUAL: Mapping[str, str] = {
    "name": "",
    "format": "round_robin",
    "seats": "3",
    "deals": "2",
    "rounds": "",
    "first": "",
    "move_limit": "10",
    "bank": "60",
    "increment": "0.5",
    "start_up": "10",
    "grace": "300",
}


@blueprint.get("/tournaments/new")
def new() -> ResponseReturnValue:
    """The form for a new tournament."""
    _organiser()
    return _form({**_USUAL, "rated": "yes"}, [])


@blueprint.post("/tournaments")
def create() -> ResponseReturnValue:
    """Make it; it waits for its start on its own page."""
    asking = _organiser()
    session().commit()  # to plan many tables takes a while: meanwhile nothing is held open
    try:
        made = _made(asking)
    except (Invalid, NotFound, Refused) as error:
        session().rollback()
        return _form(request.form, request.form.getlist("bots"), error), 422
    session().commit()
    return redirect(url_for(".tournament", tournament_id=made.id), 303)


@blueprint.post(f"/tournaments/<int(max={MOST}):tournament_id>/steps")
def take_step(tournament_id: int) -> ResponseReturnValue:
    """Start, pause, resume or cancel it."""
    asking = _organiser()
    word = forms.text("step")
    if word not in set(_STEPS):
        raise Invalid(
            "step",
            "a tournament can be %(steps)s; not “%(word)s”",
            steps=", ".join(_STEPS),
            word=word,
        )
    session().commit()
    _STEPS[Step(word)](session(), tournament_id, by=asking)
    session().commit()
    return redirect(url_for(".tournament", tournament_id=tournament_id), 303)


def _organiser() -> Account:
    """Who asks, by a browser, if that is an organiser."""
    asking = identity.signed_in()
    if not asking.may_organise:
        raise Forbidden("tournaments are for organisers: ask an admin of this site for the role")
    return asking


def _made(asking: Account) -> Tournament:
    rounds = forms.text("rounds")
    return creating.create(
        session(),
        asking,
        name=forms.text("name"),
        format=forms.text("format"),
        seats=_whole("seats"),
        bot_ids=_bots(),
        deals=_whole("deals"),
        rounds=_whole("rounds") if rounds and forms.text("format") == "swiss" else None,
        clock=_clock(),
        rated="rated" in request.form,
        grace=_number("grace"),
    )


def _bots() -> list[int]:
    """The chosen bots; in a gauntlet the one that meets all others first."""
    chosen = [_as_id(text) for text in request.form.getlist("bots")]
    if forms.text("format") != "gauntlet":
        return chosen
    first = _as_id(forms.text("first"))
    return [first, *(bot for bot in chosen if bot != first)]


def _as_id(text: str) -> int:
    bot_id = as_number(text)
    if bot_id is None:
        raise Invalid("bots", "choose the bots from the list; for a gauntlet also who meets all")
    return bot_id


def _clock() -> Clock:
    try:
        return Clock(
            _number("move_limit"), _number("bank"), _number("increment"), _number("start_up")
        )
    except ValueError:
        raise Invalid(
            "clock",
            "A clock needs a move limit up to 3600 s, a bank up to 36000 s, an increment up to "
            "60 s, a start-up time up to 600 s, and some time at all.",
        ) from None


def _whole(name: str) -> int:
    text = forms.text(name)
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Invalid(name, "%(name)s is a whole number, such as 4", name=Phrase(name))
    return int(text)


def _number(name: str) -> float:
    try:
        return float(forms.text(name))
    except ValueError:
        raise Invalid(name, "this is a number of seconds, such as 10 or 0.5") from None


def _form(typed: Mapping[str, str], chosen: list[str], error: LadderError | None = None) -> str:
    """The form as it was filled in, with what was wrong at the field that it is about."""
    field = getattr(error, "field", "bots") if error else None
    return render_template(
        "tournaments/new.html",
        typed={**_USUAL, **{name: typed[name] for name in typed}},
        chosen=set(chosen),
        bots=bots.every(session()),
        wrong={field: errors.sentence(error)} if error else {},
    )
