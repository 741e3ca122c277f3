"""The languages of the site: choose one for each page, and translate its sentences.

Write a sentence in English where it is shown, as a whole and with named fields:
`{{ _("Match %(match)s", match=match.id) }}` and `{% trans %}` in templates, in Python `gettext`
(imported as `_`) and `ngettext` of this module; `mark` if it stands in a table and is translated
later. Double per cent signs: `%%`. `make translations` gathers all sentences for
web/translations. The JSON API answers in English.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from gettext import NullTranslations
from typing import Final

import flask_babel  # type: ignore[import-untyped]
from babel import Locale
from babel.numbers import format_decimal
from flask import Flask, Response, g, has_app_context, has_request_context, request
from markupsafe import Markup, escape

from ladder.errors import Phrase


@dataclass(frozen=True, slots=True)
class Language:
    """A language: its own name for itself, and its conventions for dates and numbers."""

    name: str
    locale: Locale


SOURCE: Final = "en"
"""The language that sentences are translated from."""

LANGUAGES: Final = {
    "en": Language("English", Locale("en", "GB")),
    "de": Language("Deutsch", Locale("de")),
    "es": Language("Español", Locale("es")),
    "fr": Language("Français", Locale("fr")),
    "it": Language("Italiano", Locale("it")),
}
"""The languages by code (ISO 639-1), in the order of the menu."""

COOKIE: Final = "language"
"""The cookie with the code that a visitor chose."""
COOKIE_LIFETIME: Final = 365 * 24 * 3600
"""Seconds for which a browser remembers it."""
_COUNTS: Final = 4096  # that are kept as texts; the same numbers stand in many tables
IN_PATH: Final = "santiago.language"
"""The key in the WSGI environment of the language that the path begins with, if it does."""


def init_app(app: Flask) -> None:
    """Translate all templates, and tell caches which headers the language depends on."""
    flask_babel.Babel(app, default_locale=SOURCE, locale_selector=language)
    app.jinja_env.newstyle_gettext = True  # type: ignore[attr-defined]
    app.jinja_env.globals.update(
        _=_in_page, gettext=_in_page, ngettext=_counted_in_page, pgettext=_meant_in_page
    )
    app.jinja_env.policies["ext.i18n.trimmed"] = True
    app.jinja_env.globals.update(language=language, languages=LANGUAGES)
    app.after_request(_label)


def language() -> str:
    """Return the code of the language to answer in: the path's, the visitor's or the browser's."""
    if not has_request_context() or request.path.startswith("/api/"):
        return SOURCE
    if "language" not in g:
        g.language = in_path() or _wanted()
    found: str = g.language
    return found


def in_path() -> str | None:
    """Return the code of the language that the path of the request begins with, if it does."""
    return request.environ.get(IN_PATH) if has_request_context() else None


def locale() -> Locale:
    """Return the conventions of that language for dates and numbers."""
    return LANGUAGES[language()].locale


def count(number: int) -> str:
    """Return a number of things as the language writes it: "12,345"."""
    return str(number) if -1000 < number < 1000 else _count(number, language())


def gettext(sentence: str, **fields: object) -> str:
    """Translate a sentence into the language of the request and fill in its fields."""
    return translated(sentence) % fields


def ngettext(singular: str, plural: str, num: int, **fields: object) -> str:
    """Translate the form for this number of things; the field `num` holds the number."""
    return _catalogue().ngettext(singular, plural, num) % {"num": count(num), **fields}


def pgettext(context: str, sentence: str) -> str:
    """Translate words whose translation depends on the context, such as "match"."""
    return _catalogue().pgettext(context, sentence)


def translated(template: str) -> str:
    """Translate a sentence; leave its fields and per cent signs as they are."""
    return _catalogue().gettext(template)


def said(phrase: Phrase) -> str:
    """Translate a phrase of the ladder, and the phrases in its fields."""
    return filled(phrase.template, phrase.fields)


def filled(template: str, fields: Mapping[str, object]) -> str:
    """Translate a template of the ladder and fill in its fields, if it has any."""
    text = translated(template)
    if not fields:
        return text
    return text % {
        name: said(value) if isinstance(value, Phrase) else value for name, value in fields.items()
    }


def mark(sentence: str) -> str:
    """Return the sentence unchanged: `make translations` finds it, `gettext` translates it."""
    return sentence


def _in_page(sentence: str, **fields: object) -> Markup:
    """Translate for templates: fields are escaped. Fast, since pages have hundreds of these."""
    return _filled(_catalogue().gettext(sentence), fields)


def _counted_in_page(singular: str, plural: str, num: int, **fields: object) -> Markup:
    fields.setdefault("num", count(num))
    return _filled(_catalogue().ngettext(singular, plural, num), fields)


@lru_cache(_COUNTS)
def _count(number: int, code: str) -> str:
    return format_decimal(number, "#,##0", LANGUAGES[code].locale)


def _meant_in_page(context: str, sentence: str, **fields: object) -> Markup:
    return _filled(_catalogue().pgettext(context, sentence), fields)


def _filled(template: str, fields: dict[str, object]) -> Markup:
    return Markup(template % {name: escape(value) for name, value in fields.items()})


def _catalogue() -> NullTranslations:
    """Return the translations for this request, loaded once."""
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
    for tag, quality in request.accept_languages:  # the preferred first
        code = tag.partition("-")[0].lower()
        if quality and code in LANGUAGES:
            return code
    return SOURCE


def _label(answer: Response) -> Response:
    if "language" in g:
        if in_path() is None:
            answer.vary.update(("Accept-Language", "Cookie"))
        if answer.mimetype == "text/html":
            answer.content_language.add(g.language)
    return answer
