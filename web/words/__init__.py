"""The words of the game in each language: a module for each, by the code of the language.

A translation has the keys and fields of the English words; its word order is its own.
`web.viewer.narration` and `web.viewer.choices` decide what to say; the wording is here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from babel.numbers import format_decimal

_WHY: Final = "why."
"""How the keys begin of the sentences in which the referee says why a bot faulted."""
_SECONDS: Final = ("lag", "limit", "most")
"""The fields of these sentences that hold a number with a decimal point, such as seconds."""
_OWN: Final = ("hint", "one", "over")
"""The fields that hold another of these sentences."""
_QUOTE: Final = re.compile(r"(.+?)( \(.+\)\.)", re.DOTALL)
"""One of these sentences, and what it quotes of the bot in the place of its dot."""
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+")
"""A large number as the referee writes it."""
_COUNTS: Final = ("count", "size")
"""The fields of these sentences that may hold one."""
_LISTED: Final = re.compile(r"(.+) and ('[^']*'|\w+)")
"""Several names in the field `names` of these sentences, as the referee lists them in English."""
_FIELD: Final = re.compile(r"\{(\w+)\}")
_OF_TWO: Final = re.compile(r"\[([^|]*)\|([^\]]*)\]")
_SOUNDS_AS_I: Final = re.compile(r"h?[ií](?![aeou])", re.IGNORECASE)
"""The beginning of a word before which "y" becomes "e" in Spanish."""


class Name(str):
    """The name of a thing; in a phrase `{building:to}` is a form of it, such as "zur Bank".

    A form that the language does not have is the name itself.
    """

    __slots__ = ("forms", "thing")

    thing: str
    forms: Mapping[str, str]

    def __new__(cls, name: str, thing: str, forms: Mapping[str, str]) -> Name:
        made = super().__new__(cls, name)
        made.thing, made.forms = thing, forms
        return made

    def __format__(self, form: str) -> str:
        return self.forms.get(f"{self.thing}.{form}", str(self)) if form else str(self)


@dataclass(frozen=True)
class Words:
    """Names and phrases of a language. An unknown name is shown as it is.

    `amounts` are the phrases for one and for more of a thing, `gifts` say what a citizen or
    building does, `labels` are shown on the board and the page. `forms` are names as the grammar
    of the language needs them within phrases, by keys such as "bank.to"; a "bank.tile" has spaces
    where the name on a tile may go on in a second line. `point` is the point or comma of a decimal.
    """

    language: str
    names: Mapping[str, str]
    amounts: Mapping[str, tuple[str, str]]
    gifts: Mapping[str, str]
    phrases: Mapping[str, str]
    labels: Mapping[str, str]
    forms: Mapping[str, str] = field(default_factory=dict)
    point: str = ","

    def name(self, thing: str) -> Name:
        """Return the name of a good, citizen, building, flower or fault, or of the harbour."""
        return Name(self.names.get(thing, thing), thing, self.forms)

    def effect(self, thing: str) -> str:
        """Return what a citizen or building does, after its name: "Bank: 2 pesos"."""
        return f"{self.name(thing)}{self.labels['colon']}{self.gifts[thing]}"

    def say(self, phrase: str, *, to_actor: bool = False, **fields: object) -> str:
        """Fill in the fields of a phrase; `to_actor` if it is about who reads it.

        Raises KeyError for a phrase that the language lacks.
        """
        return _spoken(self.phrases[phrase], 2 if to_actor else 1).format(**fields)

    def fault(self, sentence: str) -> str:
        """Translate what the referee says of a fault; what it quotes of the bot stays as it is.

        So does a sentence that is not among the phrases, such as one of an older referee. Several
        of them may be joined by "Also:".
        """
        several = sentence.split(_joint(words_of("en")))
        if len(several) > 1 and all(map(_is_reason, several)):
            return _joint(self).join(map(self.fault, several))
        for phrase, pattern in _reasons():
            if found := pattern.fullmatch(sentence):
                return self.phrases[phrase].format(**self._translated(found.groupdict()))
        if found := _QUOTE.fullmatch(sentence):
            return self.fault(f"{found[1]}.").removesuffix(".") + found[2]
        return sentence

    def _translated(self, fields: dict[str, str]) -> dict[str, str]:
        """Write the fields of such a sentence, numbers and sentences, in this language."""
        for name in fields.keys() & _SECONDS:
            fields[name] = fields[name].replace(".", self.point)
        for name in fields.keys() & _COUNTS:
            fields[name] = _THOUSANDS.sub(self._grouped, fields[name])
        if listed := _LISTED.fullmatch(fields.get("names", "")):
            fields["names"] = self.listing(listed.groups())
        for name in fields.keys() & _OWN:
            fields[name] = self.fault(fields[name])
        return fields

    def amount(self, count: int, what: str) -> str:
        """Return "2 tobacco" or "1 peso"; `what` is pesos, vp, stops or a good."""
        one, more = self.amounts[what]
        single = count == 1 or (count == 0 and self.language == "fr")
        return (one if single else more).format(count=count)

    def listing(self, items: Sequence[str]) -> str:
        """Return "a", "a and b", or "a, b and c"."""
        if len(items) < 2:
            return "".join(items)
        most, last = ", ".join(items[:-1]), items[-1]
        if self.language == "es" and _SOUNDS_AS_I.match(last):
            return f"{most} e {last}"
        return self.say("list", most=most, last=last)

    def _grouped(self, number: re.Match[str]) -> str:
        return format_decimal(int(number[0].replace(",", "")), "#,##0", self.language)


@cache
def _spoken(phrase: str, person: int) -> str:
    """Return a phrase with one of each two forms of its verbs: "[rolls|roll]"."""
    return _OF_TWO.sub(lambda forms: forms[person], phrase)


@cache
def _reasons() -> Sequence[tuple[str, re.Pattern[str]]]:
    """Return the keys of the referee's sentences, each with a pattern for the English one."""
    english = words_of("en").phrases
    return [(key, pattern_of(english[key], _FIELD)) for key in english if key.startswith(_WHY)]


def _is_reason(sentence: str) -> bool:
    return any(pattern.fullmatch(sentence) for _, pattern in _reasons())


def _joint(words: Words) -> str:
    """Return what joins several of these sentences."""
    return f" {words.phrases['also']} "


def pattern_of(template: str, field: re.Pattern[str]) -> re.Pattern[str]:
    """Return a pattern for what is made of a template; a field that comes again is the same.

    `field` finds a field, and has its name as a group. Fields are as short as can be: a number or
    a name comes before what is quoted of a bot.
    """
    parts = field.split(template)  # texts, and between them names
    return re.compile(
        "".join(
            re.escape(part)
            if at % 2 == 0
            else f"(?P={part})"
            if part in parts[1:at:2]
            else f"(?P<{part}>.+?)"
            for at, part in enumerate(parts)
        ),
        re.DOTALL,
    )


@cache
def words_of(language: str) -> Words:
    """Return the words of a language by its code; those of English if it has none."""
    name = f"{__name__}.{language}"
    if find_spec(name) is None:
        return words_of("en")
    found: Words = import_module(name).WORDS
    return found
