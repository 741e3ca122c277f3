"""The form of a language's words: names of the game's things, and phrases that say a move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


class Name(str):
    """The name of a thing; in a phrase `{building:to}` is a form of it, such as "zur Bank".

    Where there is no such form it is the name itself.
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
    building does, `labels` stand on the board and the page. `forms` are names as the grammar of
    the language wants them in its own phrases, by keys such as "bank.to".
    """

    language: str
    names: Mapping[str, str]
    amounts: Mapping[str, tuple[str, str]]
    gifts: Mapping[str, str]
    phrases: Mapping[str, str]
    labels: Mapping[str, str]
    forms: Mapping[str, str] = field(default_factory=dict)

    def name(self, thing: str) -> Name:
        """The name of a good, citizen, building or flower, of the harbour, of a kind of fault."""
        return Name(self.names.get(thing, thing), thing, self.forms)

    def say(self, phrase: str, **fields: object) -> str:
        """The phrase with its fields filled in. KeyError for a phrase the language lacks."""
        return self.phrases[phrase].format(**fields)

    def amount(self, count: int, what: str) -> str:
        """ "2 tobacco", "1 peso"; `what` is pesos, vp, stops, a good."""
        one, more = self.amounts[what]
        single = count == 1 or (count == 0 and self.language == "fr")
        return (one if single else more).format(count=count)

    def listing(self, items: Sequence[str]) -> str:
        """ "a", "a and b", "a, b and c"."""
        if len(items) < 2:
            return "".join(items)
        return self.say("list", most=", ".join(items[:-1]), last=items[-1])
