"""The ladder's own words (states, kinds, roles, deeds) in the language of the page.

The database holds them as codes in English, which the JSON API shows as they are.
"""

from collections.abc import Mapping
from typing import Final

from flask import Flask

from ladder.model import BotState, MatchState, TournamentState, VersionState
from web.languages import gettext, mark, pgettext

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
    # decision; the stream closed by the bot before the end; a message against the protocol.
    "timeout": mark("timeout"),
    "illegal-index": mark("illegal-index"),
    "wrong-decision": mark("wrong-decision"),
    "closed": mark("closed"),
    "protocol": mark("protocol"),
    # Translators: where victory points come from.
    "deliveries": mark("deliveries"),
    "citizens": mark("citizens"),
    "buildings": mark("buildings"),
    "turns of others": mark("turns of others"),
    # Translators: tie-breaks of a tournament.
    "direct encounter": mark("direct encounter"),
    "strength of the opponents": mark("strength of the opponents"),
    "strength of the beaten": mark("strength of the beaten"),
    "first places": mark("first places"),
}
"""By their codes; said by `word`."""

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
}

_THINGS: Final[Mapping[str, str]] = {
    "match": mark("match %(number)s"),
    "bot": mark("bot %(number)s"),
    "user": mark("user %(number)s"),
    "tournament": mark("tournament %(number)s"),
    "ladder": mark("ladder of %(number)s"),
}


def init_app(app: Flask) -> None:
    """Make the words known to all templates."""
    for each in (word, match_state, deed, thing):
        app.add_template_filter(each)


def word(code: str) -> str:
    """A state, a kind, a format, a role, a fault's code; what is unknown stays as it is."""
    return gettext(WORDS[code]) if code in WORDS else code


def match_state(code: str) -> str:
    """The state of a match: the words that it shares with a tournament are not alike everywhere."""
    if code == MatchState.FINISHED:
        return pgettext("match", "finished")
    if code == MatchState.CANCELLED:
        return pgettext("match", "cancelled")
    return word(code)


def deed(action: str) -> str:
    """An action of the audit; the words of one that is unknown stay as they are."""
    return gettext(_DEEDS[action]) if action in _DEEDS else action


def thing(subject: str) -> str:
    """What a deed was done to, such as "match 12"; what is unknown stays as it is."""
    kind, _, number = subject.replace(" of ", " ").partition(" ")
    return gettext(_THINGS[kind], number=number) if kind in _THINGS else subject
