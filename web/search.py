"""Search: bots, authors, tournaments and matches on one page; a bot in a form of filters."""

from dataclasses import dataclass
from typing import Final

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from ladder.bots import authors, profiles
from ladder.bots.profiles import FoundBot
from ladder.contests.tournaments import lookup
from ladder.errors import NotFound
from ladder.matches import reading
from ladder.matches.reading import MatchRow
from ladder.people.accounts import LONGEST_SEARCH
from web import parameters
from web.database import session
from web.languages import mark, translated

blueprint = Blueprint("search", __name__)

_MATCH: Final = mark("Match %(match)s")
_MOST: Final = 20
"""How many of each kind are shown."""
_SUGGESTIONS: Final = 12


@dataclass(frozen=True, slots=True)
class AskedBot:
    """The bot that the parameter `key` asks for, in a form of filters; `text` is shown there.

    Links name a bot by its id, people by its name: a list to choose from would be as long as there
    are bots. `id` is None if nothing was asked for or the text does not name exactly one bot; then
    `fitting` holds the bots whose names fit, if any.
    """

    key: str
    text: str = ""
    id: int | None = None
    fitting: tuple[FoundBot, ...] = ()

    @property
    def is_open(self) -> bool:
        """True if something was asked for that does not name exactly one bot."""
        return bool(self.text) and self.id is None

    @property
    def parameter(self) -> int | str | None:
        """The value that links carry on."""
        return self.id or self.text or None


@blueprint.get("/search")
def page() -> ResponseReturnValue:
    """Find ?q= in the names of bots, authors and tournaments; a number is a match's, too.

    Two names with "-", "vs" or "against" between them also lead to the two bots head to head.
    """
    text = parameters.text("q")[:LONGEST_SEARCH]
    bots = profiles.find_by_name(session(), text, most=_MOST) if text else ()
    return render_template(
        "site/search.html",
        text=text,
        longest=LONGEST_SEARCH,
        most=_MOST,
        bots=bots,
        authors=authors.find_by_name(session(), text, most=_MOST) if text else (),
        tournaments=lookup.find_by_name(session(), text, most=_MOST) if text else (),
        match=_match(text),
        pair=_pair(text),
    )


def asked_bot(key: str) -> AskedBot:
    """Return the bot that the parameter `key` asks for, by its id or its name."""
    text = parameters.text(key)[:LONGEST_SEARCH]
    if not text:
        return AskedBot(key)
    bot_id = parameters.as_number(text)
    name = profiles.name_of(session(), bot_id) if bot_id else None
    if name is not None:
        return AskedBot(key, name, bot_id)
    found = _named(text, most=_SUGGESTIONS)
    if len(found) == 1:
        return AskedBot(key, found[0].name, found[0].id)
    return AskedBot(key, text, None, found)


def _named(text: str, *, most: int) -> tuple[FoundBot, ...]:
    """Return the only bot of just this name, or else all whose names fit."""
    found = profiles.find_by_name(session(), text, most=most)
    same = tuple(bot for bot in found if bot.name.casefold() == text.casefold())
    return same if len(same) == 1 else found


def _match(text: str) -> MatchRow | None:
    """Return the match of this number: `12` or `#12`, also after the word of its title."""
    before, _, number = text.rpartition(" ")
    words = (title % {"match": ""} for title in (_MATCH, translated(_MATCH)))
    if before and before.casefold().strip() not in (word.casefold().strip() for word in words):
        return None
    match_id = parameters.as_number(number.removeprefix("#"))
    try:
        return reading.match(session(), match_id) if match_id else None
    except NotFound:
        return None


def _pair(text: str) -> tuple[FoundBot, FoundBot] | None:
    """Return the two bots that the text names."""
    for between in (" vs ", " against ", " - ", " – "):
        names = text.split(between)
        if len(names) == 2 and all(names):
            one, other = (_named(name, most=2) for name in names)
            if len(one) == len(other) == 1 and one[0].id != other[0].id:
                return one[0], other[0]
    return None
