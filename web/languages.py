"""The languages of the site: which one a page has, and how its sentences are found in it.

A sentence is written in English where it is shown, as a whole and with named fields:
`{{ _("Match %(match)s", match=match.id) }}` and `{% trans %}` in templates, in Python `gettext`
(imported as `_`) and `ngettext` of this module; `mark` where it stands in a table and is said
later. A per cent sign is doubled: `%%`. `make translations` gathers all sentences for
web/translations. The JSON API speaks English.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from gettext import NullTranslations
from typing import Final

import flask_babel  # type: ignore[import-untyped]
from babel import Locale
from flask import Flask, Response, g, has_app_context, has_request_context, request
from markupsafe import Markup, escape

from ladder.errors import Phrase


@dataclass(frozen=True, slots=True)
class Language:
    """Its name in itself, and the conventions by which its dates and numbers are written."""

    name: str
    locale: Locale


SOURCE: Final = "en"
"""The language that all sentences are written in first."""

LANGUAGES: Final = {
    "en": Language("English", Locale("en", "GB")),
    "de": Language("Deutsch", Locale("de")),
    "es": Language("Español", Locale("es")),
    "fr": Language("Français", Locale("fr")),
    "it": Language("Italiano", Locale("it")),
}
"""By their codes (ISO 639-1), in the order in which they are offered."""

COOKIE: Final = "language"
"""Holds the code that a visitor chose: see web.switch."""


def init_app(app: Flask) -> None:
    """Let all templates speak the language of the request, and tell caches what it hangs on."""
    flask_babel.Babel(app, default_locale=SOURCE, locale_selector=language)
    app.jinja_env.newstyle_gettext = True  # type: ignore[attr-defined]
    app.jinja_env.globals.update(
        _=_in_page, gettext=_in_page, ngettext=_counted_in_page, pgettext=_meant_in_page
    )
    app.jinja_env.policies["ext.i18n.trimmed"] = True
    app.jinja_env.globals.update(language=language, languages=LANGUAGES)
    app.add_template_filter(said)
    app.after_request(_say_so)


def language() -> str:
    """The code of the language to answer in: the visitor's choice, else the browser's wish."""
    if not has_request_context() or request.path.startswith("/api/"):
        return SOURCE
    if "language" not in g:
        g.language = _wanted()
    found: str = g.language
    return found


def locale() -> Locale:
    """The conventions of that language for dates and numbers."""
    return LANGUAGES[language()].locale


def gettext(sentence: str, **fields: object) -> str:
    """The sentence in the language of the request, with its fields filled in."""
    return translated(sentence) % fields


def ngettext(singular: str, plural: str, num: int, **fields: object) -> str:
    """The form for this number of things, which is the field `num` as well."""
    return _catalogue().ngettext(singular, plural, num) % {"num": num, **fields}


def pgettext(context: str, sentence: str) -> str:
    """As `gettext`, for words that are another's in another context."""
    return _catalogue().pgettext(context, sentence)


def translated(template: str) -> str:
    """The sentence in the language of the request, its fields and per cent signs as they are."""
    return _catalogue().gettext(template)


def said(phrase: Phrase) -> str:
    """What the ladder says in the language of the request; so are the phrases in its fields."""
    return filled(phrase.template, phrase.fields)


def filled(template: str, fields: Mapping[str, object]) -> str:
    """A template of the ladder in the language of the request; without fields as it is."""
    text = translated(template)
    if not fields:
        return text
    return text % {
        name: said(value) if isinstance(value, Phrase) else value for name, value in fields.items()
    }


def mark(sentence: str) -> str:
    """The sentence as it is: `make translations` finds it, `gettext` says it later."""
    return sentence


def _in_page(sentence: str, **fields: object) -> Markup:
    """As `gettext`, for templates: what is filled in is escaped. Made for hundreds a page."""
    return _filled(_catalogue().gettext(sentence), fields)


def _counted_in_page(singular: str, plural: str, num: int, **fields: object) -> Markup:
    fields.setdefault("num", num)
    return _filled(_catalogue().ngettext(singular, plural, num), fields)


def _meant_in_page(context: str, sentence: str, **fields: object) -> Markup:
    return _filled(_catalogue().pgettext(context, sentence), fields)


def _filled(template: str, fields: dict[str, object]) -> Markup:
    return Markup(template % {name: escape(value) for name, value in fields.items()})


def _catalogue() -> NullTranslations:
    """The translations for this request."""
    if not has_app_context():
        return NullTranslations()
    if "catalogue" not in g:
        g.catalogue = flask_babel.get_translations()
    found: NullTranslations = g.catalogue
    return found


def _wanted() -> str:
    chosen = request.cookies.get(COOKIE)
    if chosen in LANGUAGES:
        return chosen
    for tag, quality in request.accept_languages:  # the dearest first
        code = tag.partition("-")[0].lower()
        if quality and code in LANGUAGES:
            return code
    return SOURCE


def _say_so(answer: Response) -> Response:
    if "language" in g:
        answer.vary.update(("Accept-Language", "Cookie"))
        if answer.mimetype == "text/html":
            answer.content_language.add(g.language)
    return answer
