"""What is printed on the tiles of citizens and buildings, for whoever draws them.

Each tile shows its function as a row of icons and short texts, free of any language.
"""

from collections.abc import Mapping
from typing import Any

from web.words import Words

ICONS: Mapping[str, tuple[str, ...]] = {
    "pedro": ("2", "tobacco"),
    "maria": ("2", "vp"),
    "jose": ("2", "sugar"),
    "martinez": ("3", "pesos"),
    "conchita": ("2", "citrus"),
    "el-zorro": ("pesos", "/", "any-good", "/", "vp"),
    "miguel": ("2", "wood"),
    "pablo": ("1", "any-good"),
    "alonso": ("markers", "/", "use-building"),
    "bank": ("2", "pesos"),
    "church": ("1", "vp"),
    "distillery": ("sugar", "→", "rum"),
    "cigar-factory": ("tobacco", "→", "cigars"),
    "black-market": ("any-good", "→", "any-good"),
    "sawmill": ("wood", "→", "vp", "pesos"),
    "cafe": ("rum", "cigars", "→", "2", "vp"),
    "customs": ("die", "→", "die-zero"),
    "casino": ("3", "pesos", "↔", "1", "vp"),
    "harbour-office": ("flag-small", "±1"),
    "trading-office": ("any-good", "→", "2", "vp"),
    "newspaper": ("1", "pesos", "+", "silenced"),
}


def tiles(words: Words) -> dict[str, dict[str, Any]]:
    """{citizen or building: {"name", "gift", "icons"}} in a language."""
    return {
        thing: {"name": words.name(thing), "gift": words.gifts[thing], "icons": icons}
        for thing, icons in ICONS.items()
    }
