"""The words of the game in each language: a module for each, by the code of the language.

A translation has the keys and fields of the English one; its word order is its own. What is said
when stands in `web.narration` and `web.choices`; how it is said stands here.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec

from web.words.en import WORDS as ENGLISH
from web.words.vocabulary import Words

__all__ = ["ENGLISH", "Words", "words_of"]


@cache
def words_of(language: str) -> Words:
    """The words of a language by its code; those of English where it has none here."""
    name = f"{__name__}.{language}"
    if find_spec(name) is None:
        return ENGLISH
    found: Words = import_module(name).WORDS
    return found
