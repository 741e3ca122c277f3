"""How templates show numbers, times and the ladder's own words, in the language of the page.

The database holds words such as states, kinds and roles as codes in English, which the JSON API
shows as they are. A report of a check holds English sentences; what the suite found out about the
bot stays in English.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Final

from babel.dates import format_date, format_time, get_datetime_format
from babel.numbers import format_decimal, format_percent
from babel.units import format_unit
from flask import Flask
from markupsafe import Markup, escape
from werkzeug.local import LocalProxy

from ladder.bots import reports
from ladder.matches.reading import MISSED
from ladder.model import BotState, MatchState, TournamentState, VersionState
from ladder.ratings import activity
from ladder.ratings.elo import PLACED, games_to_place
from referee.hosting.settings import MB
from web.charts import sparkline
from web.languages import LANGUAGES, count, gettext, language, locale, mark, pgettext, translated
from web.words import words_of

SEATS = (2, 3, 4)
"""The table sizes, each with a ladder of its own."""

_KEPT: Final = 4096  # texts; the same numbers stand in many tables
_MINUTES: Final = 1440  # of a day
_NONE: Final = "–"
_KB: Final = 1 << 10


WORDS: Final[Mapping[str, str]] = {
    # Translators: states of a tournament, a bot, a version, a match; those that are of a match
    # and a tournament are the tournament's here, see the context "match".
    TournamentState.CREATED: mark("created"),
    MatchState.QUEUED: mark("queued"),
    MatchState.RUNNING: mark("running"),
    MatchState.FINISHED: mark("finished"),
    MatchState.FAILED: mark("failed"),
    MatchState.CANCELLED: mark("cancelled"),
    VersionState.SUBMITTED: mark("submitted"),
    VersionState.BUILDING: mark("building"),
    VersionState.CHECKING: mark("checking"),
    VersionState.TRIAL: mark("trial"),
    VersionState.ACTIVE: mark("active"),
    VersionState.SUPERSEDED: mark("superseded"),
    VersionState.REJECTED: mark("rejected"),
    BotState.PAUSED: mark("paused"),
    BotState.RETIRED: mark("retired"),
    "annulled": mark("annulled"),
    # Translators: what a tournament was or can't be; see "it can't be %(step)s now".
    "started": mark("started"),
    "resumed": mark("resumed"),
    # Translators: what came of a check of a bot.
    "passed": mark("passed"),
    "not tried": mark("not tried"),
    # Translators: kinds of matches: for the ladder, of a tournament, ...
    "validation": mark("trial"),
    "challenge": mark("challenge"),
    "tournament": mark("tournament"),
    "ladder": mark("ladder"),
    "analysis": mark("analysis"),
    # Translators: formats of tournaments.
    "round_robin": mark("Round robin"),
    "swiss": mark("Swiss"),
    "gauntlet": mark("Gauntlet"),
    # Translators: roles of accounts.
    "author": mark("author"),
    "organiser": mark("organiser"),
    "admin": mark("admin"),
    # Translators: fields of the form for a tournament, within a sentence.
    "seats": mark("seats"),
    "deals": mark("deals"),
    "rounds": mark("rounds"),
    # Translators: faults of bots: too late; a move that is not legal; the answer to another
    # decision; the stream closed by the bot before the end; a message against the protocol; a bot
    # that was not there when its match of a tournament was played; too much memory, for example;
    # a bot whose files the operator has banned.
    "timeout": mark("timeout"),
    "illegal-index": mark("illegal-index"),
    "wrong-decision": mark("wrong-decision"),
    "closed": mark("closed"),
    "protocol": mark("protocol"),
    "absent": mark("did not appear"),
    "limit": mark("over a limit"),
    "banned": mark("banned by the operator"),
    # Translators: where victory points come from.
    "deliveries": mark("deliveries"),
    "citizens": mark("citizens"),
    "buildings": mark("buildings"),
    "turns of others": mark("turns of others"),
    "goods at the end": mark("goods at the end"),
    # Translators: tie-breaks of a tournament.
    "direct encounter": mark("direct encounter"),
    "strength of the opponents": mark("strength of the opponents"),
    "strength of beaten opponents": mark("strength of beaten opponents"),
    "first places": mark("first places"),
}
"""The words by their codes, for `word`."""

_DEEDS: Final[Mapping[str, str]] = {
    # Translators: what an organiser or admin has done, in the list of the audit.
    "annul": mark("annul"),
    "cancel": mark("cancel"),
    "requeue": mark("play again"),
    "pause": mark("pause"),
    "bar": mark("pause until an admin resumes"),
    "resume": mark("resume"),
    "ladder": mark("change the ladder"),
    "role": mark("give a role"),
    "reset link": mark("make a reset link"),
    "tournament created": mark("create the tournament"),
    "tournament started": mark("start the tournament"),
    "tournament paused": mark("pause the tournament"),
    "tournament resumed": mark("resume the tournament"),
    "tournament cancelled": mark("cancel the tournament"),
    "withdraw": mark("withdraw a bot"),
    "withdraw and annul": mark("withdraw a bot and annul its results"),
    "annul results": mark("annul the results of a bot that withdrew"),
    "play forfeits": mark("play forfeited matches after all"),
    "drain": mark("drain a host"),
    "undrain": mark("let a host accept work again"),
    "ban": mark("ban files"),
    "unban": mark("lift a ban"),
}

_THINGS: Final[Mapping[str, str]] = {
    "match": mark("match %(number)s"),
    "bot": mark("bot %(number)s"),
    "user": mark("user %(number)s"),
    "tournament": mark("tournament %(number)s"),
    "ladder": mark("ladder of %(number)s"),
    "host": mark("host %(number)s"),
    "blob": mark("files %(number)s"),
}


CHECKS: Final[Mapping[str, str]] = {
    # Translators: what a bot does that passes a check; "it" is the bot.
    "describe": mark("It describes itself and speaks this version of the protocol."),
    "accept": mark("It accepts a game, then waits for a request."),
    "in-time": mark("It answers each decision within its time."),
    "message": mark("It sends messages of the protocol, in the right order."),
    "message-size": mark("It sends no message larger than 64 KB."),
    "decision-id": mark("Its choice repeats the id of the decision."),
    "legal-index": mark("Its choice is the index of a legal move."),
    "one-answer": mark("It answers once and sends nothing without a request."),
    "stays": mark("It keeps the stream open until the game is over."),
    "drive": mark("It chooses how far it drives."),
    "visit": mark("It chooses the building that its pawn goes to."),
    "function": mark("It chooses how it uses each of the buildings."),
    "deliver": mark("It chooses what it delivers to the ship."),
    "pick": mark("It chooses what it takes from Pablo."),
    "lawyer": mark("It chooses what it does at Alonso's."),
    "tribute": mark("It chooses what it gives to El Zorro."),
    "demand": mark("It chooses which good the ship does not want."),
    "many-moves": mark("It chooses among a hundred legal moves."),
    "game-of-2": mark("It plays a whole game at a table of 2."),
    "game-of-3": mark("It plays a whole game at a table of 3."),
    "game-of-4": mark("It plays a whole game at a table of 4."),
    "several-games": mark("It plays 4 games at once."),
    "against-itself": mark("It plays all seats of one game."),
    "late-start": mark("It waits if a game starts late."),
    "slow-opponent": mark("It waits while others think."),
    "short-time": mark("It answers within a second if it has no more time."),
    "unknown-fields": mark("It ignores unknown fields."),
    "unknown-message": mark("It ignores unknown messages."),
    "game-end": mark("It does not answer the end of the game, and closes the stream."),
    "fault": mark("After a fault message, it closes the stream and plays the next game."),
    "hang-up": mark("If the referee closes the connection, it plays the next game."),
    "line-back": mark("After a lost connection, it continues the same game."),
    "line-back-mid-decision": mark(
        "If the connection is lost while it thinks, it answers the same decision again."
    ),
    "still-there": mark("After all of this, it still describes itself."),
    "first-call": mark(
        "Called once, it accepts a game, proves that it knows its secret, and is the "
        "submitted version."
    ),
}
"""The sentences of the conformance suite, by the names of its checks."""

_TRANSLATED: Final = frozenset(CHECKS.values()) | reports.OWN


def init_app(app: Flask) -> None:
    """Make the formats, words and states known to all templates."""
    numbers = (count, decimal, duration, elo, exact, percent, points, share, size, sparkline)
    for each in (*numbers, word, match_state, deed, thing, check_sentence, written):
        app.add_template_filter(each)
    words = LocalProxy(lambda: words_of(language()))
    states = {each.__name__: each for each in (BotState, MatchState, TournamentState, VersionState)}
    app.jinja_env.globals.update(
        states,
        table_sizes=SEATS,
        words=words,
        MISSED=MISSED,
        INACTIVE_AFTER=activity.DAYS,
        PLACED=PLACED,
        games_to_place=games_to_place,
        moment=moment,
    )


def moment(at: datetime | None) -> Markup:
    """Return a time as an element that the page shows in the reader's zone; a dash for None."""
    if at is None:
        return Markup(_NONE)
    shown = at.astimezone(UTC)
    text = escape(_moment(shown.date(), 60 * shown.hour + shown.minute, language()))
    return Markup(f'<time datetime="{at.isoformat(timespec="seconds")}">{text}</time>')


