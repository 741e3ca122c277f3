"""Why versions, bots and matches do not play, in the language of the page.

The database holds these reasons as sentences in English, which the JSON API shows as they are. A
page finds the sentence of the ladder behind a stored one, and translates it. What that quotes stays
as it is, such as the words of a build or an admin.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from flask import Flask

from ladder.errors import Phrase
from web.languages import filled, language, mark, translated
from web.words import pattern_of, words_of

TEMPLATES: Final = (
    # Translators: why a version was rejected, or a bot paused; "it" is the version, or the bot.
    mark("Its author withdrew it."),
    mark("The bot was retired."),
    mark("The check %(check)s failed: %(told)s"),
    mark(
        "We could not check it in %(times)s tries; that is no fault of the version. Submit it "
        "again later, or tell the operator."
    ),
    mark("The check was interrupted %(times)s times."),
    mark(
        "We could not build it in %(times)s tries; that is no fault of the version. Submit it "
        "again later, or tell the operator."
    ),
    mark("The build was interrupted %(times)s times."),
    mark("The build failed: %(why)s"),
    mark("the operator has banned its files: %(reason)s"),
    mark("Its trial match could not be played: %(why)s."),
    mark("It faulted in its trial, match %(match)s: %(said)s"),
    mark(
        "It faulted in %(times)s rated matches in a row; see its log. Resume it when this is fixed."
    ),
    mark(
        "The bot reports version %(told)s, but version %(version)s is active. Submit version "
        "%(told)s, or start version %(version)s again and resume the bot."
    ),
    mark("An admin paused it, and only an admin can resume it: %(reason)s"),
    mark("An admin paused it: %(reason)s"),
    # Translators: why a match was cancelled or given up, within a sentence; "it" is the match.
    mark("An admin cancelled it: %(reason)s"),
    mark("The operator cancelled it: %(reason)s"),
    mark("interrupted %(times)s times, %(alone)s times alone; the last time because %(why)s"),
    mark("A bot at the table could not be reached, or plays no more."),
    mark("No host has the runtimes of all hosted bots at the table."),
    mark("its worker sent no more heartbeats"),
    mark("the host of its bots could not be reached, or broke off"),
    mark("the version was withdrawn, or its bot retired"),
    mark("version %(version)s of %(bot)s was withdrawn"),
    mark("the other bot of the trial could not be reached"),
    mark("%(bot)s did not play: %(why)s"),
    mark("%(bot)s could not be reached"),
    mark("A bot of it withdrew from the tournament"),
    mark("it was cancelled"),
    mark("the worker failed: %(error)s"),
    mark("the database did not answer"),
    mark("%(bot)s withdrew from the tournament"),
    mark("It is played as match %(match)s"),
    mark("%(bot)s was paused"),
    mark("%(bot)s was retired"),
    # Translators: why a caretaker plays for a bot; why a game was not analysed, "it" is the search.
    mark("The bot could not be reached."),
    mark("Another version of the bot answers than the one that was submitted."),
    mark("It took too long."),
    mark("Its worker was interrupted."),
    mark("The engine was ended by signal %(signal)s."),
    mark("The engine failed: %(what)s"),
    # Translators: why the address of a bot is not dialled.
    mark("%(host)s was not found within %(seconds)s s"),
    mark("%(host)s was not found: it has no address"),
    mark("%(address)s is not a public internet address, so it is not dialled"),
    mark(
        "%(address)s is not a public internet address, so it is not dialled (the operator can "
        "allow it with %(setting)s=1)"
    ),
)
"""The ladder's sentences; of several that fit, the first is meant."""

_REASONS: Final = ("reason", "why")
"""The fields of notices that quote a reason."""
_FIELD: Final = re.compile(r"%\((\w+)\)s")


def init_app(app: Flask) -> None:
    """Let templates translate reasons, and notices that give one."""
    app.add_template_filter(reason)
    app.add_template_filter(notice)


def reason(stored: str) -> str:
    """Translate a stored reason; one that no sentence of the ladder fits stays in English."""
    found = _made_of(stored)
    return translated(stored) if stored and found == stored else found


def notice(phrase: Phrase) -> str:
    """Translate a notice, and what the reason in it quotes."""
    fields = {
        name: reason(value) if name in _REASONS and isinstance(value, str) else value
        for name, value in phrase.fields.items()
    }
    return filled(phrase.template, fields)


def _made_of(text: str) -> str:
    """Translate what a template or a sentence of the referee fits, and what such a one quotes.

    A dot may follow what has none in its template.
    """
    for ending in ("", "."):
        for template, pattern in _patterns():
            if text.endswith(ending) and (found := pattern.fullmatch(text.removesuffix(ending))):
                parts = found.groupdict()
                fields = {name: _made_of(part) for name, part in parts.items()}
                return filled(template, fields) + ending
    return words_of(language()).fault(text)


@cache
def _patterns() -> Sequence[tuple[str, re.Pattern[str]]]:
    return [(template, pattern_of(template, _FIELD)) for template in TEMPLATES]
