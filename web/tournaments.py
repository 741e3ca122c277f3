"""Tournaments: the list, the page of each, and what organisers do with them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from ladder.bots import versions
from ladder.contests.cross_table import CrossTable, Row, current_table
from ladder.contests.tournaments import correcting, creating, lifecycle, lookup, waiting
from ladder.contests.tournaments.lookup import MatchCounts, Round, Tournament
from ladder.errors import Invalid, LadderError, NotFound, Refused
from ladder.matches.listing import list_matches
from ladder.matches.reading import MatchRow
from ladder.model import MATCH_OVER, MatchState, TournamentStep, possible_steps
from ladder.people.accounts import Account
from referee.clock import Clock
from web import errors, identity, parameters
from web.caching import Cache
from web.database import commit_and_show, session
from web.parameters import MOST, as_number

blueprint = Blueprint("tournaments", __name__)

_rounds: Final = Cache[Round](64)

_PAGE = 50
_LATEST = 8
_WATCHED_FIRST: Final = (
    MatchState.RUNNING,
    MatchState.FINISHED,
    MatchState.QUEUED,
    MatchState.FAILED,
    MatchState.CANCELLED,
)
_SENT_TWICE: Final = timedelta(seconds=30)  # to write 20,000 matches takes a part of it
"""The time in which the same tournament comes of a second click: without script none is held."""
_FOUND: Final = 100
"""The most bots that the form for a new tournament shows beside those chosen."""
_WIDEST = 40
"""The most rows and columns of a cross table on one page; a larger table is shown in parts."""
_STEPS: Mapping[TournamentStep, Callable[..., None]] = {
    TournamentStep.START: lifecycle.start,
    TournamentStep.PAUSE: lifecycle.pause,
    TournamentStep.RESUME: lifecycle.resume,
    TournamentStep.CANCEL: lifecycle.cancel,
}
_DEFAULTS: Mapping[str, str] = {
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
    "search": "",
}


@dataclass(frozen=True, slots=True)
class TablePart:
    """Part `number` of a table: the bots of the ranks from `first` to `last`, counted from 1."""

    number: int
    rows: tuple[Row, ...]
    first: int
    last: int


@blueprint.get("/tournaments")
def listing() -> ResponseReturnValue:
    """List the newest tournaments; ?before= pages."""
    before = parameters.number("before")
    found = lookup.page(session(), before=before, limit=_PAGE + 1)
    shown, next_before = parameters.page_of(found, _PAGE)
    return render_template(
        "tournaments/listing.html",
        tournaments=shown,
        organiser=_may_organise(),
        next_before=next_before,
    )


@blueprint.get(f"/tournaments/<int(max={MOST}):tournament_id>")
def tournament(tournament_id: int) -> ResponseReturnValue:
    """Show a tournament; its progress updates by itself.

    ?round= chooses a round of a Swiss tournament, ?rows= and ?columns= part of a large cross table.
    """
    found, organiser = lookup.tournament(session(), tournament_id), _may_organise()
    table = current_table(session(), tournament_id)
    progress = lookup.progress(session(), tournament_id, tournament=found)
    parts = _parts(table)
    return render_template(
        "tournaments/tournament.html",
        tournament=found,
        progress=progress,
        table=table,
        parts=parts,
        rows=_chosen(parts, "rows"),
        columns=_chosen(parts, "columns"),
        cells_of=_cells,
        entries=lookup.entries(session(), tournament_id),
        round=_round(found, table, progress),
        steps=possible_steps(found.state) if organiser else (),
        waited_for=waiting.waited_for(session(), tournament_id),
        wait_for_hosts=waiting.wait_for_hosts(session(), tournament_id),
        forfeits=correcting.count_playable(session(), tournament_id) if organiser else 0,
        withdrawable=correcting.may_withdraw(session(), tournament_id, identity.browser()),
        organiser=organiser,
        latest=_latest(tournament_id),
    )


@blueprint.get("/tournaments/new")
def new() -> ResponseReturnValue:
    """Show the form for a new tournament; ?search= finds bots."""
    _organiser()
    return _form({"rated": "yes", "search": parameters.text("search")}, [])


@blueprint.post("/tournaments/new")
def find_bots() -> ResponseReturnValue:
    """Show the form as it is filled in, with the bots that its search finds."""
    _organiser()
    return _form(request.form, request.form.getlist("bots"))


@blueprint.post("/tournaments")
def create() -> ResponseReturnValue:
    """Create a tournament; it is started on its own page.

    Without script, Enter in a field first finds bots if the form has another search than before.
    """
    account = _organiser()
    if request.form.get("entered") not in (None, request.form.get("search", "")):
        return find_bots()
    session().commit()  # planning many tables takes a while: hold no transaction meanwhile
    try:
        made = _made(account)
    except (Invalid, NotFound, Refused) as error:
        session().rollback()
        return _form(request.form, request.form.getlist("bots"), error), 422
    return commit_and_show(".tournament", tournament_id=made.id)


@blueprint.post(f"/tournaments/<int(max={MOST}):tournament_id>/steps")
def take_step(tournament_id: int) -> ResponseReturnValue:
    """Start, pause, resume or cancel a tournament."""
    account = _organiser()
    word = parameters.field("step")
    if word not in set(_STEPS):
        raise Invalid(
            "step",
            "a tournament can be %(steps)s, not “%(word)s”",
            steps=", ".join(_STEPS),
            word=word,
        )
    session().commit()
    _STEPS[TournamentStep(word)](session(), tournament_id, by=account)
    return commit_and_show(".tournament", tournament_id=tournament_id)


@blueprint.post(f"/tournaments/<int(max={MOST}):tournament_id>/withdrawals")
def withdraw_bot(tournament_id: int) -> ResponseReturnValue:
    """Withdraw a bot, for its author or an organiser; `annul` takes its results back, too."""
    account = identity.signed_in()
    bot_id = _as_id(parameters.field("bot"))
    session().commit()
    correcting.withdraw(session(), tournament_id, bot_id, by=account, annul="annul" in request.form)
    return commit_and_show(".tournament", tournament_id=tournament_id)


@blueprint.post(f"/tournaments/<int(max={MOST}):tournament_id>/forfeits")
def play_forfeits(tournament_id: int) -> ResponseReturnValue:
    """Let the forfeits of the newest round be played whose bots are back."""
    account = _organiser()
    session().commit()
    correcting.play_forfeits(session(), tournament_id, by=account)
    return commit_and_show(".tournament", tournament_id=tournament_id)


def _latest(tournament_id: int) -> list[MatchRow]:
    """Return matches to watch: those that are played, then the newest results, then the others."""
    rows: list[MatchRow] = []
    for state in _WATCHED_FIRST:
        if left := _LATEST - len(rows):
            page = list_matches(session(), tournament_id=tournament_id, state=state, limit=left)
            rows += page.matches
    return rows


def _round(tournament: Tournament, table: CrossTable, progress: MatchCounts) -> Round | None:
    """Return the round that is asked for, else the newest; None if there is only one.

    A round whose matches are over is cached: it changes only if the cross table does, or if a match
    without a result is to be played again.
    """
    if tournament.rounds == 1:
        return None
    number = min(parameters.number("round") or tournament.round, tournament.round)
    place, source = (tournament.id, number), (table, progress.failed, progress.cancelled)
    round_ = _rounds.get(place, source)
    if round_ is None:
        round_ = lookup.round_of(session(), tournament.id, number)
        if round_.tables and all(
            match.state in MATCH_OVER for seated in round_.tables for match in seated.matches
        ):
            _rounds.put(place, source, round_)
    return round_


def _parts(table: CrossTable) -> list[TablePart]:
    """Divide the rows of the table, which are its columns as well, into parts."""
    rows, starts = table.rows, range(0, len(table.rows), _WIDEST)
    return [
        TablePart(number, rows[start : start + _WIDEST], start + 1, min(start + _WIDEST, len(rows)))
        for number, start in enumerate(starts, 1)
    ]


def _chosen(parts: list[TablePart], which: str) -> TablePart:
    """Return the part that is asked for, else the first."""
    return parts[min(parameters.number(which) or 1, len(parts)) - 1]


def _cells(rows: TablePart, columns: TablePart) -> dict[tuple[int, int], tuple[float, int]]:
    """Return points and games of the cells shown, by bot and opponent."""
    opponents = {row.bot_id for row in columns.rows}
    return {
        (row.bot_id, cell.opponent_id): (cell.points, cell.games)
        for row in rows.rows
        for cell in row.cells
        if cell.opponent_id in opponents
    }


def _may_organise() -> bool:
    account = identity.browser()
    return account is not None and account.may_organise


def _organiser() -> Account:
    """Return the organiser who asks by a browser. Raises NotSignedIn and Forbidden."""
    account = identity.signed_in()
    lifecycle.may_organise(account)
    return account


def _made(account: Account) -> Tournament:
    rounds = parameters.field("rounds")
    return creating.create(
        session(),
        account,
        name=parameters.field("name"),
        format=parameters.field("format"),
        seats=_whole("seats"),
        bot_ids=_bots(),
        deals=_whole("deals"),
        rounds=_whole("rounds") if rounds and parameters.field("format") == "swiss" else None,
        clock=_clock(),
        rated="rated" in request.form,
        grace=_number("grace"),
        hosted_only="hosted_only" in request.form,
        same_within=_SENT_TWICE,
    )


def _bots() -> list[int]:
    """Return the chosen bots; the first one of a gauntlet is the bot that meets all others."""
    chosen = [_as_id(text) for text in request.form.getlist("bots")]
    if parameters.field("format") != "gauntlet":
        return chosen
    first = as_number(parameters.field("first"))
    if first is None:
        raise Invalid("first", "choose the bot that meets all others")
    return [first, *(bot for bot in chosen if bot != first)]


def _as_id(text: str) -> int:
    bot_id = as_number(text)
    if bot_id is None:
        raise Invalid("bots", "choose the bots from the list")
    return bot_id


def _clock() -> Clock:
    try:
        return Clock(
            _number("move_limit"), _number("bank"), _number("increment"), _number("start_up")
        )
    except ValueError:
        raise Invalid(
            "clock",
            "A clock needs a move limit of up to 3600 s, a start-up time of up to 600 s, and "
            "a bank of up to 36000 s or an increment of up to 60 s.",
        ) from None


def _whole(name: str) -> int:
    number = parameters.whole(parameters.field(name))
    if number is None:
        raise Invalid(name, "give a whole number without a sign, such as 4")
    return number


def _number(name: str) -> float:
    try:
        return float(parameters.field(name))
    except ValueError:
        raise Invalid(name, "give a number of seconds, such as 10 or 0.5") from None


def _form(typed: Mapping[str, str], chosen: list[str], error: LadderError | None = None) -> str:
    """Show the form as it was filled in, with the error at its field.

    It lists the chosen bots first, then those that the search finds.
    """
    field = getattr(error, "field", "bots") if error else None
    typed = {**_DEFAULTS, **{name: typed[name] for name in typed}}
    ids = [bot_id for text in (*chosen, typed["first"]) if (bot_id := as_number(text))]
    kept = versions.registered(session(), only=ids)
    search = typed["search"].strip()
    found = versions.registered(session(), search=search, most=_FOUND + 1)
    return render_template(
        "tournaments/new.html",
        typed=typed,
        chosen=set(chosen),
        bots=[*kept, *(bot for bot in found[:_FOUND] if bot.id not in ids)],
        found=len(found),
        most=_FOUND,
        wrong={field: errors.sentence(error)} if error else {},
    )