def exact(number: float) -> str:
    """Return a number with all its digits after point or comma: "10", "0.5"."""
    return f"{number:.15g}".replace(".", words_of(language()).point)


def decimal(number: float, digits: int = 1, *, signed: bool = False) -> str:
    """Return a number with `digits` after its point or comma: "2.5", signed "+2.5"."""
    text = _decimal(abs(round(number, digits)), digits, language())
    sign = "−" if round(number, digits) < 0 else "+" if signed else ""
    return f"{sign}{text}"


def percent(part: float, digits: int = 0) -> str:
    """Return a part of 1 in per cent: "45 %"; halves go up, as in the viewer's charts."""
    rounded = Decimal(str(part)).quantize(Decimal(10) ** -(2 + digits), ROUND_HALF_UP)
    return _percent(rounded, digits, language())


def elo(milli: int) -> str:
    """Return a rating, given in thousandths of a point, in whole points."""
    return str(round(milli / 1000)).replace("-", "−")


def points(value: float) -> str:
    """Return points of a cross table: halves as ½."""
    whole, half = divmod(round(2 * value), 2)
    return f"{whole or ''}½" if half else str(whole)


def share(part: float, total: float) -> str:
    """Return a part of a total in per cent, or a dash if the total is 0."""
    return percent(part / total) if total else _NONE


