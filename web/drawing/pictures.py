"""Make the board a file of its own: with its symbols, and its style without variables.

Programs that draw files know neither custom properties nor `light-dark()`, so the one style sheet
of the board is resolved for a theme.
"""

import re
from functools import cache
from pathlib import Path
from typing import Final

_SHEET: Final = Path(__file__).parents[1] / "static" / "replays" / "board.css"
_FONTS: Final = {
    "sans": '"DejaVu Sans", "Liberation Sans", Arial, sans-serif',
    "serif": '"DejaVu Serif", Georgia, serif',
}
_BLOCKS: Final = re.compile(r"@[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_COMMENTS: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_OF_THEME: Final = re.compile(r"light-dark\(([^,()]+), ?([^,()]+)\)")
_DEFINED: Final = re.compile(r"--([\w-]+):\s*([^;]+);")
_USED: Final = re.compile(r"var\(--([\w-]+)\)")


def standalone(drawn: str, symbols: str, *, dark: bool = False) -> str:
    """Return a drawing of the board as an SVG document in the light or dark theme."""
    colours, rules = style(dark=dark)
    head, _, body = drawn.partition(">")
    head = head.replace('class="', 'xmlns="http://www.w3.org/2000/svg" class="board ')
    sheet = _USED.sub(lambda name: colours[name[1]], symbols)
    return f"{head}><style>{rules}</style><defs>{sheet}</defs>{body}"


@cache
def style(*, dark: bool) -> tuple[dict[str, str], str]:
    """Return the board's colours by name and its rules, both without variables."""
    sheet = _BLOCKS.sub("", _COMMENTS.sub("", _SHEET.read_text(encoding="utf-8")))
    plain = _OF_THEME.sub(lambda found: found[2 if dark else 1].strip(), sheet)
    colours = {**_FONTS, **dict(_DEFINED.findall(plain))}
    rules = _USED.sub(lambda name: colours[name[1]], _DEFINED.sub("", plain))
    return colours, re.sub(r"\s+", " ", rules).replace("transition: transform 0.001s;", "")