def size(number: int) -> str:
    """Return a number of bytes in kilobytes or megabytes (of 1024 and 1024²): "3.4 MB".

    A few bytes are 0.1 kB: only nothing is 0 kB. No line breaks before the unit.
    """
    unit, by = ("megabyte", MB) if number >= MB else ("kilobyte", _KB)
    rounded = max(round(number / by, 1), min(number, 0.1))
    none = format_unit(0, unit, "short", locale=locale())  # some have "1 kbyte" in the singular
    none = none.replace(" ", "\N{NO-BREAK SPACE}")
    return none.replace("0", format_decimal(rounded, locale=locale()))


def duration(seconds: float) -> str:
    """Return a time to wait in seconds, or from two minutes on in minutes: "90 s", "5 min"."""
    unit, by = ("minute", 60) if seconds >= 2 * 60 else ("second", 1)
    rounded = round(seconds / by, 1)
    shown = int(rounded) if rounded == int(rounded) else rounded
    return format_unit(shown, unit, "short", locale=locale())


def written(output: bytes) -> str:
    """Return what a program wrote as text; what is no text stands as a replacement character."""
    text = output.decode(errors="replace").replace("\r\n", "\n")
    return "".join(one if one in "\n\t" or one.isprintable() else "\ufffd" for one in text)


def word(code: str) -> str:
    """Return a state, kind, format, role or fault's code as a word; an unknown code as it is."""
    return gettext(WORDS[code]) if code in WORDS else code


def match_state(code: str) -> str:
    """Return the state of a match; in some languages it differs from that of a tournament."""
    if code == MatchState.FINISHED:
        return pgettext("match", "finished")
    if code == MatchState.CANCELLED:
        return pgettext("match", "cancelled")
    return word(code)


def deed(action: str) -> str:
    """Return an action of the audit in words; an unknown one as it is."""
    return gettext(_DEEDS[action]) if action in _DEEDS else action


def thing(subject: str) -> str:
    """Return the subject of an action, such as "match 12", in words; an unknown one as it is."""
    kind, _, number = subject.replace(" of ", " ").partition(" ")
    return gettext(_THINGS[kind], number=number) if kind in _THINGS else subject


def check_sentence(stored: str) -> str:
    """Translate the sentence of a check; one that the suite no longer has stays in English."""
    return translated(stored) if stored in _TRANSLATED else stored


def _moment(day: date, minute: int, code: str) -> str:
    return _both(code).format(_minute(minute, code), _day(day, code))


@lru_cache(len(LANGUAGES))
def _both(code: str) -> str:
    """Return the pattern that joins a time (0) and a date (1)."""
    return str(get_datetime_format("medium", LANGUAGES[code].locale))


@lru_cache(_KEPT)
def _day(day: date, code: str) -> str:
    return format_date(day, "medium", LANGUAGES[code].locale)


@lru_cache(len(LANGUAGES) * _MINUTES)
def _minute(minute: int, code: str) -> str:
    """Return a minute of the day as a time."""
    at = time(*divmod(minute, 60))
    return f"{format_time(at, 'short', locale=LANGUAGES[code].locale)} UTC"


@lru_cache(_KEPT)
def _decimal(number: float, digits: int, code: str) -> str:
    places = f".{digits * '0'}" if digits else ""
    return format_decimal(number, f"#,##0{places}", LANGUAGES[code].locale)


@lru_cache(_KEPT)
def _percent(part: Decimal, digits: int, code: str) -> str:
    where = LANGUAGES[code].locale
    pattern = where.percent_formats[None].pattern
    if digits:
        pattern = pattern.replace("0", f"0.{digits * '0'}")
    return format_percent(part, pattern, where)
